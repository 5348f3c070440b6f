/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - a loop that runs as long as a command does, or until a signal ends it.
 *
 * A terminal's Ctrl-C reaches the command by itself; other signals are passed on to
 * it, and the loop stops when it has ended. Without a command the signals stop the
 * loop. Callers print what is lost and exit as flt_child_exit_status() says.
 */
#ifndef FLT_JOB_H
#define FLT_JOB_H

#include <stdbool.h>

#include "observe/child.h"
#include "observe/loop.h"

struct flt_job {
	struct flt_loop *loop;
	struct flt_child child;	/* pid 0: there is no command, -1: it has ended */
	int wait_status;	/* as of wait4(), when the loop has stopped */
	struct rusage usage;
};

/* The signals a job takes, for those who take them otherwise. */
void flt_job_signals(sigset_t *signals);

/*
 * Takes the signals for the loop and forks the command (NULL: none) up to its
 * gate: arm what is to watch job->child.pid, then flt_job_release().
 */
int flt_job_start(struct flt_job *job, struct flt_loop *loop, char **command,
		  struct flt_errmsg *e);

/* As flt_child_release(); 0 without a command. */
int flt_job_release(struct flt_job *job);

/* Ends a command that stands at the gate, if there is one. */
void flt_job_cancel(struct flt_job *job);

/* For a loop that stopped early: the command is not ours to end. */
void flt_job_wait(struct flt_job *job);

#endif
