/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep.h - compare runs with several limits. */
#ifndef FLT_CMD_RECORD_SWEEP_H
#define FLT_CMD_RECORD_SWEEP_H

#include "cmd/record/args.h"

/* Run the command several times, and print a table. Return the exit status. */
int flt_record_sweep(struct flt_run *run, const struct flt_record_args *args);

#endif
