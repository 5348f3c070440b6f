// SPDX-License-Identifier: GPL-2.0-or-later
#include "touch_ring.h"

#include "image/descriptor.h"
#include "image/image.h"
#include "region/region.h"
#include "thread/page_filter.h"
#include "thread/perf_sample.h"
#include "thread/solo.h"
#include "thread/touch_sample.h"

#include <errno.h>
#include <string.h>

#define THREADS 16u	/* each has a ring of two MiB; an image with more threads has no grants */

static struct {
	/* The programs that this process has loaded, and those that the server has loaded. */
	struct rec_page_filter own, servers;
	bool (*renew)(struct rec_thread *t);
	bool on;		/* programs are in use */
	bool in_server;		/* those of the server */
	bool lacking;		/* a thread has no ring yet */
	struct rec_thread *thread[THREADS];	/* those with a ring */
	unsigned int threads;
} state;

void rec_touch_ring_allow(bool (*renew)(struct rec_thread *t))
{
	state.renew = renew;
}

static struct rec_page_filter *current(void)
{
	return state.in_server ? &state.servers : &state.own;
}

int rec_touch_ring_filter(void)
{
	return state.on && !state.in_server ? state.own.faults : -1;
}

void rec_touch_ring_descriptors(int *place[2])
{
	place[0] = state.own.table ? &state.own.faults : NULL;
	place[1] = state.own.table ? &state.own.touches : NULL;
}

struct rec_thread *rec_touch_ring_thread(unsigned int i)
{
	return i < state.threads ? state.thread[i] : NULL;
}

struct rec_page_cluster *rec_touch_ring_cluster(uint64_t number)
{
	return rec_page_filter_cluster(current(), number);
}

static int open_ring(struct rec_thread *t)
{
	if (state.threads == THREADS)
		return -E2BIG;
	t->touches = rec_touch_sample_open(t->tid, current()->touches,
					   !(rec_image.config.flags & FLT_REC_NO_STACK));
	if (!t->touches)
		return -ENOMEM;
	state.thread[state.threads++] = t;
	/* The ring of all faults must be the youngest: see perf_sample.h. */
	return t->perf && !rec_perf_sample_renew(t) ? -ENOMEM : 0;
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
static int load(void)
{
	struct rec_page_filter *f = current();
	int ret;

	if (f->table)
		return 0;
	ret = rec_page_filter_load(f, rec_region.base, rec_region_end());
	if (!ret && !state.in_server) {
		f->faults = rec_descriptor_raise(f->faults);
		f->touches = rec_descriptor_raise(f->touches);
	}
	return ret;
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
	int ret;

	/* Whoever resolves the faults of all threads that are known. */
	state.in_server = sys0(SYS_getpid) == rec_image.server_pid;
	if (state.in_server != (!rec_threads.inlined || rec_solo_is_served()))
		return -EAGAIN;
	ret = load();
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
	rec_perf_sample_close_older(t);
	t->touches = NULL;
}

void rec_touch_ring_turn_off(void)
{
	rec_touch_ring_close_all();
	state.on = state.lacking = false;
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
	if (state.own.table) {
		sys1(SYS_close, state.own.faults);
		sys1(SYS_close, state.own.touches);
	}
	memset(&state, 0, sizeof(state));
}
