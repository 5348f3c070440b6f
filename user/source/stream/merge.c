// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/device.h"

/* Maximum number of faults per call of the sink. A block fits into the first-level cache. */
#define BLOCK 64

/* A queue that is not empty, and the rest of its first run. */
struct lane {
	const union flt_stream_note *next, *end;
	struct flt_stream_queue *queue;
	struct node *node;	/* leaf of the tree */
};

struct runner {
	uint64_t end;		/* end time of the lane's next fault */
	struct lane *lane;	/* NULL: placeholder that wins every match */
};

/*
 * A node of a tournament tree (loser tree). It keeps the loser of its match; the winner goes
 * to the next node. After the overall winner advances, only the matches on its path to the
 * root are repeated.
 */
struct node {
	struct runner loser;
	struct node *up;	/* NULL: root */
};

struct flt_stream_merge {
	struct lane *lane;
	struct node *node;	/* lanes - 1 nodes, from node[1]; the parent of node n is n / 2 */
	struct runner winner;
	uint32_t lanes;
};

int flt_stream_merge_new(struct flt_stream_merge **merge, uint32_t queues)
{
	struct flt_stream_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->lane = calloc(queues, sizeof(*m->lane));
	m->node = calloc(queues, sizeof(*m->node));
	if (!m->lane || !m->node) {
		flt_stream_merge_free(m);
		return -ENOMEM;
	}
	*merge = m;
	return 0;
}

void flt_stream_merge_free(struct flt_stream_merge *m)
{
	if (!m)
		return;
	free(m->lane);
	free(m->node);
	free(m);
}

static inline bool before(const struct runner *a, const struct runner *b)
{
	return a->end < b->end || (a->end == b->end && a->lane < b->lane);
}

/* Repeat the matches of a lane that advanced, and return the winner. Needs two lanes. */
static inline struct runner climb(struct lane *lane)
{
	struct runner up = { flt_stream_queue_end(&lane->next->record), lane }, down;
	struct node *node = lane->node;

	do {
		if (before(&node->loser, &up)) {
			down = up;
			up = node->loser;
			node->loser = down;
		}
		node = node->up;
	} while (node);
	return up;
}

/*
 * Play all matches. The first lane that reaches a node loses to the placeholder and stays
 * there.
 */
static void match_all(struct flt_stream_merge *m)
{
	uint32_t i;

	for (i = 1; i < m->lanes; i++)
		m->node[i] = (struct node){ .up = i > 1 ? &m->node[i / 2] : NULL };
	for (i = 0; m->lanes > 1 && i < m->lanes; i++) {
		m->lane[i].node = &m->node[(i + m->lanes) / 2];
		m->winner = climb(&m->lane[i]);
	}
}

static void enter_run(struct lane *lane)
{
	const struct flt_stream_queue *q = lane->queue;

	lane->next = q->slot + q->run[q->first_run].first;
	lane->end = q->slot + q->run[q->first_run].end;
}

void flt_stream_merge_begin(struct flt_stream_merge *m, struct flt_stream_queue *queue,
			    uint32_t queues)
{
	uint32_t i;

	m->lanes = 0;
	for (i = 0; i < queues; i++) {
		if (flt_stream_queue_empty(&queue[i]))
			continue;
		m->lane[m->lanes].queue = &queue[i];
		enter_run(&m->lane[m->lanes++]);
	}
	match_all(m);
}

/* Continue with the next run of a queue, or remove the lane if there is none. */
static void next_run(struct flt_stream_merge *m, struct lane *lane)
{
	flt_stream_queue_drop_run(lane->queue);
	if (!flt_stream_queue_empty(lane->queue)) {
		enter_run(lane);
		if (m->lanes > 1)
			m->winner = climb(lane);
		return;
	}
	m->lanes--;
	memmove(lane, lane + 1, (size_t)(m->lane + m->lanes - lane) * sizeof(*lane));
	match_all(m);
}

/* Flags of a minor fault, by its kind. */
static const uint8_t flags_by_kind[UINT8_MAX + 1] = {
	[FLT_KIND_ANON] = FLT_FAULT_ALLOC,
	[FLT_KIND_SWAP] = FLT_FAULT_REFAULT,
};

