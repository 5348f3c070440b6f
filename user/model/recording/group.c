// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX (64u << 20)

enum flt_op flt_op_of(const struct flt_file_fault *f)
{
	if (!(f->flags & FLT_FAULT_OP))
		return FLT_OP_UNKNOWN;
	return f->flags & FLT_FAULT_WRITE ? FLT_OP_WRITE : f->flags & FLT_FAULT_EXEC ? FLT_OP_EXEC : FLT_OP_READ;
}

enum flt_touch flt_touch_of(const struct flt_file_fault *f)
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

void flt_counts_add(struct flt_counts *c, const struct flt_file_fault *f)
{
	c->by[flt_op_of(f)][flt_touch_of(f)] += f->weight;
	if (f->flags & FLT_FAULT_MAJOR)
		c->majors += f->weight;
	c->latency += (uint64_t)f->latency * f->weight;
}

void flt_counts_sum(struct flt_counts *to, const struct flt_counts *from)
{
	int op, touch;

	for (op = 0; op < __FLT_OP_LAST; op++)
		for (touch = 0; touch < __FLT_TOUCH_LAST; touch++)
			to->by[op][touch] += from->by[op][touch];
	to->majors += from->majors;
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

int flt_group_init(struct flt_group *g)
{
	memset(g, 0, sizeof(*g));
	g->mask = 1023;
	g->slots = calloc((size_t)g->mask + 1, sizeof(*g->slots));
	return g->slots ? 0 : -ENOMEM;
}

void flt_group_free(struct flt_group *g)
{
	free(g->entries);
	free(g->slots);
	memset(g, 0, sizeof(*g));
}

static uint32_t key_hash(const struct flt_group_key *k)
{
	uint64_t h = ((uint64_t)k->image << 32 | k->id) * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 32 ^ k->at) * 0xff51afd7ed558ccdull;
	return (uint32_t)(h >> 32);
}

static int slots_grow(struct flt_group *g)
{
	uint32_t mask = g->mask * 2 + 1, i, at;
	uint32_t *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < g->count; i++) {
		at = key_hash(&g->entries[i].key) & mask;
		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = i + 1;
	}
	free(g->slots);
	g->slots = slots;
	g->mask = mask;
	return 0;
}

static int entry_new(struct flt_group *g, const struct flt_group_key *key, uint64_t ip)
{
	struct flt_group_entry *more;
	uint32_t room;

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
	memset(&g->entries[g->count], 0, sizeof(*g->entries));
	g->entries[g->count].key = *key;
	g->entries[g->count++].ip = ip;
	return 0;
}

int flt_group_add(struct flt_group *g, const struct flt_group_key *key, const struct flt_file_fault *fault)
{
	const struct flt_group_key *old;
	uint32_t at;
	int err;

	for (at = key_hash(key) & g->mask; g->slots[at]; at = (at + 1) & g->mask) {
		old = &g->entries[g->slots[at] - 1].key;
		if (old->image == key->image && old->id == key->id && old->at == key->at)
			goto found;
	}
	err = entry_new(g, key, fault->ip);
	if (err)
		return err;
	g->slots[at] = g->count;
	flt_counts_add(&g->entries[g->count - 1].counts, fault);
	return g->count * 2ull > g->mask ? slots_grow(g) : 0;

found:
	flt_counts_add(&g->entries[g->slots[at] - 1].counts, fault);
	return 0;
}

void flt_group_warm(const struct flt_group *g, const struct flt_group_key *keys, size_t n)
{
	const struct flt_group_entry *e;
	uint32_t slot;
	size_t i;

	for (i = 0; i < n; i++)
		__builtin_prefetch(&g->slots[key_hash(&keys[i]) & g->mask]);
	for (i = 0; i < n; i++) {
		slot = g->slots[key_hash(&keys[i]) & g->mask];
		if (!slot)
			continue;
		e = &g->entries[slot - 1];
		__builtin_prefetch(e, 1);
		__builtin_prefetch((const char *)e + 64, 1);
	}
}
