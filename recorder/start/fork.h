/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fork.h - forked children are recorded as well. */
#ifndef FLT_REC_FORK_H
#define FLT_REC_FORK_H

#include <stdbool.h>

/* Register handlers for fork(), at the first call only. Call before any other library does. */
void rec_fork_install(void);

/*
 * Freeze the shadow for a fork that calls no handlers. Its child runs unlimited. Return false
 * if nothing is recorded. If true, call rec_fork_raw_end() afterwards in parent and child. All
 * signals are blocked in between.
 */
bool rec_fork_raw_begin(void);
void rec_fork_raw_end(bool in_child);

#endif