static inline uint32_t flags_of(const struct flt_event_record *r)
{
	uint32_t flags = FLT_FAULT_OP | flags_by_kind[r->kind];

	flags |= r->flags & FLT_EVENT_WRITE ? FLT_FAULT_WRITE : 0;
	flags |= r->flags & FLT_EVENT_EXEC ? FLT_FAULT_EXEC : 0;
	flags |= r->flags & FLT_EVENT_USER ? 0 : FLT_FAULT_KERNEL;
	flags |= r->flags & FLT_EVENT_REMOTE ? FLT_FAULT_REMOTE : 0;
	if (r->result != FLT_RESULT_MINOR) {
		flags &= ~FLT_FAULT_ALLOC;
		flags |= r->result == FLT_RESULT_MAJOR ? FLT_FAULT_MAJOR : FLT_FAULT_FAILED;
	}
	return flags;
}

/*
 * Convert a record of the module to the form that all sources have. Members that have the same
 * order in both structs are copied in the widest units.
 */
static inline void convert(struct flt_fault *f, const struct flt_event_record *r)
{
	f->time = r->time;
	f->address = r->address;
	f->ip = r->ip;
	f->inode = r->inode;
	f->latency = flt_event_latency(r);
	f->pid = r->tgid;
	f->tid = r->tid;
	f->page = r->page;
	f->stack = r->stack;
	f->device = flt_device_of_kernel(r->dev);
	f->image = 0;
	f->weight = r->weight;
	f->pages = 1;
	f->flags = flags_of(r);
	f->cpu = 0;
	f->kind = r->kind;
	f->failure = 0;
	f->attempts = r->attempts;
	if (r->result >= FLT_RESULT_FAILED)
		f->failure = (uint8_t)(r->result - FLT_RESULT_FAILED);
}

/* Fill the block with the next faults that ended up to @limit. Return their number. */
static size_t fill(struct flt_stream_merge *m, uint64_t limit, struct flt_fault *block)
{
	struct runner up = m->winner;
	struct lane *lane;
	size_t n = 0;

	while (up.end <= limit && n < BLOCK) {
		lane = up.lane;
		convert(&block[n++], &lane->next++->record);
		if (lane->next < lane->end) {
			up = climb(lane);
			continue;
		}
		next_run(m, lane);
		if (m->lanes < 2)
			return n;
		up = m->winner;
	}
	m->winner = up;
	return n;
}

/* Do the same for a single lane, which needs no comparison. */
static size_t fill_alone(struct flt_stream_merge *m, uint64_t limit, struct flt_fault *block)
{
	struct lane *lane = m->lane;
	size_t count = (size_t)(lane->end - lane->next), n;

	count = count < BLOCK ? count : BLOCK;
	if (flt_stream_queue_end(&lane->next[count - 1].record) > limit)
		for (count = 0; flt_stream_queue_end(&lane->next[count].record) <= limit;)
			count++;
	for (n = 0; n < count; n++)
		convert(&block[n], &lane->next[n].record);
	lane->next += count;
	if (lane->next == lane->end)
		next_run(m, lane);
	return count;
}

static int deliver(const struct flt_stream_sink *sink, struct flt_fault *block, size_t count,
		   uint64_t *delivered)
{
	size_t i;
	int ret = 0;

	if (sink->faults) {
		ret = sink->faults(sink->arg, block, count);
		*delivered += ret ? 0 : count;
		return ret;
	}
	for (i = 0; !ret && i < count; i++) {
		ret = sink->fault(sink->arg, &block[i]);
		*delivered += !ret;
	}
	return ret;
}

int flt_stream_merge_run(struct flt_stream_merge *m, uint64_t limit,
			 const struct flt_stream_sink *sink, uint64_t *delivered)
{
	struct flt_fault block[BLOCK];
	size_t n;
	int ret = 0;

	while (!ret && m->lanes) {
		n = m->lanes > 1 ? fill(m, limit, block) : fill_alone(m, limit, block);
		if (!n)
			break;
		ret = deliver(sink, block, n, delivered);
	}
	return ret;
}

void flt_stream_merge_end(struct flt_stream_merge *m)
{
	struct lane *lane;

	for (lane = m->lane; lane < m->lane + m->lanes; lane++) {
		struct flt_stream_queue *q = lane->queue;

		q->run[q->first_run].first = (size_t)(lane->next - q->slot);
	}
	m->lanes = 0;
}
