// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 32		/* tracked at the same time */
#define RUNS_OF_THREAD 4
#define STRIDES 8
#define LATEST 16	/* threads whose latest run is cached */

/* The last fault of a run, and the step to it. */
struct run {
	uint64_t page;
	int64_t stride;
	uint32_t thread;
	uint32_t pages;
	uint32_t used;		/* the clock when it was last matched */
};

/*
 * The most frequent distances, by the space-saving algorithm: a new distance replaces the rarest
 * one and inherits its count, which is kept in `inherited`. A distance occurred at least
 * count - inherited times.
 */
struct stride {
	int64_t pages;
	uint64_t count, inherited;
};

struct flt_pattern {
	struct run runs[RUNS];
	uint32_t count;		/* runs in use */
	/* Last run of a thread, by the low bits of its ID; others with these bits share it. */
	uint8_t latest[LATEST];
	struct stride strides[STRIDES];
	uint32_t clock;
	uint64_t faults, refaults;
	uint64_t forward, backward, up, down;
};

struct flt_pattern *flt_pattern_new(void)
{
	return calloc(1, sizeof(struct flt_pattern));
}

void flt_pattern_free(struct flt_pattern *p)
{
	free(p);
}

enum step { FAR = 0, FORWARD, BACKWARD };

/*
 * plain: the step is not counted as a distance. Forward steps shorter than a window are counted:
 * they have one length if a file is read every fourth page without readahead, but several lengths
 * if a file is read page by page, because they depend on where readahead ended.
 */
static inline enum step step_of(const struct run *r, const struct flt_visit *t, bool *plain)
{
	int64_t far = (int64_t)(t->page - r->page), around = t->around;
	int64_t length = around > (int64_t)r->pages ? around : (int64_t)r->pages;

	*plain = true;
	if (far == (int64_t)r->pages)
		return FORWARD;
	if (far == -(int64_t)t->pages)
		return BACKWARD;
	if (around <= 1)
		return FAR;
	*plain = far > 0 ? far == length && t->page % t->around == 0 :
			   -far == around && t->page % t->around == t->around - 1;
	if (far > 0 && (*plain || far < length))
		return FORWARD;
	return far < 0 && (*plain || -far < around) ? BACKWARD : FAR;
}

static void stride_count(struct flt_pattern *p, int64_t pages)
{
	struct stride *rarest = &p->strides[0];
	size_t i;

	for (i = 0; i < STRIDES; i++) {
		if (p->strides[i].count && p->strides[i].pages == pages) {
			p->strides[i].count++;
			return;
		}
		if (p->strides[i].count < rarest->count)
			rarest = &p->strides[i];
	}
	rarest->inherited = rarest->count;
	rarest->count++;
	rarest->pages = pages;
}

struct match {
	struct run *near, *stride, *latest, *oldest;
	uint32_t mine;
	enum step step;
	bool plain;
};

/*
 * Find the run that this fault continues. Runs of the same thread come first. A run of another
 * thread is continued only by its exact neighbour: worker threads take adjacent pieces in turn.
 */
static void run_match(struct flt_pattern *p, const struct flt_visit *t, struct match *m)
{
	struct run *oldest_of_all = NULL, *r, *other = NULL;
	enum step step, other_step = FAR;
	bool plain;
	size_t i;

	for (i = 0; i < p->count; i++) {
		r = &p->runs[i];
		if (!oldest_of_all || r->used < oldest_of_all->used)
			oldest_of_all = r;
		if (r->thread != t->thread) {
			if (t->around > 1)
				continue;
			step = step_of(r, t, &plain);
			if (step != FAR && (!other || r->used > other->used)) {
				other = r;
				other_step = step;
			}
			continue;
		}
		step = step_of(r, t, &plain);
		m->mine++;
		if (!m->latest || r->used > m->latest->used)
			m->latest = r;
		if (!m->oldest || r->used < m->oldest->used)
			m->oldest = r;
		if (step != FAR && (!m->near || r->used > m->near->used)) {
			m->near = r;
			m->step = step;
			m->plain = plain;
		}
		if (r->stride && (int64_t)(t->page - r->page) == r->stride &&
		    (!m->stride || r->used > m->stride->used))
			m->stride = r;
	}
	if (!m->near && other) {
		m->near = other;
		m->step = other_step;
		m->plain = true;
	}
	if (m->mine < RUNS_OF_THREAD)
		m->oldest = p->count < RUNS ? &p->runs[p->count] : oldest_of_all;
}

