/* SPDX-License-Identifier: GPL-2.0-or-later */
/* once.h - run a command with limited memory, by the recorder or by a cgroup. */
#ifndef FLT_CMD_RECORD_ONCE_H
#define FLT_CMD_RECORD_ONCE_H

#include "cmd/record/args.h"
#include "cmd/record/outcome.h"

/* Check the limit before the command runs for the first time. Report errors. Return the status. */
int flt_record_may(const struct flt_run *run, const struct flt_record_args *args);

/* Run the command once, and write its recording. Return the exit status. */
int flt_record_once(struct flt_run *run, const struct flt_record_args *args,
		    struct flt_record_outcome *out);

#endif
