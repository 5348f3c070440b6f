/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice.h - choose what limits the memory of a command. */
#ifndef FLT_CMD_RECORD_CHOICE_H
#define FLT_CMD_RECORD_CHOICE_H

#include "cmd/record/args.h"

/*
 * Set .by_cgroup. With --engine=auto that is the recorder, unless it would not reach the program or
 * would limit less than half of its memory. Then it is a cgroup, if this process may create one
 * and the machine has swap. Return FLT_EXIT_DONE, or report why neither is possible.
 */
int flt_record_choose(const struct flt_run *run, struct flt_record_args *args);

#endif
