// SPDX-License-Identifier: GPL-2.0-or-later
/* take.c - take the moments that the user asked for, while faults are recorded. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "capture/capture.h"
#include "cmd/rss/rss.h"
#include "observe/child.h"
#include "observe/loop.h"
#include "source/proc/machine.h"
#include "source/proc/procfs.h"
#include "text/clock.h"
#include "text/units.h"

#define POLL_NS (10 * FLT_NSEC_PER_MSEC)
/* Stop the processes for a new peak if this many pages and this share more seem resident. */
#define PEAK_PAGES 64
#define PEAK_SHARE 200
/*
 * Leave the processes alone this many times as long as the last look at them took. Processes with
 * many threads would not get on otherwise.
 */
#define PEAK_REST 9

/* A moment that the user asked for. */
struct due {
	struct rss_when when;
	uint64_t at;		/* next time, CLOCK_MONOTONIC ns; 0: none, or no further one */
	bool taken;
};

struct rss_taker {
	struct flt_run *run;
	struct flt_capture_watch watch;
	struct rss_moments moments;
	struct due dues[RSS_WHENS];
	size_t due_count;
	struct flt_loop_timer *timer;	/* at the next .at of dues */
	struct flt_loop *loop;
	const struct flt_child *command;	/* NULL: none */
	uint64_t page_size;
	uint64_t rests_until;	/* do not look for a peak before, CLOCK_MONOTONIC ns */
	bool exit_seen;		/* a process was held at its exit */
	bool not_watched;	/* cannot hold the process at its exit */
};

static struct due *due_of(struct rss_taker *t, enum rss_when_kind kind)
{
	size_t i;

	for (i = 0; i < t->due_count; i++)
		if (t->dues[i].when.kind == kind)
			return &t->dues[i];
	return NULL;
}

static void take_peak(struct rss_taker *t, struct due *due)
{
	const struct rss_moment *peak = rss_moments_peak(&t->moments);
	uint64_t resident;

	flt_family_clear(&t->moments.family);
	if (rss_moments_family(&t->moments))
		return;
	resident = rss_moments_resident(&t->moments);
	if (peak && resident <= peak->resident + PEAK_PAGES * t->page_size +
				peak->resident / PEAK_SHARE)
		return;
	if (rss_moments_take(&t->moments, RSS_PEAK))
		due->taken = true;
}

static void take_exit(struct rss_taker *t, struct due *due)
{
	if (rss_moments_take(&t->moments, RSS_EXIT))
		due->taken = true;
}

static int on_poll(void *arg)
{
	struct rss_taker *t = arg;
	struct due *peak = due_of(t, RSS_PEAK);
	uint64_t began, ended;

	flt_hold_poll(t->moments.hold);
	began = flt_clock_ns(CLOCK_MONOTONIC);
	if (!peak || began < t->rests_until)
		return 0;
	take_peak(t, peak);
	ended = flt_clock_ns(CLOCK_MONOTONIC);
	t->rests_until = ended + PEAK_REST * (ended - began);
	return 0;
}

/* Set the timer to the next moment. Return true if one is still to come. */
static bool await_next(struct rss_taker *t)
{
	uint64_t next = 0;
	bool waits = false;
	size_t i;

	for (i = 0; i < t->due_count; i++) {
		waits |= t->dues[i].at || t->dues[i].when.kind == RSS_PEAK ||
			 (t->dues[i].when.kind == RSS_EXIT && !t->exit_seen);
		if (t->dues[i].at && (!next || t->dues[i].at < next))
			next = t->dues[i].at;
	}
	flt_loop_timer_set(t->timer, next);
	return waits;
}

static int on_time(void *arg)
{
	struct rss_taker *t = arg;
	const uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	struct due *due;

	for (due = t->dues; due < t->dues + t->due_count; due++) {
		if (!due->at || due->at > now)
			continue;
		if (rss_moments_take(&t->moments, due->when.kind))
			due->taken = true;
		/* Periods that passed meanwhile are left out. */
		due->at = due->when.kind == RSS_AT ? 0 :
			  due->at + ((now - due->at) / due->when.ns + 1) * due->when.ns;
	}
	if (!await_next(t) && !t->moments.child)
		flt_loop_stop(t->loop);
	return 0;
}

static void on_exit_of(void *arg, uint32_t pid)
{
	struct rss_taker *t = arg;
	struct due *peak = due_of(t, RSS_PEAK), *end = due_of(t, RSS_EXIT);

	if (t->command && !t->command->executed)
		return;
	t->moments.exiting = pid;
	if (peak)
		take_peak(t, peak);
	if (end)
		take_exit(t, end);
	t->exit_seen = true;
	t->moments.exiting = 0;
	if (!await_next(t) && !t->moments.child)
		flt_loop_stop(t->loop);
}

static void on_stopped(void *arg, uint32_t pid, int status)
{
	struct rss_taker *t = arg;

	flt_hold_stopped(t->moments.hold, pid, status);
}

static int set_timers(struct rss_taker *t)
{
	struct due *due;
	int ret = flt_loop_every(t->loop, POLL_NS, on_poll, t);

	if (!ret)
		ret = flt_loop_timer(t->loop, &t->timer, on_time, t);
	if (ret)
		return ret;
	for (due = t->dues; due < t->dues + t->due_count; due++)
		if (due->when.kind == RSS_AT || due->when.kind == RSS_EVERY)
			due->at = t->moments.began + due->when.ns;
	await_next(t);
	return 0;
}

