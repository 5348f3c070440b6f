/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - fork a command, hold it before exec, and release it.
 *
 * flt_child_fork() forks a child that waits for flt_child_release() before it executes the
 * command. The caller arms its counters in between, so they see the first instruction. If
 * the parent exits before the release, the child exits without executing the command.
 *
 * The child takes no faults of its own before the exec if it needs neither .env nor .prepare: then
 * it shares the parent's memory until the exec.
 */
#ifndef FLT_CHILD_H
#define FLT_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "text/errmsg.h"

/* The exit statuses that a shell uses. */
#define FLT_CHILD_CANNOT_RUN 126
#define FLT_CHILD_NOT_FOUND 127

struct flt_child {
	pid_t pid;
	int gate;	/* write end of a pipe; one byte releases the child */
	int report;	/* read end of a pipe: the errno of a failed exec, or end of file */
	bool executed;	/* has executed the command; before, its memory may be ours */
	int pidfd;	/* readable after the child ended; -1 before Linux 5.3 */
	void *stack;	/* of a child that shares our memory; NULL after its exec */
	size_t stack_size;
	/* Called for each stop that wait4() reports to a tracer. NULL: the child is not traced. */
	void (*stopped)(void *arg, uint32_t pid, int status);
	void *stopped_arg;
};

struct flt_child_setup {
	char **argv;		/* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *env;	/* "NAME=value", added to our environment; NULL: none */
	/*
	 * The child's signal mask; NULL: our current mask. Pass the mask that was in effect
	 * before flt_loop_signals().
	 */
	const sigset_t *mask;
	/*
	 * Called in the child after the release, before exec. Return 0 or -errno, which is
	 * treated like a failed exec. Clear FD_CLOEXEC of descriptors that the command inherits.
	 */
	int (*prepare)(void *arg);
	void *arg;
};

/* Fork a child that waits for flt_child_release(). Return 0 or -errno. */
int flt_child_fork(struct flt_child *child, const struct flt_child_setup *setup,
		   struct flt_errmsg *e);

/*
 * Release the child and wait for its exec. Return 0, or the -errno of a failed exec. After a
 * failed exec the child was reaped.
 */
int flt_child_release(struct flt_child *child);
/* Return the exit status for a failed exec: 126 or 127, as a shell does. */
int flt_child_exec_status(int err);

/* End and reap a child that was not released. */
void flt_child_cancel(struct flt_child *child);

/* Reap the child. usage covers it and the descendants it waited for. Return 0 or -errno. */
int flt_child_wait(struct flt_child *child, int *status, struct rusage *usage);
/* The same without blocking. Return -EAGAIN while the child runs. */
int flt_child_poll(struct flt_child *child, int *status, struct rusage *usage);

/*
 * Reap the processes whose parent ended: we are their subreaper. Leave the command, and those for
 * which spare() returns true, to others. spare may be NULL.
 */
void flt_child_reap_orphans(const struct flt_child *command,
			    bool (*spare)(const void *arg, uint32_t pid), const void *arg);

/* Convert a status of wait4() to an exit status: that of the child, or 128 + signal. */
int flt_child_exit_status(int status);

#endif
