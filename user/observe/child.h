/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - a command that is started, held at a gate, and let go.
 *
 * Forked first and executed only on flt_child_release(), so that whatever is to
 * watch it is armed before its first instruction. If the parent dies with the
 * gate closed, the child ends without having run anything.
 */
#ifndef FLT_CHILD_H
#define FLT_CHILD_H

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "text/errmsg.h"

/* Status of a shell for a command that is there but can't run, and one that isn't. */
#define FLT_CHILD_CANNOT_RUN 126
#define FLT_CHILD_NOT_FOUND 127

struct flt_child {
	pid_t pid;
	int gate;	/* writing end: one byte opens it */
	int report;	/* reading end: the errno of a failed exec, or end of file */
	int pidfd;	/* readable when the child has ended; -1 before Linux 5.3 */
};

struct flt_child_setup {
	char **argv;		/* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *env;	/* "NAME=value", set on top of ours; NULL: none */
	/*
	 * Signals as the child is to have them; NULL: as ours are now. Pass what
	 * was there before a loop began to take signals (flt_loop_signals()).
	 */
	const sigset_t *mask;
	/*
	 * Called in the child behind the gate, before exec; -errno ends the child
	 * as a failed exec does. Other descriptors than 0-2 the child is to keep
	 * must be without FD_CLOEXEC by then.
	 */
	int (*prepare)(void *arg);
	void *arg;
};

int flt_child_fork(struct flt_child *child, const struct flt_child_setup *setup,
		   struct flt_errmsg *e);

/*
 * Opens the gate and waits for the exec. The -errno of exec if it failed; the
 * child has then been waited for, and flt_child_exec_status() gives the status
 * to exit with.
 */
int flt_child_release(struct flt_child *child);
int flt_child_exec_status(int err);

/* Ends a child that stands at the gate: nothing of it was run. */
void flt_child_cancel(struct flt_child *child);

/*
 * Waits; usage covers the child and the descendants it waited for. -errno or 0.
 */
int flt_child_wait(struct flt_child *child, int *status, struct rusage *usage);
/* The same without waiting: -EAGAIN while it runs. */
int flt_child_poll(struct flt_child *child, int *status, struct rusage *usage);

/* What to exit with for a status of wait4(): its own, or 128 + signal. */
int flt_child_exit_status(int status);

#endif
