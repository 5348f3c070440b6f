// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * grant.c - the beginning and the end of a grant.
 *
 * A grant is a set of pages of one cluster of the page filter. Its size follows the program: a
 * thread that has used up its last grant, and touches the next page, gets twice as many pages. The
 * next page is the one behind the last touch, or before that if the program goes downwards.
 *
 * Another thread can be in the middle of a fault when a grant ends. The filter has let its touch
 * pass as one of a granted page, but the kernel finds the page registered and raises a fault for
 * the pager. Such a page is missing after the end, so the sample is not recorded: the pager records
 * the fault.
 */
#include "grant.h"

#include "arch/instruction.h"
#include "cluster.h"
#include "grant_choice.h"
#include "image/image.h"
#include "lib/core/uffd.h"
#include "limit.h"
#include "missed_touch.h"
#include "page_fault.h"
#include "pagemap.h"
#include "region/region.h"
#include "region/shadow.h"
#include "residency.h"
#include "thread/page_filter.h"
#include "thread/perf_sample.h"
#include "thread/touch_sample.h"
#include "touch_record.h"
#include "touch_ring.h"

#include <errno.h>
#include <string.h>

#define GRANTS  32u
/* First touches before the first grant: small programs do not pay for the rings. */
#define PATIENCE 64u
#define PAGES_FIRST 8u	/* of the first grant of a sequence */
/* No grants to a thread whose stack is deeper, because the samples would not have all of it. */
#define DEPTH (REC_TOUCH_STACK - (8u << 10))

struct grant {
	size_t first;		/* page of the cluster's bit 0 */
	struct rec_page_cluster *cluster;
	uint32_t tid;		/* the thread that this is for */
	uint64_t recorded;	/* bits of pages whose touch was recorded */
	uint64_t missing;	/* while the grant ends: granted pages that are not there */
	uint64_t seen;		/* bits of pages that were touched at the last refresh */
};

static struct {
	bool usable;		/* pages may be granted, now or later */
	unsigned int touches;	/* first touches, up to PATIENCE */
	unsigned int beginners;	/* threads between rec_grant_expect() and rec_grant_join() */
	struct grant grant[GRANTS];
	unsigned int count;
} state;

bool rec_grant_is_possible(void)
{
	/* A sample does not tell a store from a load, the instruction does. */
	return REC_HAS_INLINE && !(rec_image.config.flags & FLT_REC_NO_GRANTS);
}

void rec_grant_begin(bool (*renew)(struct rec_thread *t))
{
	rec_touch_ring_allow(renew);
	state.usable = true;
}

static struct grant *find(size_t page)
{
	for (unsigned int i = 0; i < state.count; i++)
		if (state.grant[i].first == rec_cluster_first(page) &&
		    state.grant[i].cluster->granted & rec_cluster_bit(page))
			return &state.grant[i];
	return NULL;
}

static uint64_t touched(const struct grant *g)
{
	return __atomic_load_n(&g->cluster->touched, __ATOMIC_ACQUIRE) & g->cluster->granted;
}

/* Record the touches of a thread so far. */
static void record_touches(struct rec_thread *t, uint32_t self)
{
	struct rec_touch_sample s;
	struct grant *g;
	uint64_t at = 0;
	size_t page;

	while (rec_touch_sample_take(t->touches, &at, &s)) {
		if (!rec_region_contains(s.fault.address))
			continue;
		page = rec_page_at(s.fault.address);
		g = find(page);
		/* The thread itself is not in the middle of another fault. */
		if (!g || g->recorded & rec_cluster_bit(page) ||
		    (g->missing & rec_cluster_bit(page) && t->tid != self))
			continue;
		g->recorded |= rec_cluster_bit(page);
		t->last_touch = page + 1;
		rec_touch_record(&s, t, self);
	}
	if (at)
		rec_touch_sample_free(t->touches, at);
}

static void record_rest(const struct grant *g)
{
	uint64_t rest = g->cluster->granted & ~g->missing & ~g->recorded;

	for (; rest; rest &= rest - 1)
		rec_touch_record_unseen(rec_page_address(g->first + rec_bits_lowest(rest)), g->tid);
}

/* Return the granted pages that are under the limit. A raw mremap() may have taken others out. */
static uint64_t limited(const struct grant *g)
{
	uint64_t set = 0;

	for (uint64_t rest = g->cluster->granted; rest; rest &= rest - 1)
		if (rec_page_state(g->first + rec_bits_lowest(rest)) == PAGE_RESIDENT)
			set |= rest & -rest;
	return set;
}