/*
 * Fast path: most faults continue the last run of their thread. If this fault continues several
 * runs of its thread, the last one wins in the slow path, too.
 */
static bool latest_match(struct flt_pattern *p, const struct flt_visit *t, struct match *m)
{
	uint32_t latest = p->latest[t->thread % LATEST];
	struct run *r = &p->runs[latest];

	if (latest >= p->count || r->thread != t->thread)
		return false;
	m->step = step_of(r, t, &m->plain);
	if (m->step == FAR)
		return false;
	m->near = r;
	return true;
}

/* The run may have been unused so far. */
static void run_enter(struct flt_pattern *p, const struct run *r, uint32_t thread)
{
	uint32_t i = (uint32_t)(r - p->runs);

	if (i == p->count)
		p->count++;
	p->latest[thread % LATEST] = (uint8_t)i;
}

void flt_pattern_add(struct flt_pattern *p, const struct flt_visit *t)
{
	struct match m = { NULL, NULL, NULL, NULL, 0, FAR, false };
	struct run *from, *to;
	int64_t far = 0;

	p->faults++;
	p->refaults += t->refault;
	p->clock++;
	if (!latest_match(p, t, &m))
		run_match(p, t, &m);
	from = m.near ? m.near : m.stride ? m.stride : m.latest;
	to = m.near ? m.near : m.stride ? m.stride : m.oldest;
	if (from) {
		far = (int64_t)(t->page - from->page);
		if (!far) {
			from->used = p->clock;
			run_enter(p, from, t->thread);
			return;
		}
		if (m.near && m.step == FORWARD)
			p->forward++;
		else if (m.near)
			p->backward++;
		else if (far > 0)
			p->up++;
		else
			p->down++;
		if (!m.near || !m.plain)
			stride_count(p, far);
	}
	run_enter(p, to, t->thread);
	*to = (struct run){ t->page, far, t->thread, t->pages ? t->pages : 1, p->clock };
}

static unsigned int percent(uint64_t part, uint64_t all)
{
	return all ? (unsigned int)(part * 100 / all) : 0;
}

static void order_judge(const struct flt_pattern *p, struct flt_verdict *v)
{
	uint64_t most = 0, certain;
	int64_t stride = 0;
	size_t i;

	for (i = 0; i < STRIDES; i++) {
		certain = p->strides[i].count - p->strides[i].inherited;
		if (certain <= most)
			continue;
		most = certain;
		stride = p->strides[i].pages;
	}
	v->order = FLT_ORDER_MIXED;
	v->share = percent(most, v->steps);
	if (v->steps < FLT_PATTERN_FEW) {
		v->order = FLT_ORDER_FEW;
		v->share = 0;
	} else if (v->share >= FLT_PATTERN_MOST) {
		v->order = FLT_ORDER_STRIDED;
		v->stride = stride;
	} else if (percent(p->forward, v->steps) >= FLT_PATTERN_MOST) {
		v->order = FLT_ORDER_FORWARD;
		v->share = percent(p->forward, v->steps);
	} else if (percent(p->backward, v->steps) >= FLT_PATTERN_MOST) {
		v->order = FLT_ORDER_BACKWARD;
		v->share = percent(p->backward, v->steps);
	} else if (percent(p->up + p->down, v->steps) >= FLT_PATTERN_MOST &&
		   percent(p->up, v->steps) >= FLT_PATTERN_SIDE &&
		   percent(p->down, v->steps) >= FLT_PATTERN_SIDE && v->share < FLT_PATTERN_SIDE) {
		v->order = FLT_ORDER_RANDOM;
		v->share = percent(p->up + p->down, v->steps);
	} else {
		v->share = percent(p->forward, v->steps);
	}
}

