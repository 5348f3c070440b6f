// SPDX-License-Identifier: GPL-2.0-or-later
#include "touch_ring.h"

#include "image/descriptor.h"
#include "image/image.h"
#include "region/region.h"
#include "thread/page_filter.h"
#include "thread/perf_sample.h"
#include "thread/touch_sample.h"

#include <errno.h>
#include <string.h>

#define THREADS 16u	/* each has a ring of two MiB; an image with more threads has no grants */

static struct {
	struct rec_page_filter filter;
	bool (*renew)(struct rec_thread *t);
	bool on;		/* the programs are in use */
	bool in_server;		/* the server has loaded them */
	bool lacking;		/* a thread has no ring yet */
	struct rec_thread *thread[THREADS];	/* those with a ring */
	unsigned int threads;
} state;

void rec_touch_ring_allow(bool (*renew)(struct rec_thread *t))
{
	state.renew = renew;
}

int rec_touch_ring_filter(void)
{
	return state.on && !state.in_server ? state.filter.faults : -1;
}

int rec_touch_ring_descriptor(void)
{
	return state.on && !state.in_server ? state.filter.touches : -1;
}

struct rec_thread *rec_touch_ring_thread(unsigned int i)
{
	return i < state.threads ? state.thread[i] : NULL;
}

struct rec_page_cluster *rec_touch_ring_cluster(uint64_t number)
{
	return rec_page_filter_cluster(&state.filter, number);
}

/* Open another ring of all faults, which must be younger: see perf_sample.h. */
static bool renew_samples(struct rec_thread *t)
{
	void *perf = rec_perf_sample_open(t->tid);

	if (!perf)
		return false;
	/* The thread may sleep in a fault, and the server may read its sample without a lock. */
	t->perf_before = t->perf;
	__atomic_store_n(&t->perf, perf, __ATOMIC_RELEASE);
	return true;
}

static int open_ring(struct rec_thread *t)
{
	if (state.threads == THREADS)
		return -E2BIG;
	t->touches = rec_touch_sample_open(t->tid, state.filter.touches,
					   !(rec_image.config.flags & FLT_REC_NO_STACK));
	if (!t->touches)
		return -ENOMEM;
	state.thread[state.threads++] = t;
	return t->perf && !renew_samples(t) ? -ENOMEM : 0;
}

int rec_touch_ring_begin(struct rec_thread *t)
{
	if (!state.on || t->touches)
		return 0;
	if (!state.in_server)
		return open_ring(t);
	state.lacking = true;
	return -EAGAIN;
}

/* Load the programs into this process, which keeps their descriptors. Return 0 or -errno. */
static int load(bool in_server)
{
	int ret = rec_page_filter_load(&state.filter, rec_region.base, rec_region_end());

	if (ret)
		return ret;
	state.in_server = in_server;
	if (!in_server) {
		state.filter.faults = rec_descriptor_raise(state.filter.faults);
		state.filter.touches = rec_descriptor_raise(state.filter.touches);
	}
	return 0;
}

static int open_missing(void)
{
	int ret = 0;

	for (size_t i = 0; i < REC_THREADS && !ret; i++) {
		struct rec_thread *t = &rec_threads.slot[i];

		if (t->tid && t->perf && !t->touches)
			ret = open_ring(t);
	}
	state.lacking = false;
	return ret;
}

/* Make the perf events of all threads ignore granted pages. */
static int renew_events(void)
{
	for (size_t i = 0; i < REC_THREADS; i++)
		if (rec_threads.slot[i].tid && !state.renew(&rec_threads.slot[i]))
			return -ENOMEM;
	return 0;
}

static int turn_on(void)
{
	bool in_server = sys0(SYS_getpid) == rec_image.server_pid;
	int ret;

	if (in_server == rec_threads.inlined)
		return -EAGAIN;
	ret = state.filter.table ? 0 : load(in_server);
	if (ret)
		return ret == -EAGAIN ? -EPERM : ret;
	state.on = true;
	ret = renew_events();
	return ret ? ret : open_missing();
}

int rec_touch_ring_prepare(void)
{
	if (!state.on)
		return turn_on();
	return state.lacking ? open_missing() : 0;
}

void rec_touch_ring_close(struct rec_thread *t)
{
	for (unsigned int i = 0; i < state.threads; i++)
		if (state.thread[i] == t)
			state.thread[i] = state.thread[--state.threads];
	rec_touch_sample_close(t->touches);
	rec_perf_sample_close(t->perf_before);
	t->touches = t->perf_before = NULL;
}

void rec_touch_ring_close_all(void)
{
	while (state.threads) {
		struct rec_thread *t = state.thread[--state.threads];

		rec_touch_sample_close(t->touches);
		t->touches = NULL;
	}
}

void rec_touch_ring_forget(void)
{
	/* The child has no mapping of the table. */
	if (state.filter.table && !state.in_server) {
		sys1(SYS_close, state.filter.faults);
		sys1(SYS_close, state.filter.touches);
	}
	memset(&state, 0, sizeof(state));
}
