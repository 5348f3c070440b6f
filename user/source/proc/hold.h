/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hold.h - stop processes for a moment, and hold a process at its exit, by ptrace.
 *
 * ptrace is used because the kernel lets all threads go if the tracer ends, however it ends. A
 * signal or a frozen cgroup would leave them stopped. A stopped thread goes on as after a stop by
 * a debugger: some system calls, such as epoll_wait(), return EINTR. The caller takes SIGCHLD and
 * then calls flt_hold_poll().
 */
#ifndef FLT_SOURCE_HOLD_H
#define FLT_SOURCE_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct flt_hold;

/*
 * Called while a watched process is held at its exit: its threads run no more user code, and its
 * memory is complete. The process ends after the call.
 */
typedef void (*flt_hold_exit_fn)(void *arg, uint32_t pid);

/* child: a process that the caller reaps itself, or 0. */
int flt_hold_new(struct flt_hold **hold, uint32_t child, flt_hold_exit_fn fn, void *arg);
/* Let all threads go, and free. */
void flt_hold_free(struct flt_hold *hold);

/* Hold the process at its exit. -EPERM: not allowed, or traced by another; -ESRCH. */
int flt_hold_watch(struct flt_hold *hold, uint32_t pid);

/*
 * Stop all threads of a process until flt_hold_release(). Return 0, -EBUSY if a thread does not
 * stop within a second (it sleeps in the kernel; it is let go when it stops), -EPERM or -ESRCH.
 * The threads that could be stopped are stopped in any case.
 */
int flt_hold_stop(struct flt_hold *hold, uint32_t pid);
/* Let the threads of all processes go. */
void flt_hold_release(struct flt_hold *hold);

/* Return true if a thread is stopped or watched, so that only flt_hold_poll() may reap it. */
bool flt_hold_has(const struct flt_hold *hold, uint32_t tid);
/* Handle the stops of watched processes and of late threads. */
void flt_hold_poll(struct flt_hold *hold);
/* Handle a status of wait4() for a stop (WIFSTOPPED) of a watched process. */
void flt_hold_stopped(struct flt_hold *hold, uint32_t pid, int status);

#endif
