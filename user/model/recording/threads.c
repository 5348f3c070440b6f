// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/threads.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define THREADS_MAX (4u << 20)

struct slot {
	uint64_t key;		/* image << 32 | tid */
	const char *comm;	/* NULL: empty */
};

struct flt_threads {
	struct slot *slots;
	uint32_t mask, used;
};

struct flt_threads *flt_threads_new(void)
{
	struct flt_threads *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->mask = 63;
	t->slots = calloc(t->mask + 1, sizeof(*t->slots));
	if (!t->slots) {
		free(t);
		return NULL;
	}
	return t;
}

void flt_threads_free(struct flt_threads *t)
{
	if (t)
		free(t->slots);
	free(t);
}

static struct slot *slot_find(struct slot *slots, uint32_t mask, uint64_t key)
{
	uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & mask;

	while (slots[at].comm && slots[at].key != key)
		at = (at + 1) & mask;
	return &slots[at];
}

int flt_threads_set(struct flt_threads *t, uint32_t image, uint32_t tid, const char *comm)
{
	uint64_t key = (uint64_t)image << 32 | tid;
	struct slot *slot, *slots;
	uint32_t i, mask;

	if (t->used * 2 > t->mask) {
		mask = t->mask * 2 + 1;
		slots = calloc((size_t)mask + 1, sizeof(*slots));
		if (!slots)
			return -ENOMEM;
		for (i = 0; i <= t->mask; i++)
			if (t->slots[i].comm)
				*slot_find(slots, mask, t->slots[i].key) = t->slots[i];
		free(t->slots);
		t->slots = slots;
		t->mask = mask;
	}
	slot = slot_find(t->slots, t->mask, key);
	if (!slot->comm) {
		if (t->used >= THREADS_MAX)
			return -E2BIG;
		t->used++;
	}
	slot->key = key;
	slot->comm = comm;
	return 0;
}

const char *flt_threads_comm(const struct flt_threads *t, uint32_t image, uint32_t tid)
{
	return slot_find(t->slots, t->mask, (uint64_t)image << 32 | tid)->comm;
}
