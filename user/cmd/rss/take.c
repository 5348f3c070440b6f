// SPDX-License-Identifier: GPL-2.0-or-later
/* take.c - take the moments while faults are recorded. */
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
#include "source/proc/hold.h"
#include "source/proc/procfs.h"
#include "text/clock.h"
#include "text/units.h"

#define POLL_NS (10 * FLT_NSEC_PER_MSEC)
/* A moment replaces the peak if it has this many pages and this share more. */
#define PEAK_PAGES 64
#define PEAK_SHARE 200

struct timer {
	struct rss_taker *taker;
	struct rss_when when;
	bool done;
};

struct rss_taker {
	struct flt_run *run;
	const struct rss_args *args;
	const struct rss_whens *whens;
	struct flt_capture_watch watch;
	const struct flt_ids *targets;
	struct timer timers[RSS_WHENS];
	struct flt_hold *hold;
	struct flt_loop *loop;
	const struct flt_child *command;	/* NULL: none */
	uint32_t child;		/* PID of the command; 0: none */
	uint64_t began;
	uint32_t exiting;	/* PID of the process that is held at its exit, or 0 */
	bool exited;		/* the moment of the exit was taken */
	struct rss_moment *moments;
	size_t count;
	struct rss_moment *now;	/* being taken */
	uint64_t pages_left;	/* of --memory */
	uint64_t page_size;
	uint64_t peak;		/* resident pages seen at most */
	uint32_t *pids;		/* of the moment that is being taken */
	size_t pid_count, pid_room;
	bool too_many;		/* moments */
	bool not_watched;	/* cannot hold the process at its exit */
	struct flt_errmsg e;	/* the first failure */
	int err;
};

static void fail(struct rss_taker *t, int err, const char *what)
{
	if (t->err)
		return;
	t->err = err;
	if (!t->e.text[0])
		flt_errmsg_errno(&t->e, err, "%s", what);
}

/* ---- the processes ---- */