static int begin(void *arg, struct flt_loop *loop, struct flt_child *child, struct flt_errmsg *e)
{
	struct rss_taker *t = arg;
	const bool wait = due_of(t, RSS_EXIT) || due_of(t, RSS_PEAK);
	uint32_t pid;
	int ret;

	t->loop = loop;
	t->command = child;
	t->moments.child = child ? (uint32_t)child->pid : 0;
	t->moments.began = flt_clock_ns(CLOCK_MONOTONIC);
	pid = child ? t->moments.child : t->moments.targets->id[0];
	ret = flt_hold_new(&t->moments.hold, t->moments.child, on_exit_of, t);
	if (ret)
		return ret;
	if (child) {
		child->stopped = on_stopped;
		child->stopped_arg = t;
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	}
	if (wait && flt_hold_watch(t->moments.hold, pid)) {
		if (child)
			return flt_errmsg_set(e, -EPERM, "cannot hold the command at its exit: "
					      "ptrace is not allowed (use --at=TIME)");
		t->not_watched = true;
	}
	return set_timers(t);
}

static bool is_held(const void *hold, uint32_t pid)
{
	return flt_hold_has(hold, pid);
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct rss_taker *t = arg;

	if (info->ssi_signo != SIGCHLD || !t->moments.hold)
		return 0;
	flt_hold_poll(t->moments.hold);
	if (t->command)
		flt_child_reap_orphans(t->command, is_held, t->moments.hold);
	return 0;
}

/* Without an exit, the end of the recording is the last moment. */
static void end(void *arg)
{
	struct rss_taker *t = arg;
	struct due *due = due_of(t, RSS_EXIT);

	if (t->moments.hold && !t->exit_seen && due)
		take_exit(t, due);
	flt_hold_free(t->moments.hold);
	t->moments.hold = NULL;
}

int rss_taker_new(struct rss_taker **out, struct flt_run *run, const struct flt_ids *pids,
		  const struct rss_whens *whens)
{
	const struct rss_args *args = run->args;
	struct rss_taker *t = calloc(1, sizeof(*t));
	size_t i;

	*out = t;
	if (!t)
		return -ENOMEM;
	if (rss_moments_init(&t->moments, pids, args->memory))
		return -ENOMEM;
	t->run = run;
	t->due_count = whens->count;
	for (i = 0; i < whens->count; i++)
		t->dues[i].when = whens->all[i];
	t->page_size = flt_machine_page();
	t->watch = (struct flt_capture_watch){
		.begin = begin, .signal = on_signal, .end = end, .arg = t,
	};
	return 0;
}

struct rss_moment *rss_taker_moments(struct rss_taker *t, size_t *count)
{
	/* A peak takes the place of an earlier one. */
	rss_moments_sort(&t->moments);
	*count = t->moments.count;
	return t->moments.all;
}

const struct flt_capture_watch *rss_taker_watch(struct rss_taker *t)
{
	return &t->watch;
}

void rss_taker_free(struct rss_taker *t)
{
	if (!t)
		return;
	rss_moments_free(&t->moments);
	free(t);
}

static bool moment_verdict(const struct flt_command *command, const struct rss_moment *m)
{
	const uint64_t doubt = m->doubt.zero + m->doubt.swap;

	if (m->beyond)
		flt_command_say(command, "%s: the memory for pages is full: %" PRIu64 " pages are "
				"in the row unknown (use a larger --memory)", m->label, m->beyond);
	if (m->doubt.changed || m->doubt.shared)
		flt_command_say(command, "%s: the memory changed while it was read: %s", m->label,
				m->running ? "a thread could not be stopped" :
				"pages are shared with processes that run");
	if (doubt)
		flt_command_say(command, "%s: %" PRIu64 " pages are in the row unknown, because "
				"pagemap does not tell them apart", m->label, doubt);
	if (m->doubt.huge)
		flt_command_say(command, "%s: %" PRIu64 " pages of huge pages are not told apart "
				"(run as root, or use Linux 6.7 or later)", m->label,
				m->doubt.huge);
	return m->beyond || m->doubt.changed || m->doubt.shared || doubt || m->doubt.huge;
}

/* Say which moment is missing, and why. */
static void missing_say(const struct rss_taker *t, const struct rss_when *when)
{
	const struct flt_command *command = t->run->command;
	char time[FLT_UNITS_TEXT];

	flt_units_write_ns(time, when->ns);
	if (when->kind == RSS_EXIT && t->not_watched)
		flt_command_say(command, "cannot take the memory at the exit: another process "
				"traces PID %" PRIu32 " (use --at=TIME)",
				t->moments.targets->id[0]);
	else if (when->kind == RSS_EXIT || when->kind == RSS_PEAK)
		flt_command_say(command, "cannot take the memory at the %s: the processes ended "
				"before", when->kind == RSS_EXIT ? "exit" : "peak");
	else
		flt_command_say(command, "cannot take the memory %s %s: the processes ended before "
				"(use --at=exit or --at=peak)",
				when->kind == RSS_AT ? "after" : "every", time);
}

int rss_taker_verdict(struct rss_taker *t)
{
	const struct flt_command *command = t->run->command;
	bool incomplete = t->moments.err || t->moments.too_many;
	size_t i;

	if (t->moments.err)
		flt_command_say(command, "%s", t->moments.e.text);
	if (t->moments.too_many)
		flt_command_say(command, "only the first %d moments were taken", RSS_MOMENTS_MAX);
	for (i = 0; !incomplete && i < t->due_count; i++) {
		if (t->dues[i].taken)
			continue;
		missing_say(t, &t->dues[i].when);
		incomplete = true;
	}
	for (i = 0; i < t->moments.count; i++)
		incomplete |= moment_verdict(command, &t->moments.all[i]);
	return incomplete ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}
