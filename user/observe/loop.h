/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - an event loop for descriptors, signals and timers.
 *
 * Signals are read from a signalfd in the same poll set as the data, so no signal handler
 * interrupts the program. A callback returns 0, or -errno to end flt_loop_run() with it.
 */
#ifndef FLT_LOOP_H
#define FLT_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/signalfd.h>

#define FLT_LOOP_FDS_MAX 64

struct flt_loop;

typedef int (*flt_loop_fd_fn)(void *arg, int fd, short events);
typedef int (*flt_loop_signal_fn)(void *arg, const struct signalfd_siginfo *info);
typedef int (*flt_loop_timer_fn)(void *arg);

int flt_loop_new(struct flt_loop **loop);
/* Free the loop, drop pending signals and restore the signal mask. */
void flt_loop_free(struct flt_loop *loop);

/*
 * Call fn() when fd has one of the poll events. The caller owns fd and must remove it before
 * closing it. Return 0, or -ENOSPC if FLT_LOOP_FDS_MAX descriptors are polled.
 */
int flt_loop_add(struct flt_loop *loop, int fd, short events, flt_loop_fd_fn fn, void *arg);
void flt_loop_remove(struct flt_loop *loop, int fd);

/*
 * Block these signals in the whole process until flt_loop_free(), and call fn() for each.
 * *before receives the previous mask, for a child, unless before is NULL.
 */
int flt_loop_signals(struct flt_loop *loop, const sigset_t *signals, sigset_t *before,
		     flt_loop_signal_fn fn, void *arg);

/* Call fn() every period. The first call comes one period from now. Return 0 or -errno. */
int flt_loop_every(struct flt_loop *loop, uint64_t period_ns, flt_loop_timer_fn fn, void *arg);

/* A timer that calls fn() once at each time that is set. */
struct flt_loop_timer;

/* Make a timer that is off. The loop frees it. Return 0 or -errno. */
int flt_loop_timer(struct flt_loop *loop, struct flt_loop_timer **timer, flt_loop_timer_fn fn,
		   void *arg);
/* Call fn() once, at a time of CLOCK_MONOTONIC in ns, or soon if that has passed. 0: not at all. */
void flt_loop_timer_set(struct flt_loop_timer *timer, uint64_t at_ns);

/*
 * Run until flt_loop_stop() or a failing callback; return 0 or its -errno. Return at once
 * if flt_loop_stop() was called before.
 */
int flt_loop_run(struct flt_loop *loop);
void flt_loop_stop(struct flt_loop *loop);

#endif
