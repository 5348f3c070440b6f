// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/hold.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "source/proc/procfs.h"

#define STOP_STEP_NS 100000
#define STOP_STEPS 10000

struct held {
	pid_t tid, pid;	/* pid: of its process, if it is watched */
	bool watched;	/* at its exit, too: keep tracing it */
	bool asked;	/* to stop, and has not stopped yet */
	bool stopped;
	bool exits;	/* is at its exit, and fn() was not called */
	bool busy;	/* fn() runs */
	bool listens;	/* was stopped by a signal before */
	int signal;	/* to deliver when it goes on */
};

struct flt_hold {
	flt_hold_exit_fn fn;
	void *arg;
	pid_t child;	/* reaped by another */
	struct held *all;
	size_t count, room;
};

int flt_hold_new(struct flt_hold **out, uint32_t child, flt_hold_exit_fn fn, void *arg)
{
	struct flt_hold *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->fn = fn;
	h->arg = arg;
	h->child = (pid_t)child;
	*out = h;
	return 0;
}

static struct held *find(struct flt_hold *h, pid_t tid)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		if (h->all[i].tid == tid)
			return &h->all[i];
	return NULL;
}

bool flt_hold_has(const struct flt_hold *h, uint32_t tid)
{
	size_t i;

	for (i = 0; i < h->count; i++)
		if (h->all[i].tid == (pid_t)tid)
			return true;
	return false;
}

static void forget(struct flt_hold *h, struct held *t)
{
	*t = h->all[--h->count];
}

static int room_for_one(struct flt_hold *h)
{
	size_t room = h->room ? h->room * 2 : 64;
	struct held *more;

	if (h->count < h->room)
		return 0;
	more = reallocarray(h->all, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	h->all = more;
	h->room = room;
	return 0;
}

static int add(struct flt_hold *h, pid_t tid, long options, struct held **out)
{
	if (room_for_one(h))
		return -ENOMEM;
	if (ptrace(PTRACE_SEIZE, tid, NULL, options))
		return -errno;
	*out = &h->all[h->count++];
	**out = (struct held){ .tid = tid };
	return 0;
}

int flt_hold_watch(struct flt_hold *h, uint32_t pid)
{
	struct held *t;
	int err = add(h, (pid_t)pid, PTRACE_O_TRACEEXIT, &t);

	if (!err) {
		t->watched = true;
		t->pid = (pid_t)pid;
	}
	return err;
}

/* Note why a thread stopped. */
static void note(struct held *t, int status)
{
	const int event = status >> 16, signal = WSTOPSIG(status);

	t->stopped = true;
	t->asked = false;
	if (event == PTRACE_EVENT_EXIT)
		t->exits = true;
	else if (event == PTRACE_EVENT_STOP)
		t->listens = signal != SIGTRAP;
	else if (!event)
		t->signal = signal;
}

/* Let a stopped thread go on. */
static void go(struct flt_hold *h, struct held *t)
{
	const long signal = t->signal;
	const pid_t tid = t->tid;
	const bool listens = t->listens;

	if (!t->watched || t->exits) {
		forget(h, t);
		ptrace(PTRACE_DETACH, tid, NULL, signal);
		return;
	}
	t->stopped = t->listens = false;
	t->signal = 0;
	if (listens)
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	else
		ptrace(PTRACE_CONT, tid, NULL, signal);
}

/*
 * Ask without blocking whether a thread stopped. Forget a thread that ended. Only the tracer can
 * reap it, except the command, whose status belongs to observe/child.h.
 */
static bool wait_one(struct flt_hold *h, struct held *t, int *status)
{
	const int ends = t->tid == h->child ? 0 : WEXITED;
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)t->tid, &info, WSTOPPED | ends | WNOHANG | __WALL)) {
		/* After an exec, the thread has the number of its process. */
		if (t->watched && t->tid != t->pid)
			t->tid = t->pid;
		else
			forget(h, t);
		return false;
	}
	if (!info.si_pid)
		return false;
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) {
		forget(h, t);
		return false;
	}
	/* The low byte is the signal, the next one the event of ptrace. */
	*status = info.si_status << 8 | 0x7f;
	return true;
}

/* Ask a thread to stop. */
static void ask(struct held *t)
{
	ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	t->asked = true;
}

/* Wait until the threads that were asked have stopped. Return how many have not. */
static size_t await(struct flt_hold *h)
{
	const struct timespec step = { .tv_nsec = STOP_STEP_NS };
	size_t i, left = 0;
	int status, k;

	for (k = 0; k < STOP_STEPS; k++) {
		left = 0;
		for (i = h->count; i-- > 0;) {
			if (!h->all[i].asked)
				continue;
			if (wait_one(h, &h->all[i], &status))
				note(&h->all[i], status);
			else if (i < h->count && h->all[i].asked)
				left++;
		}
		if (!left)
			break;
		nanosleep(&step, NULL);
	}
	return left;
}