static const char *name_of(const struct flt_verdict *v)
{
	if (v->reuse == FLT_REUSE_THRASHING)
		return "thrashing";
	switch (v->order) {
	case FLT_ORDER_FORWARD:
	case FLT_ORDER_BACKWARD:
		return "sequential";
	case FLT_ORDER_MIXED:
		return v->reuse == FLT_REUSE_ONCE ? "one pass" : "mixed";
	default:
		return flt_order_name(v->order);
	}
}

struct flt_verdict flt_pattern_classify(const struct flt_pattern *p)
{
	struct flt_verdict v = { .name = "few" };

	if (!p)
		return v;
	v.steps = p->forward + p->backward + p->up + p->down;
	v.refault_share = percent(p->refaults, p->faults);
	if (p->faults > FLT_PATTERN_FEW && v.refault_share >= FLT_PATTERN_THRASH)
		v.reuse = FLT_REUSE_THRASHING;
	else if (v.refault_share > FLT_PATTERN_ONCE)
		v.reuse = FLT_REUSE_SOME;
	order_judge(p, &v);
	v.name = name_of(&v);
	return v;
}

const char *flt_order_name(enum flt_order order)
{
	static const char *const names[] = { "few",	"forward", "backward",
					     "strided", "random",  "mixed" };

	return names[order];
}

const char *flt_reuse_name(enum flt_reuse reuse)
{
	static const char *const names[] = { "once", "some", "thrashing" };

	return names[reuse];
}

void flt_pattern_describe(const struct flt_verdict *v, char *text, size_t size)
{
	char order[64];

	if (v->order == FLT_ORDER_STRIDED)
		snprintf(order, sizeof(order), "strided by %" PRId64 " page%s", v->stride,
			 v->stride == 1 || v->stride == -1 ? "" : "s");
	else
		snprintf(order, sizeof(order), "%s%s", flt_order_name(v->order),
			 v->order == FLT_ORDER_FEW ? " faults" : "");
	if (v->reuse == FLT_REUSE_THRASHING)
		snprintf(text, size, "thrashing, %s", order);
	else if (v->order == FLT_ORDER_FORWARD || v->order == FLT_ORDER_BACKWARD)
		snprintf(text, size, "sequential %s", order);
	else if (v->order == FLT_ORDER_MIXED && v->reuse == FLT_REUSE_ONCE)
		snprintf(text, size, "one pass");
	else
		snprintf(text, size, "%s", order);
}

void flt_pattern_evidence(const struct flt_verdict *v, char *text, size_t size)
{
	static const char *const ways[] = {
		[FLT_ORDER_FORWARD] = "go forward", [FLT_ORDER_BACKWARD] = "go backward",
		[FLT_ORDER_RANDOM] = "jump up and down", [FLT_ORDER_MIXED] = "go forward",
	};
	char order[96];

	if (v->order == FLT_ORDER_FEW)
		snprintf(order, sizeof(order), "%" PRIu64 " steps", v->steps);
	else if (v->order == FLT_ORDER_STRIDED)
		snprintf(order, sizeof(order),
			 "%u %% of %" PRIu64 " steps are %" PRId64 " page%s long", v->share,
			 v->steps, v->stride, v->stride == 1 || v->stride == -1 ? "" : "s");
	else
		snprintf(order, sizeof(order), "%u %% of %" PRIu64 " steps %s", v->share, v->steps,
			 ways[v->order]);
	snprintf(text, size, "%s; %u %% of the faults are of pages that faulted before", order,
		 v->refault_share);
}
