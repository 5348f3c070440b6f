// SPDX-License-Identifier: GPL-2.0-or-later
#include "index/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 64u
#define SLOTS_MAX (1u << 31)

/* Return the slot that ends a search for this hash. There always is an empty slot. */
static uint32_t empty_slot(const struct flt_index_slot *slots, uint32_t mask, uint32_t hash)
{
	uint32_t at = hash & mask;

	while (slots[at].number)
		at = (at + 1) & mask;
	return at;
}

static int grow(struct flt_index *index)
{
	uint32_t count = index->slots ? (index->mask + 1) * 2 : SLOTS_FIRST, i;
	struct flt_index_slot *slots;

	if (index->slots && index->mask + 1 >= SLOTS_MAX)
		return -ENOMEM;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (i = 0; index->slots && i <= index->mask; i++)
		if (index->slots[i].number)
			slots[empty_slot(slots, count - 1, index->slots[i].hash)] =
				index->slots[i];
	free(index->slots);
	index->slots = slots;
	index->mask = count - 1;
	return 0;
}

int flt_index_add(struct flt_index *index, uint32_t hash, uint32_t number)
{
	uint32_t at;
	int err;

	/* At most half of the slots are used, so that runs of used slots stay short. */
	if (!index->slots || index->used > index->mask / 2) {
		err = grow(index);
		if (err)
			return err;
	}
	at = empty_slot(index->slots, index->mask, hash);
	index->slots[at] = (struct flt_index_slot){ hash, number + 1 };
	index->used++;
	return 0;
}

/*
 * Close the hole at `hole`: move back each following entry of the run that could otherwise not
 * be found from its home slot, because a search ends at the first empty slot.
 */
static void close_hole(struct flt_index *index, uint32_t hole)
{
	uint32_t mask = index->mask, at = hole, home;

	for (;;) {
		at = (at + 1) & mask;
		if (!index->slots[at].number)
			break;
		home = index->slots[at].hash & mask;
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		index->slots[hole] = index->slots[at];
		hole = at;
	}
	index->slots[hole].number = 0;
}

bool flt_index_remove(struct flt_index *index, uint32_t hash, uint32_t number)
{
	uint32_t at;

	if (!index->slots)
		return false;
	for (at = hash & index->mask; index->slots[at].number; at = (at + 1) & index->mask) {
		if (index->slots[at].hash != hash || index->slots[at].number != number + 1)
			continue;
		close_hole(index, at);
		index->used--;
		return true;
	}
	return false;
}

void flt_index_clear(struct flt_index *index)
{
	if (index->slots)
		memset(index->slots, 0, ((size_t)index->mask + 1) * sizeof(*index->slots));
	index->used = 0;
}

int flt_index_copy(struct flt_index *to, const struct flt_index *from)
{
	size_t size = ((size_t)from->mask + 1) * sizeof(*from->slots);

	*to = (struct flt_index){ 0 };
	if (!from->slots)
		return 0;
	to->slots = malloc(size);
	if (!to->slots)
		return -ENOMEM;
	memcpy(to->slots, from->slots, size);
	to->mask = from->mask;
	to->used = from->used;
	return 0;
}

void flt_index_free(struct flt_index *index)
{
	free(index->slots);
	*index = (struct flt_index){ 0 };
}
