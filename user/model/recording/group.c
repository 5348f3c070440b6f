// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX (64u << 20)

enum flt_op flt_op_of(const struct flt_fault *f)
{
	if (!(f->flags & FLT_FAULT_OP))
		return FLT_OP_UNKNOWN;
	return f->flags & FLT_FAULT_WRITE ? FLT_OP_WRITE :
	       f->flags & FLT_FAULT_EXEC  ? FLT_OP_EXEC :
					    FLT_OP_READ;
}

enum flt_touch flt_touch_of(const struct flt_fault *f)
{
	if (f->flags & FLT_FAULT_ALLOC)
		return FLT_TOUCH_FIRST;
	return f->flags & FLT_FAULT_REFAULT ? FLT_TOUCH_AGAIN : FLT_TOUCH_OTHER;
}

const char *flt_op_name(enum flt_op op)
{
	static const char *const names[] = { "read", "write", "exec", "unknown" };

	return names[op];
}

const char *flt_touch_name(enum flt_touch touch)
{
	static const char *const names[] = { "alloc", "refault", "other" };

	return names[touch];
}

void flt_counts_add(struct flt_counts *c, const struct flt_fault *f)
{
	c->by[flt_op_of(f)][flt_touch_of(f)] += f->weight;
	if (f->flags & FLT_FAULT_MAJOR)
		c->majors += f->weight;
	if (f->latency) {
		c->timed += f->weight;
		c->latency += (uint64_t)f->latency * f->weight;
	}
}

void flt_counts_sum(struct flt_counts *to, const struct flt_counts *from)
{
	int op, touch;

	for (op = 0; op < __FLT_OP_LAST; op++)
		for (touch = 0; touch < __FLT_TOUCH_LAST; touch++)
			to->by[op][touch] += from->by[op][touch];
	to->majors += from->majors;
	to->timed += from->timed;
	to->latency += from->latency;
}

uint64_t flt_counts_op(const struct flt_counts *c, enum flt_op op)
{
	uint64_t sum = 0;
	int touch;

	for (touch = 0; touch < __FLT_TOUCH_LAST; touch++)
		sum += c->by[op][touch];
	return sum;
}

uint64_t flt_counts_touch(const struct flt_counts *c, enum flt_touch touch)
{
	uint64_t sum = 0;
	int op;

	for (op = 0; op < __FLT_OP_LAST; op++)
		sum += c->by[op][touch];
	return sum;
}

uint64_t flt_counts_all(const struct flt_counts *c)
{
	uint64_t sum = 0;
	int op;

	for (op = 0; op < __FLT_OP_LAST; op++)
		sum += flt_counts_op(c, op);
	return sum;
}

void flt_group_free(struct flt_group *g)
{
	free(g->entries);
	flt_index_free(&g->index);
	memset(g, 0, sizeof(*g));
}

static uint32_t key_hash(const struct flt_group_key *k)
{
	return flt_index_hash((uint64_t)k->image << 32 | k->id, k->at);
}

static struct flt_group_entry *entry_find(const struct flt_group *g,
					  const struct flt_group_key *key, uint32_t hash)
{
	struct flt_index_search s = flt_index_search(hash);
	const struct flt_group_key *old;
	uint32_t n;

	while (flt_index_next(&g->index, &s, &n)) {
		old = &g->entries[n].key;
		if (old->image == key->image && old->id == key->id && old->at == key->at)
			return &g->entries[n];
	}
	return NULL;
}

static int entry_new(struct flt_group *g, const struct flt_group_key *key, uint32_t hash,
		     uint64_t ip)
{
	struct flt_group_entry *more;
	uint32_t room;
	int err;

	if (g->count >= ENTRIES_MAX)
		return -E2BIG;
	if (g->count == g->room) {
		room = g->room ? g->room * 2 : 1024;
		more = reallocarray(g->entries, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		g->entries = more;
		g->room = room;
	}
	err = flt_index_add(&g->index, hash, g->count);
	if (err)
		return err;
	g->entries[g->count++] = (struct flt_group_entry){ .key = *key, .ip = ip };
	return 0;
}

static int count_fault(struct flt_group *g, const struct flt_group_key *key, uint32_t hash,
		       const struct flt_fault *fault)
{
	struct flt_group_entry *e = entry_find(g, key, hash);
	int err;

	if (!e) {
		err = entry_new(g, key, hash, fault->ip);
		if (err)
			return err;
		e = &g->entries[g->count - 1];
	}
	flt_counts_add(&e->counts, fault);
	return 0;
}

int flt_group_add(struct flt_group *g, const struct flt_group_key *key,
		  const struct flt_fault *fault)
{
	return count_fault(g, key, key_hash(key), fault);
}

/* Load the entry that a search for this hash finds into the cache. */
static void entry_prefetch(const struct flt_group *g, uint32_t hash)
{
	struct flt_index_search s = flt_index_search(hash);
	const char *e;
	uint32_t n;

	if (!flt_index_next(&g->index, &s, &n))
		return;
	e = (const char *)&g->entries[n];
	__builtin_prefetch(e, 1);
	__builtin_prefetch(e + 64, 1);
}

int flt_group_add_batch(struct flt_group *g, const struct flt_group_key *keys,
			const struct flt_fault *const *faults, size_t n)
{
	uint32_t hashes[FLT_GROUP_BATCH];
	size_t i;
	int err = 0;

	for (i = 0; i < n; i++) {
		hashes[i] = key_hash(&keys[i]);
		flt_index_prefetch(&g->index, hashes[i]);
	}
	for (i = 0; i < n; i++)
		entry_prefetch(g, hashes[i]);
	for (i = 0; i < n && !err; i++)
		err = count_fault(g, &keys[i], hashes[i], faults[i]);
	return err;
}
