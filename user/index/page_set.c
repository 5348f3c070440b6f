// SPDX-License-Identifier: GPL-2.0-or-later
#include "index/page_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_PAGES (1u << FLT_PAGE_BLOCK_SHIFT)

static struct flt_page_block *block_find(const struct flt_page_set *set, uint64_t number)
{
	struct flt_index_search s = flt_index_search(flt_index_hash(number, 0));
	uint32_t n;

	while (flt_index_next(&set->index, &s, &n))
		if (set->blocks[n].number == number)
			return &set->blocks[n];
	return NULL;
}

static int block_new(struct flt_page_set *set, uint64_t number, uint32_t *budget,
		     struct flt_page_block **out)
{
	uint32_t room = set->room ? set->room * 2 : 1;
	struct flt_page_block *more;
	int err;

	if (!*budget)
		return -ENOSPC;
	if (set->count == set->room) {
		more = reallocarray(set->blocks, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		set->blocks = more;
		set->room = room;
	}
	err = flt_index_add(&set->index, flt_index_hash(number, 0), set->count);
	if (err)
		return err;
	*out = &set->blocks[set->count++];
	**out = (struct flt_page_block){ .number = number };
	--*budget;
	return 0;
}

static int block_get(struct flt_page_set *set, uint64_t number, uint32_t *budget,
		     struct flt_page_block **out)
{
	int err = 0;

	if (set->count && set->blocks[set->last].number == number) {
		*out = &set->blocks[set->last];
		return 0;
	}
	*out = block_find(set, number);
	if (!*out)
		err = block_new(set, number, budget, out);
	if (!err)
		set->last = (uint32_t)(*out - set->blocks);
	return err;
}

int64_t flt_page_set_add(struct flt_page_set *set, uint64_t page, uint32_t pages, uint32_t *budget)
{
	struct flt_page_block *b = NULL;
	uint64_t bit, *word;
	int64_t fresh = 0;
	uint32_t i;
	int err;

	for (i = 0; i < pages; i++, page++) {
		if (!b || b->number != page >> FLT_PAGE_BLOCK_SHIFT) {
			err = block_get(set, page >> FLT_PAGE_BLOCK_SHIFT, budget, &b);
			if (err)
				return err;
		}
		word = &b->bits[page % BLOCK_PAGES / 64];
		bit = 1ull << page % 64;
		fresh += !(*word & bit);
		*word |= bit;
	}
	return fresh;
}

static void block_clear(struct flt_page_block *b, uint64_t first, uint64_t last)
{
	uint64_t begin = b->number << FLT_PAGE_BLOCK_SHIFT, page;

	for (page = 0; page < BLOCK_PAGES; page++)
		if (begin + page >= first && begin + page < last)
			b->bits[page / 64] &= ~(1ull << page % 64);
}

void flt_page_set_clear(struct flt_page_set *set, uint64_t first, uint64_t last)
{
	uint64_t from = first >> FLT_PAGE_BLOCK_SHIFT;
	uint64_t to = (last + BLOCK_PAGES - 1) >> FLT_PAGE_BLOCK_SHIFT;
	struct flt_page_block *b;
	uint64_t number;
	uint32_t n;

	/* Search for each block of the range, or scan all blocks, whichever is less work. */
	if (to - from < set->count) {
		for (number = from; number < to; number++) {
			b = block_find(set, number);
			if (b)
				block_clear(b, first, last);
		}
		return;
	}
	for (n = 0; n < set->count; n++)
		if (set->blocks[n].number >= from && set->blocks[n].number < to)
			block_clear(&set->blocks[n], first, last);
}

int flt_page_set_copy(struct flt_page_set *to, const struct flt_page_set *from, uint32_t *budget)
{
	*to = (struct flt_page_set){ 0 };
	if (!from->count)
		return 0;
	if (from->count > *budget)
		return -ENOSPC;
	to->blocks = malloc(from->count * sizeof(*to->blocks));
	if (!to->blocks || flt_index_copy(&to->index, &from->index)) {
		free(to->blocks);
		to->blocks = NULL;
		return -ENOMEM;
	}
	memcpy(to->blocks, from->blocks, from->count * sizeof(*to->blocks));
	to->count = to->room = from->count;
	*budget -= to->count;
	return 0;
}

void flt_page_set_free(struct flt_page_set *set, uint32_t *budget)
{
	*budget += set->count;
	free(set->blocks);
	flt_index_free(&set->index);
	*set = (struct flt_page_set){ 0 };
}