struct search {
	struct flt_hold *hold;
	pid_t pid, tid;
};

/*
 * Return true if a thread, which is traced now, runs on. Between the moment when a thread takes its
 * SIGKILL and the moment when it is marked as exiting, /proc does not tell that it ends. But such a
 * thread stops only at its exit, or not at all. One that sleeps in the kernel runs on.
 */
static bool runs_on(struct flt_hold *h, pid_t tid)
{
	const struct held *t;

	ask(find(h, tid));
	await(h);
	t = find(h, tid);
	return t && !t->exits;
}

/* Watch a thread that survives. Return 1 to end the search. */
static int watch_survivor(void *arg, uint32_t id)
{
	const struct search *s = arg;
	const pid_t tid = (pid_t)id;
	struct held *t;
	bool survives;

	if (tid == s->tid || find(s->hold, tid) ||
	    !flt_procfs_survives((uint32_t)s->pid, id) ||
	    add(s->hold, tid, PTRACE_O_TRACEEXIT, &t))
		return 0;
	survives = runs_on(s->hold, tid);
	t = find(s->hold, tid);
	if (survives) {
		t->watched = true;
		t->pid = s->pid;
	}
	if (t && t->stopped)
		go(s->hold, t);
	return survives;
}

/*
 * The process ends with its last thread. If the watched one is not the last, watch another one,
 * and return true.
 */
static bool hand_on(struct flt_hold *h, const struct held *t)
{
	struct search s = { h, t->pid, t->tid };

	return flt_procfs_each((uint32_t)t->pid, watch_survivor, &s) == 1;
}

/* A watched thread is at its exit. */
static void ending(struct flt_hold *h, pid_t tid)
{
	struct held *t = find(h, tid);
	const uint32_t pid = (uint32_t)t->pid;

	if (!t->watched || hand_on(h, t))
		return;
	find(h, tid)->busy = true;
	h->fn(h->arg, pid);
	find(h, tid)->busy = false;
}

static bool adopt(struct flt_hold *h, pid_t tid, struct held **out)
{
	if (room_for_one(h))
		return false;
	*out = &h->all[h->count++];
	**out = (struct held){ .tid = tid, .pid = tid, .watched = true };
	return true;
}

void flt_hold_stopped(struct flt_hold *h, uint32_t pid, int status)
{
	struct held *t = find(h, (pid_t)pid);

	/* Another thread called exec, and has the number of the first one now. */
	if (!t && !adopt(h, (pid_t)pid, &t))
		return;
	note(t, status);
	if (t->exits)
		ending(h, (pid_t)pid);
	t = find(h, (pid_t)pid);
	if (t)
		go(h, t);
}

void flt_hold_poll(struct flt_hold *h)
{
	size_t i;
	int status;

	for (i = h->count; i-- > 0;) {
		if (i >= h->count || h->all[i].stopped)
			continue;
		if (wait_one(h, &h->all[i], &status))
			flt_hold_stopped(h, (uint32_t)h->all[i].tid, status);
	}
}

struct stopping {
	struct flt_hold *hold;
	size_t asked;
	int err;
};

static int stop_thread(void *arg, uint32_t tid)
{
	struct stopping *s = arg;
	struct held *t = find(s->hold, (pid_t)tid);
	int err = 0;

	if (t && (t->stopped || t->asked))
		return 0;
	if (!t)
		err = add(s->hold, (pid_t)tid, 0, &t);
	if (err == -ESRCH)
		return 0;
	if (err) {
		s->err = err;
		return err == -ENOMEM ? err : 0;
	}
	ask(t);
	s->asked++;
	return 0;
}

int flt_hold_stop(struct flt_hold *h, uint32_t pid)
{
	struct stopping s = { .hold = h };
	int err;

	/* A thread that runs can start another one, so repeat until all have stopped. */
	do {
		s.asked = 0;
		err = flt_procfs_each(pid, stop_thread, &s);
		if (!err && s.asked && await(h))
			return -EBUSY;
	} while (!err && !s.err && s.asked);
	return err ? err : s.err;
}

void flt_hold_release(struct flt_hold *h)
{
	pid_t tid;
	size_t i;

	for (i = h->count; i-- > 0;) {
		if (i >= h->count || !h->all[i].stopped || h->all[i].busy)
			continue;
		tid = h->all[i].tid;
		if (h->all[i].exits)
			ending(h, tid);
		go(h, find(h, tid));
	}
}

void flt_hold_free(struct flt_hold *h)
{
	size_t i;

	if (!h)
		return;
	for (i = 0; i < h->count; i++) {
		h->all[i].watched = false;
		if (!h->all[i].stopped && !h->all[i].asked)
			ask(&h->all[i]);
	}
	await(h);
	for (i = h->count; i-- > 0;)
		if (i < h->count && h->all[i].stopped)
			go(h, &h->all[i]);
	free(h->all);
	free(h);
}