static int pid_add(void *arg, uint32_t pid)
{
	struct rss_taker *t = arg;
	size_t room = t->pid_room ? t->pid_room * 2 : 64, i;
	uint32_t *more;

	for (i = 0; i < t->pid_count; i++)
		if (t->pids[i] == pid)
			return 0;
	if (t->pid_count == t->pid_room) {
		more = reallocarray(t->pids, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		t->pids = more;
		t->pid_room = room;
	}
	t->pids[t->pid_count++] = pid;
	return 0;
}

/* List the processes of the command, of -p or of --cgroup, and their descendants. */
static int pids_list(struct rss_taker *t)
{
	size_t i;
	int ret = 0;

	if (t->child) {
		/* Orphans are our children, because we are a subreaper. */
		ret = flt_procfs_children((uint32_t)getpid(), pid_add, t);
		if (ret == -EOPNOTSUPP)
			ret = pid_add(t, t->child);
	}
	for (i = 0; !ret && i < t->targets->count; i++)
		ret = pid_add(t, t->targets->id[i]);
	for (i = 0; !ret && i < t->pid_count; i++) {
		ret = flt_procfs_children(t->pids[i], pid_add, t);
		if (ret == -EOPNOTSUPP || ret == -ESRCH)
			ret = 0;
	}
	return ret;
}

/* ---- one moment ---- */

static int stop_all(struct rss_taker *t)
{
	size_t done = 0;
	int ret;

	/* A process that was not stopped yet may fork. */
	t->pid_count = 0;
	do {
		ret = pids_list(t);
		for (; !ret && done < t->pid_count; done++) {
			if (t->pids[done] == t->exiting)
				continue;
			ret = flt_hold_stop(t->hold, t->pids[done]);
			if (ret == -ENOMEM)
				return ret;
			/* Traced by another, or asleep in the kernel: reading twice will tell. */
			if (ret && ret != -ESRCH)
				t->now->running = true;
			ret = 0;
		}
		if (!ret)
			ret = pids_list(t);
	} while (!ret && done < t->pid_count);
	return ret;
}

static void drop(struct rss_taker *t, struct rss_moment *m)
{
	size_t i;

	for (i = 0; i < m->moment.count; i++)
		t->pages_left += m->moment.processes[i].pages.count;
	flt_moment_free(&m->moment);
}

static struct rss_moment *slot_of(struct rss_taker *t, enum rss_when_kind kind)
{
	size_t i;

	for (i = 0; kind == RSS_PEAK && i < t->count; i++)
		if (t->moments[i].kind == RSS_PEAK)
			return &t->moments[i];
	if (t->count == RSS_MOMENTS_MAX) {
		t->too_many = true;
		return NULL;
	}
	return &t->moments[t->count++];
}

/* Take a moment. A peak replaces the earlier one. */
static void take(struct rss_taker *t, enum rss_when_kind kind)
{
	struct rss_moment *m = slot_of(t, kind);
	char text[FLT_UNITS_TEXT];
	int ret;

	if (!m)
		return;
	drop(t, m);
	*m = (struct rss_moment){ .kind = kind };
	t->now = m;
	ret = stop_all(t);
	m->moment.time = flt_clock_ns(CLOCK_MONOTONIC);
	m->since = m->moment.time - t->began;
	if (!ret)
		ret = rss_moment_read(m, t->pids, t->pid_count, &t->pages_left, &t->e);
	flt_hold_release(t->hold);
	snprintf(m->label, sizeof(m->label), "%s", kind == RSS_PEAK ? "peak" :
		 kind == RSS_EXIT ? "exit" : flt_units_write_ns(text, m->since));
	if (ret)
		fail(t, ret, "cannot take the memory of the processes");
	/* Nothing was there: not a moment. */
	if (ret || !m->moment.count) {
		drop(t, m);
		*m = t->moments[--t->count];
		t->moments[t->count] = (struct rss_moment){ 0 };
	}
}

/* ---- when ---- */

static void take_peak(struct rss_taker *t)
{
	uint64_t sum = 0, rss, read;
	size_t i;

	t->pid_count = 0;
	if (pids_list(t))
		return;
	for (i = 0; i < t->pid_count; i++)
		if (!flt_procfs_memory(t->pids[i], 0, &rss, &read))
			sum += rss / t->page_size;
	if (sum <= t->peak + PEAK_PAGES + t->peak / PEAK_SHARE)
		return;
	t->peak = sum;
	take(t, RSS_PEAK);
}

static int on_poll(void *arg)
{
	struct rss_taker *t = arg;

	flt_hold_poll(t->hold);
	if (rss_whens_have(t->whens, RSS_PEAK))
		take_peak(t);
	return 0;
}

/* Return true if a moment is still to come. */
static bool awaits(const struct rss_taker *t)
{
	size_t i;

	for (i = 0; i < t->whens->count; i++)
		if (!t->timers[i].done)
			return true;
	return false;
}

static int on_time(void *arg)
{
	struct timer *timer = arg;
	struct rss_taker *t = timer->taker;

	if (timer->done)
		return 0;
	take(t, timer->when.kind);
	timer->done = timer->when.kind == RSS_AT;
	if (!t->child && !awaits(t))
		flt_loop_stop(t->loop);
	return 0;
}

static void on_exit_of(void *arg, uint32_t pid)
{
	struct rss_taker *t = arg;

	if (t->command && !t->command->executed)
		return;
	t->exiting = pid;
	if (rss_whens_have(t->whens, RSS_PEAK))
		take_peak(t);
	if (rss_whens_have(t->whens, RSS_EXIT))
		take(t, RSS_EXIT);
	t->exited = true;
	t->exiting = 0;
}

static void on_stopped(void *arg, uint32_t pid, int status)
{
	struct rss_taker *t = arg;

	flt_hold_stopped(t->hold, pid, status);
}

static int set_timers(struct rss_taker *t)
{
	size_t i;
	int ret = flt_loop_every(t->loop, POLL_NS, on_poll, t);

	for (i = 0; !ret && i < t->whens->count; i++) {
		t->timers[i] = (struct timer){ .taker = t, .when = t->whens->all[i] };
		if (t->timers[i].when.kind == RSS_AT && !t->timers[i].when.ns)
			t->timers[i].when.ns = 1;
		if (t->timers[i].when.ns)
			ret = flt_loop_every(t->loop, t->timers[i].when.ns, on_time, &t->timers[i]);
	}
	return ret;
}

static int begin(void *arg, struct flt_loop *loop, struct flt_child *child, struct flt_errmsg *e)
{
	struct rss_taker *t = arg;
	const bool wait = rss_whens_have(t->whens, RSS_EXIT) || rss_whens_have(t->whens, RSS_PEAK);
	uint32_t pid;
	int ret;

	t->loop = loop;
	t->command = child;
	t->child = child ? (uint32_t)child->pid : 0;
	t->began = flt_clock_ns(CLOCK_MONOTONIC);
	pid = child ? t->child : t->targets->id[0];
	ret = flt_hold_new(&t->hold, t->child, on_exit_of, t);
	if (ret)
		return ret;
	if (child) {
		child->stopped = on_stopped;
		child->stopped_arg = t;
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	}
	if (wait && flt_hold_watch(t->hold, pid)) {
		if (child)
			return flt_errmsg_set(e, -EPERM, "cannot hold the command at its exit: "
					      "ptrace is not allowed (use --at=TIME)");
		t->not_watched = true;
	}
	return set_timers(t);
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct rss_taker *t = arg;

	if (info->ssi_signo == SIGCHLD && t->hold)
		flt_hold_poll(t->hold);
	return 0;
}

/* Without an exit, the end of the recording is the last moment. */
static void end(void *arg)
{
	struct rss_taker *t = arg;

	if (t->hold && !t->exited && rss_whens_have(t->whens, RSS_EXIT))
		take(t, RSS_EXIT);
	flt_hold_free(t->hold);
	t->hold = NULL;
}

int rss_taker_new(struct rss_taker **out, struct flt_run *run, const struct flt_ids *pids,
		  const struct rss_whens *whens)
{
	struct rss_taker *t = calloc(1, sizeof(*t));

	*out = t;
	if (!t)
		return -ENOMEM;
	t->moments = calloc(RSS_MOMENTS_MAX, sizeof(*t->moments));
	if (!t->moments)
		return -ENOMEM;
	t->run = run;
	t->args = run->args;
	t->targets = pids;
	t->whens = whens;
	t->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	t->pages_left = t->args->memory / FLT_RESIDENT_PAGE_BYTES;
	t->watch = (struct flt_capture_watch){
		.begin = begin, .signal = on_signal, .end = end, .arg = t,
	};
	return 0;
}

struct rss_moment *rss_taker_moments(struct rss_taker *t, size_t *count)
{
	*count = t->count;
	return t->moments;
}

const struct flt_capture_watch *rss_taker_watch(struct rss_taker *t)
{
	return &t->watch;
}

void rss_taker_free(struct rss_taker *t)
{
	size_t i;

	if (!t)
		return;
	flt_hold_free(t->hold);
	for (i = 0; t->moments && i < t->count; i++)
		flt_moment_free(&t->moments[i].moment);
	free(t->moments);
	free(t->pids);
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

int rss_taker_verdict(struct rss_taker *t)
{
	const struct flt_command *command = t->run->command;
	bool incomplete = t->err || t->too_many;
	size_t i;

	if (t->err)
		flt_command_say(command, "%s", t->e.text);
	if (t->too_many)
		flt_command_say(command, "only the first %d moments were taken", RSS_MOMENTS_MAX);
	for (i = 0; i < t->count; i++)
		incomplete |= moment_verdict(command, &t->moments[i]);
	return incomplete ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}
