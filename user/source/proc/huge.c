// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/huge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/proc/machine.h"
#include "source/proc/pagemap.h"

#define KPF_THP (1ull << 22)

struct flt_huge {
	int kpageflags;
	uint64_t page_size;
	uint64_t pages;		/* of a huge page; 0: there are no huge pages */
	uint64_t *entry;	/* room for the entries of a huge page */
	uint64_t *start;	/* first pages of huge pages, ascending */
	size_t count, room, at;
};

int flt_huge_new(struct flt_huge **out, int kpageflags)
{
	struct flt_huge *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	*out = h;
	h->kpageflags = kpageflags;
	h->page_size = flt_machine_page();
	h->pages = flt_machine_huge_page() / h->page_size;
	h->entry = calloc(h->pages ? h->pages : 1, sizeof(*h->entry));
	return h->entry ? 0 : -ENOMEM;
}

void flt_huge_free(struct flt_huge *h)
{
	if (h) {
		free(h->entry);
		free(h->start);
	}
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
	struct flt_huge *h = huge;
	uint64_t at;
	int ret = 0;

	for (at = start / h->page_size; !ret && at < end / h->page_size; at += h->pages)
		ret = add(h, at);
	return ret;
}

/* Return whether the entries are the frames of one huge page. */
static bool is_one(const struct flt_huge *h)
{
	const uint64_t *entry = h->entry, first = entry[0] & FLT_PAGEMAP_PFN;
	uint64_t flags, i;

	for (i = 0; i < h->pages; i++)
		if (!(entry[i] & FLT_PAGEMAP_PRESENT) || (entry[i] & FLT_PAGEMAP_PFN) != first + i)
			return false;
	return first && !(first % h->pages) &&
	       pread(h->kpageflags, &flags, 8, (off_t)(first * 8)) == 8 && flags & KPF_THP;
}

static int guess(struct flt_huge *h, int pagemap, const struct flt_present_area *a)
{
	const uint64_t size = h->page_size;
	uint64_t at = (a->start / size + h->pages - 1) / h->pages * h->pages;
	int ret = 0;

	for (; !ret && at + h->pages <= a->end / size; at += h->pages) {
		if (pread(pagemap, h->entry, h->pages * 8, (off_t)(at * 8)) !=
		    (ssize_t)(h->pages * 8))
			return 0;
		if (is_one(h))
			ret = add(h, at);
	}
	return ret;
}

int flt_huge_find(struct flt_huge *h, int pagemap, const struct flt_present_area *a)
{
	int ret;

	h->count = h->at = 0;
	if (!a->sums.huge || !h->pages)
		return 0;
	ret = flt_pagemap_scan(pagemap, a->start, a->end, FLT_PAGEMAP_IS_HUGE, add_range, h);
	if (ret == -EOPNOTSUPP) {
		h->count = 0;
		ret = guess(h, pagemap, a);
		if (h->count * h->pages != a->sums.huge)
			h->count = 0;
	}
	return ret;
}

bool flt_huge_has(struct flt_huge *h, uint64_t page)
{
	while (h->at < h->count && page >= h->start[h->at] + h->pages)
		h->at++;
	return h->at < h->count && page >= h->start[h->at];
}