/* Put the pages under the limit again, and find those that are not there. */
static void take_back(struct grant *g)
{
	uint64_t set = limited(g), failed = rec_limit_register_set(g->first, set), present;
	size_t page;

	if (rec_pagemap_present(g->first, REC_CLUSTER, &present)) {
		/* Not known. A page that counts as resident may be missing. Trust the filter. */
		present = ~0ULL;
		g->recorded |= ~touched(g);
	}
	g->missing = g->cluster->granted & ~present;
	for (set &= failed | g->missing; set; set &= set - 1) {
		page = g->first + rec_bits_lowest(set);
		rec_residency_leave(page);
		rec_page_reset(page, failed & rec_cluster_bit(page) ? PAGE_EJECTED : PAGE_EMPTY);
	}
	rec_image.totals->ejected += rec_bits_count(failed);
	rec_residency_publish();
}

static void record_all_touches(uint32_t self)
{
	struct rec_thread *t;

	for (unsigned int i = 0; (t = rec_touch_ring_thread(i)); i++)
		record_touches(t, self);
}

/* Forget a grant without pages, or one whose pages were taken back. */
static void drop(struct grant *g)
{
	/* From here on each fault raises a signal. */
	__atomic_store_n(&g->cluster->number, 0, __ATOMIC_SEQ_CST);
	rec_missed_touch_note(g->first, touched(g) & g->missing);
	g->cluster->granted = 0;
	*g = state.grant[--state.count];
}

static void end_grant(struct grant *g, uint32_t self)
{
	take_back(g);
	record_all_touches(self);
	record_rest(g);
	drop(g);
}

void rec_grant_end(void)
{
	uint32_t self;

	if (!state.count)
		return;
	self = (uint32_t)sys0(SYS_gettid);
	while (state.count)
		end_grant(&state.grant[0], self);
}

void rec_grant_refresh(void)
{
	uint32_t self = (uint32_t)sys0(SYS_gettid);
	struct grant *g;

	for (unsigned int i = state.count; i--;) {
		g = &state.grant[i];
		if (g->seen == touched(g))
			end_grant(g, self);
		else
			g->seen = touched(g);
	}
	record_all_touches(self);
}

void rec_grant_restart(void)
{
	rec_grant_end();
	rec_touch_ring_turn_off();
}

void rec_grant_stop(void)
{
	rec_grant_end();
	rec_touch_ring_close_all();
	state.usable = false;
}

void rec_grant_expect(struct rec_thread *t)
{
	/* An earlier thread of this number may have ended without a word. */
	rec_grant_leave(t);
	rec_grant_end();
	state.beginners++;
}

void rec_grant_join(struct rec_thread *t)
{
	int ret = state.usable ? rec_touch_ring_begin(t) : 0;

	state.beginners--;
	t->too_deep = false;
	/* -EAGAIN: the server opens the ring before it grants pages. */
	if (ret && ret != -EAGAIN)
		rec_grant_stop();
}

void rec_grant_leave(struct rec_thread *t)
{
	if (!t->touches)
		return;
	rec_grant_end();
	rec_touch_ring_close(t);
}

void rec_grant_forget(void)
{
	rec_touch_ring_forget();
	rec_missed_touch_forget();
	memset(&state, 0, sizeof(state));
}

/* Return how many touches of granted pages the thread's ring may still get. */
static unsigned int outstanding(const struct rec_thread *t)
{
	const struct grant *g;
	unsigned int n = 0;

	for (unsigned int i = 0; i < state.count; i++) {
		g = &state.grant[i];
		if (g->tid == t->tid)
			n += rec_bits_count(g->cluster->granted & ~touched(g));
	}
	return n;
}

/* End the oldest grant of a thread, or of all if t is NULL. Return false if there is none. */
static bool end_oldest(const struct rec_thread *t, uint32_t self)
{
	for (unsigned int i = 0; i < state.count; i++)
		if (!t || state.grant[i].tid == t->tid) {
			end_grant(&state.grant[i], self);
			return true;
		}
	return false;
}

/* Return the number of pages to grant beside a page: more, if the program goes on in sequence. */
static unsigned int choose_pages(size_t page, enum rec_grant_direction d, uint32_t self)
{
	unsigned int pages = PAGES_FIRST;
	struct grant *g = NULL;

	if (d != REC_GRANT_NEITHER)
		g = find(d == REC_GRANT_UP ? page - 1 : page + 1);
	if (!g)
		return pages;
	pages = 2 * rec_bits_count(g->cluster->granted);
	if (touched(g) == g->cluster->granted)
		end_grant(g, self);
	return pages < REC_TOUCH_SAMPLES ? pages : REC_TOUCH_SAMPLES;
}

