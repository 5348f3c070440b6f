// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/memory/touched.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SHIFT 9
#define WORDS ((1u << SHIFT) / 64)
#define LAST 64

struct block {
	uint64_t number;	/* of the page, >> SHIFT */
	uint32_t region;
	uint32_t used;
	uint64_t bits[WORDS];
};

/* Where a block is: of the number and region that it has. */
struct found {
	uint64_t number;
	uint32_t region;
	struct block *block;	/* NULL: none */
};

struct flt_touched {
	struct block *blocks;
	uint32_t mask, count;
	struct found last[LAST];	/* by low bits of the region: most faults are near the one before */
};

static uint64_t hash(uint32_t region, uint64_t number)
{
	uint64_t h = (number ^ (uint64_t)region << 40) * 0x9e3779b97f4a7c15ull;

	return h ^ h >> 31;
}

struct flt_touched *flt_touched_new(void)
{
	struct flt_touched *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->mask = 255;
	t->blocks = calloc(t->mask + 1, sizeof(*t->blocks));
	if (!t->blocks) {
		free(t);
		return NULL;
	}
	return t;
}

void flt_touched_free(struct flt_touched *t)
{
	if (t)
		free(t->blocks);
	free(t);
}

static struct block *slot_of(struct block *blocks, uint32_t mask, uint32_t region, uint64_t number)
{
	uint32_t at = (uint32_t)hash(region, number) & mask;

	while (blocks[at].used && (blocks[at].region != region || blocks[at].number != number))
		at = (at + 1) & mask;
	return &blocks[at];
}

static int grow(struct flt_touched *t)
{
	uint32_t mask = t->mask * 2 + 1, i;
	struct block *blocks = calloc((size_t)mask + 1, sizeof(*blocks));

	if (!blocks)
		return -ENOMEM;
	for (i = 0; i <= t->mask; i++)
		if (t->blocks[i].used)
			*slot_of(blocks, mask, t->blocks[i].region, t->blocks[i].number) = t->blocks[i];
	free(t->blocks);
	t->blocks = blocks;
	t->mask = mask;
	memset(t->last, 0, sizeof(t->last));
	return 0;
}

static int block_make(struct flt_touched *t, uint32_t region, uint64_t number, struct block **out)
{
	if (t->count >= FLT_TOUCHED_BLOCKS)
		return -ENOSPC;
	if (t->count * 4 >= t->mask * 3 && grow(t))
		return -ENOMEM;
	*out = slot_of(t->blocks, t->mask, region, number);
	**out = (struct block){ .number = number, .region = region, .used = 1 };
	t->count++;
	return 0;
}

static inline int block_get(struct flt_touched *t, uint32_t region, uint64_t number, struct block **out)
{
	struct found *last = &t->last[region % LAST];
	struct block *b = last->block;
	int err;

	if (!b || last->region != region || last->number != number) {
		b = slot_of(t->blocks, t->mask, region, number);
		if (!b->used) {
			err = block_make(t, region, number, &b);
			if (err)
				return err;
		}
		*last = (struct found){ number, region, b };
	}
	*out = b;
	return 0;
}

int64_t flt_touched_add(struct flt_touched *t, uint32_t region, uint64_t page, uint32_t pages)
{
	struct block *b = NULL;
	uint64_t bit, *word;
	int64_t fresh = 0;
	uint32_t i;
	int err;

	for (i = 0; i < pages; i++, page++) {
		if (!b || b->number != page >> SHIFT) {
			err = block_get(t, region, page >> SHIFT, &b);
			if (err)
				return err;
		}
		word = &b->bits[page % (1u << SHIFT) / 64];
		bit = 1ull << page % 64;
		fresh += !(*word & bit);
		*word |= bit;
	}
	return fresh;
}
