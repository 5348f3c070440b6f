// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct watch {
	flt_loop_fd_fn fn;
	void *arg;
};

struct flt_loop_timer {
	int fd;
	flt_loop_timer_fn fn;
	void *arg;
	struct flt_loop_timer *next;
};

struct flt_loop {
	struct pollfd polled[FLT_LOOP_FDS_MAX];
	struct watch watches[FLT_LOOP_FDS_MAX];
	nfds_t count;
	bool stopped;

	int signal_fd;
	sigset_t taken;
	sigset_t before;
	flt_loop_signal_fn signal_fn;
	void *signal_arg;

	struct flt_loop_timer *timers;
};

int flt_loop_new(struct flt_loop **loop)
{
	struct flt_loop *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->signal_fd = -1;
	*loop = l;
	return 0;
}

void flt_loop_free(struct flt_loop *l)
{
	struct flt_loop_timer *timer;
	const struct timespec now = { 0, 0 };

	if (!l)
		return;
	while ((timer = l->timers)) {
		l->timers = timer->next;
		close(timer->fd);
		free(timer);
	}
	if (l->signal_fd >= 0) {
		close(l->signal_fd);
		/* Drop signals that arrived after the loop ended, such as a second Ctrl-C. */
		while (sigtimedwait(&l->taken, NULL, &now) > 0)
			;
		sigprocmask(SIG_SETMASK, &l->before, NULL);
	}
	free(l);
}

int flt_loop_add(struct flt_loop *l, int fd, short events, flt_loop_fd_fn fn, void *arg)
{
	if (l->count == FLT_LOOP_FDS_MAX)
		return -ENOSPC;
	l->polled[l->count] = (struct pollfd){ .fd = fd, .events = events };
	l->watches[l->count] = (struct watch){ .fn = fn, .arg = arg };
	l->count++;
	return 0;
}

void flt_loop_remove(struct flt_loop *l, int fd)
{
	nfds_t i;

	for (i = 0; i < l->count; i++) {
		if (l->polled[i].fd != fd)
			continue;
		l->count--;
		l->polled[i] = l->polled[l->count];
		l->watches[i] = l->watches[l->count];
		return;
	}
}

static int on_signal(void *arg, int fd, short events)
{
	struct flt_loop *l = arg;
	struct signalfd_siginfo info;
	ssize_t n;

	(void)events;
	n = read(fd, &info, sizeof(info));
	if (n != (ssize_t)sizeof(info))
		return n < 0 && errno != EINTR && errno != EAGAIN ? -errno : 0;
	return l->signal_fn(l->signal_arg, &info);
}

int flt_loop_signals(struct flt_loop *l, const sigset_t *signals, sigset_t *before,
		     flt_loop_signal_fn fn, void *arg)
{
	int ret;

	if (l->signal_fd >= 0)
		return -EBUSY;
	l->signal_fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signal_fd < 0)
		return -errno;
	ret = flt_loop_add(l, l->signal_fd, POLLIN, on_signal, l);
	if (ret) {
		close(l->signal_fd);
		l->signal_fd = -1;
		return ret;
	}
	l->taken = *signals;
	l->signal_fn = fn;
	l->signal_arg = arg;
	sigprocmask(SIG_BLOCK, signals, &l->before);
	if (before)
		*before = l->before;
	return 0;
}

static int on_timer(void *arg, int fd, short events)
{
	struct flt_loop_timer *timer = arg;
	uint64_t expired;
	ssize_t n;

	(void)events;
	n = read(fd, &expired, sizeof(expired));
	if (n != (ssize_t)sizeof(expired))
		return n < 0 && errno != EINTR && errno != EAGAIN ? -errno : 0;
	return timer->fn(timer->arg);
}

int flt_loop_timer(struct flt_loop *l, struct flt_loop_timer **out, flt_loop_timer_fn fn,
		   void *arg)
{
	struct flt_loop_timer *timer = calloc(1, sizeof(*timer));
	int ret;

	if (!timer)
		return -ENOMEM;
	timer->fn = fn;
	timer->arg = arg;
	timer->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer->fd < 0) {
		ret = -errno;
		goto err_timer;
	}
	ret = flt_loop_add(l, timer->fd, POLLIN, on_timer, timer);
	if (ret)
		goto err_fd;
	timer->next = l->timers;
	l->timers = timer;
	*out = timer;
	return 0;

err_fd:
	close(timer->fd);
err_timer:
	free(timer);
	return ret;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				  .tv_nsec = (long)(ns % 1000000000) };
}

void flt_loop_timer_set(struct flt_loop_timer *timer, uint64_t at_ns)
{
	const struct itimerspec spec = { .it_value = timespec_of(at_ns) };

	timerfd_settime(timer->fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

int flt_loop_every(struct flt_loop *l, uint64_t period_ns, flt_loop_timer_fn fn, void *arg)
{
	const struct timespec period = timespec_of(period_ns);
	const struct itimerspec spec = { .it_interval = period, .it_value = period };
	struct flt_loop_timer *timer;
	int ret = flt_loop_timer(l, &timer, fn, arg);

	/* The loop frees the timer. */
	return ret || !timerfd_settime(timer->fd, 0, &spec, NULL) ? ret : -errno;
}

void flt_loop_stop(struct flt_loop *l)
{
	l->stopped = true;
}

static int dispatch(struct flt_loop *l)
{
	struct pollfd ready[FLT_LOOP_FDS_MAX];
	struct watch watches[FLT_LOOP_FDS_MAX];
	nfds_t count = l->count, i, k;
	int ret;

	/* Callbacks may add and remove descriptors: walk a copy, and skip removed ones. */
	memcpy(ready, l->polled, count * sizeof(*ready));
	memcpy(watches, l->watches, count * sizeof(*watches));
	for (i = 0; i < count && !l->stopped; i++) {
		if (!ready[i].revents)
			continue;
		for (k = 0; k < l->count; k++)
			if (l->polled[k].fd == ready[i].fd && l->watches[k].arg == watches[i].arg)
				break;
		if (k == l->count)
			continue;
		ret = watches[i].fn(watches[i].arg, ready[i].fd, ready[i].revents);
		if (ret)
			return ret;
	}
	return 0;
}

int flt_loop_run(struct flt_loop *l)
{
	int ret;

	while (!l->stopped) {
		if (poll(l->polled, l->count, -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		ret = dispatch(l);
		if (ret)
			return ret;
	}
	return 0;
}
