// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/huge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/proc/pagemap.h"

#define KPF_THP (1ull << 22)
#define HUGE_PAGES 512u

struct flt_huge {
	int kpageflags;
	uint64_t *start;	/* first pages of ranges of 512, ascending */
	size_t count, room, at;
};

int flt_huge_new(struct flt_huge **out, int kpageflags)
{
	struct flt_huge *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->kpageflags = kpageflags;
	*out = h;
	return 0;
}

void flt_huge_free(struct flt_huge *h)
{
	if (h)
		free(h->start);
	free(h);
}

static int add(struct flt_huge *h, uint64_t start)
{
	size_t room = h->room ? h->room * 2 : 64;
	uint64_t *more;

	if (h->count == h->room) {
		more = reallocarray(h->start, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		h->start = more;
		h->room = room;
	}
	h->start[h->count++] = start;
	return 0;
}

static int add_range(void *huge, uint64_t start, uint64_t end)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t at;
	int ret = 0;

	for (at = start; !ret && at < end; at += HUGE_PAGES * size)
		ret = add(huge, at / size);
	return ret;
}

/* Return whether these are the frames of one huge page. */
static bool is_one(const struct flt_huge *h, const uint64_t entry[HUGE_PAGES])
{
	const uint64_t first = entry[0] & FLT_PAGEMAP_PFN;
	uint64_t flags;
	unsigned int i;

	for (i = 0; i < HUGE_PAGES; i++)
		if (!(entry[i] & FLT_PAGEMAP_PRESENT) || (entry[i] & FLT_PAGEMAP_PFN) != first + i)
			return false;
	return first && !(first % HUGE_PAGES) &&
	       pread(h->kpageflags, &flags, 8, (off_t)(first * 8)) == 8 && flags & KPF_THP;
}

static int guess(struct flt_huge *h, int pagemap, const struct flt_present_area *a, uint64_t size)
{
	uint64_t at = (a->start / size + HUGE_PAGES - 1) / HUGE_PAGES * HUGE_PAGES;
	uint64_t entry[HUGE_PAGES];
	int ret = 0;

	for (; !ret && at + HUGE_PAGES <= a->end / size; at += HUGE_PAGES) {
		if (pread(pagemap, entry, sizeof(entry), (off_t)(at * 8)) != sizeof(entry))
			return 0;
		if (is_one(h, entry))
			ret = add(h, at);
	}
	return ret;
}

int flt_huge_find(struct flt_huge *h, int pagemap, const struct flt_present_area *a)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	int ret;

	h->count = h->at = 0;
	if (!a->sums.huge)
		return 0;
	ret = flt_pagemap_scan(pagemap, a->start, a->end, FLT_PAGEMAP_IS_HUGE, add_range, h);
	if (ret == -EOPNOTSUPP) {
		h->count = 0;
		ret = guess(h, pagemap, a, size);
		if (h->count * HUGE_PAGES != a->sums.huge)
			h->count = 0;
	}
	return ret;
}

bool flt_huge_has(struct flt_huge *h, uint64_t page)
{
	while (h->at < h->count && page >= h->start[h->at] + HUGE_PAGES)
		h->at++;
	return h->at < h->count && page >= h->start[h->at];
}
