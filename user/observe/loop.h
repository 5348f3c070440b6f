/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop.h - one wait for everything: descriptors, signals, time.
 *
 * Signals come through a signalfd in the same poll set as the data, so no
 * handler runs in the middle of anything. A callback returns 0 to go on or
 * -errno to end flt_loop_run() with it.
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
/* Gives the signals back: what is pending is delivered the usual way, or dropped. */
void flt_loop_free(struct flt_loop *loop);

/* fd stays the caller's; remove it before it is closed. -ENOSPC past the bound. */
int flt_loop_add(struct flt_loop *loop, int fd, short events, flt_loop_fd_fn fn, void *arg);
void flt_loop_remove(struct flt_loop *loop, int fd);

/*
 * Takes these signals for the whole process, until flt_loop_free(). before, if
 * not NULL, receives the mask as it was: what a child is to be given.
 */
int flt_loop_signals(struct flt_loop *loop, const sigset_t *signals, sigset_t *before,
		     flt_loop_signal_fn fn, void *arg);

/* The first call comes one period from now. */
int flt_loop_every(struct flt_loop *loop, uint64_t period_ns, flt_loop_timer_fn fn, void *arg);

/*
 * Run until flt_loop_stop() or a failing callback; return 0 or its -errno. Return at once
 * if flt_loop_stop() was called before.
 */
int flt_loop_run(struct flt_loop *loop);
void flt_loop_stop(struct flt_loop *loop);

#endif
