// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * region.c - which address ranges of the region are free.
 *
 * Free ranges in order of address, never touching each other; first fit, so
 * that what was freed is used again before new addresses are. There is at most
 * one more of them than there are mappings.
 */
#include "rec.h"

#include <string.h>
#include <sys/mman.h>

struct range {
	size_t first, end;
};

#define RANGES (1u << 20)	/* address space of the table; touched as used */

static struct range *range;
static size_t count;

int rec_region_init(size_t pages)
{
	if (!range) {
		void *m = sys_mmap(NULL, RANGES * sizeof *range, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (sys_failed((long)m))
			return (int)(long)m;
		range = m;
	}
	range[0] = (struct range){ 0, pages };
	count = 1;
	return 0;
}

static void cut(size_t i, size_t first, size_t end)
{
	struct range r = range[i];

	if (r.first < first && end < r.end) {
		if (count == RANGES) {
			/* lose the tail's addresses rather than anything else */
			range[i].end = first;
			return;
		}
		memmove(&range[i + 1], &range[i], (count - i) * sizeof *range);
		count++;
		range[i].end = first;
		range[i + 1].first = end;
	} else if (r.first < first) {
		range[i].end = first;
	} else if (end < r.end) {
		range[i].first = end;
	} else {
		memmove(&range[i], &range[i + 1], (count - i - 1) * sizeof *range);
		count--;
	}
}

/* The first page of the range taken, or -1. align in pages, a power of two. */
ssize_t rec_region_take(size_t pages, size_t align)
{
	for (size_t i = 0; i < count; i++) {
		size_t base = rec.lo / REC_PAGE;
		size_t first = ((base + range[i].first + align - 1) & ~(align - 1)) - base;

		if (first + pages > range[i].end || first + pages < first)
			continue;
		cut(i, first, first + pages);
		return (ssize_t)first;
	}
	return -1;
}

bool rec_region_take_at(size_t first, size_t pages)
{
	for (size_t i = 0; i < count; i++)
		if (range[i].first <= first && first + pages <= range[i].end) {
			cut(i, first, first + pages);
			return true;
		}
	return false;
}

/* Overlap with what is free already is allowed: unmapping twice is no error. */
void rec_region_give(size_t first, size_t pages)
{
	size_t end = first + pages, i = 0, j;

	while (i < count && range[i].end < first)
		i++;
	for (j = i; j < count && range[j].first <= end; j++) {
		if (range[j].first < first)
			first = range[j].first;
		if (range[j].end > end)
			end = range[j].end;
	}
	if (j == i) {
		if (count == RANGES)
			return;
		memmove(&range[i + 1], &range[i], (count - i) * sizeof *range);
		count++;
	} else {
		memmove(&range[i + 1], &range[j], (count - j) * sizeof *range);
		count -= j - i - 1;
	}
	range[i] = (struct range){ first, end };
}