/* Return the grant of the page's cluster for this thread, new if need be. */
static struct grant *place(size_t page, const struct rec_thread *t, uint32_t self)
{
	struct rec_page_cluster *c = rec_touch_ring_cluster(rec_cluster_number(page));
	struct grant *g;

	for (unsigned int i = 0; i < state.count; i++) {
		g = &state.grant[i];
		if (g->cluster != c)
			continue;
		if (g->first == rec_cluster_first(page) && g->tid == t->tid)
			return g;
		end_grant(g, self);
		break;
	}
	if (state.count == GRANTS)
		end_oldest(NULL, self);
	g = &state.grant[state.count++];
	*g = (struct grant){ .first = rec_cluster_first(page), .cluster = c, .tid = t->tid };
	c->granted = c->touched = 0;
	return g;
}

/*
 * Return the pages of a set before the first one that a thread waits for. If its fault began before
 * the grant, the kernel would fill the page without a sample.
 */
static uint64_t before_waiters(const struct grant *g, uint64_t set)
{
	struct rec_thread *t;
	uintptr_t a;
	size_t page;

	for (unsigned int i = 0; (t = rec_touch_ring_thread(i)); i++) {
		a = rec_perf_sample_address(t);
		page = rec_page_at(a);
		if (rec_region_contains(a) && rec_cluster_first(page) == g->first &&
		    set & rec_cluster_bit(page))
			set &= rec_cluster_bit(page) - 1;
	}
	return set;
}

/* Let the filter pass touches of these pages. Return those that nobody waits for. */
static uint64_t announce(struct grant *g, uint64_t set)
{
	uint64_t before = g->cluster->granted, kept, touches;

	g->recorded &= ~set;
	__atomic_and_fetch(&g->cluster->touched, ~set, __ATOMIC_RELAXED);
	__atomic_store_n(&g->cluster->granted, before | set, __ATOMIC_RELEASE);
	__atomic_store_n(&g->cluster->number, rec_cluster_number(g->first), __ATOMIC_SEQ_CST);
	/* Faults that the filter has not seen have left their samples. */
	kept = before_waiters(g, set);
	__atomic_store_n(&g->cluster->granted, before | kept, __ATOMIC_SEQ_CST);
	touches = __atomic_load_n(&g->cluster->touched, __ATOMIC_ACQUIRE);
	rec_missed_touch_note(g->first, touches & set & ~kept);
	return kept;
}

static void give(struct grant *g, uint64_t set)
{
	size_t first, end;

	set = announce(g, set);
	if (!set) {
		if (!g->cluster->granted)
			drop(g);
		return;
	}
	first = g->first + rec_bits_lowest(set);
	end = first + rec_bits_count(set);
	for (size_t i = first; i < end; i++)
		rec_residency_enter(i);
	/* Last, because from here on the kernel fills the pages. */
	if (uffd_unregister(rec_region.uffd, rec_page_address(first), (end - first) * FLT_PAGE))
		rec_grant_stop();
}

static bool may_grant(const struct rec_thread *t, const struct rec_fault *f)
{
	/* A stack in the region would have to be read while its pages are taken back. */
	return t && t->touches && !t->too_deep && f->sp && !rec_region_contains(f->sp) &&
	       (f->sp < t->stack.lo || f->sp >= t->stack.hi || t->stack.hi - f->sp <= DEPTH);
}

void rec_grant_follow(const struct rec_fault *f, size_t page)
{
	struct rec_thread *t;
	enum rec_grant_direction d;
	unsigned int pages;
	uint32_t self;
	uint64_t set;
	int ret;

	if (!state.usable || rec_shadow.frozen || rec_image.filtered)
		return;
	if (state.touches < PATIENCE) {
		state.touches++;
		return;
	}
	ret = state.beginners ? -EAGAIN : rec_touch_ring_prepare();
	if (ret && ret != -EAGAIN)
		rec_grant_stop();
	if (ret)
		return;
	t = rec_thread_find(f->tid);
	if (!may_grant(t, f))
		return;
	/* This fault is described. Samples of an event that is older than the ring are large. */
	rec_perf_sample_close_older(t);
	self = (uint32_t)sys0(SYS_gettid);
	record_touches(t, self);
	d = rec_grant_direction(t->last_touch, page);
	t->last_touch = page + 1;
	pages = choose_pages(page, d, self);
	while (outstanding(t) + pages > REC_TOUCH_SAMPLES && end_oldest(t, self))
		;
	set = rec_grant_choose(page, pages, d);
	if (set)
		give(place(page, t, self), set);
}
