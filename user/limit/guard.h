/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard.h - a process that undoes a journal when fltctl ends, however it ends.
 *
 * The guard is forked before the first change. It waits for the end of a pipe whose other end only
 * fltctl holds, so it notices SIGKILL of fltctl, too. It ignores the signals of a terminal.
 */
#ifndef FLT_LIMIT_GUARD_H
#define FLT_LIMIT_GUARD_H

#include <sys/types.h>

#include "limit/journal.h"
#include "text/errmsg.h"

struct flt_guard {
	pid_t pid;
	int gate;	/* write end; closing it makes the guard undo the journal */
	int report;	/* read end: the message of a failure */
};

int flt_guard_start(struct flt_guard *guard, struct flt_journal *journal, struct flt_errmsg *e);
/* Let the guard undo the journal, and wait for it. Return 0 or -errno with the guard's message. */
int flt_guard_end(struct flt_guard *guard, struct flt_errmsg *e);

#endif
