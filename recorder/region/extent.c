// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extent.c - free extents of the region.
 *
 * A table of ranges in order of address that never touch each other. Allocation is first
 * fit, so freed addresses are reused before new ones. There is at most one more free range
 * than there are mappings.
 */
#include "extent.h"

#include "region.h"

#include <string.h>
#include <sys/mman.h>

struct range {
	size_t first, end;
};

#define RANGES (1u << 20)	/* only touched parts take memory */

struct rec_lock rec_map_lock;

static struct range *range;
static size_t count;
static size_t high;	/* read without the lock */

size_t rec_extent_end(void)
{
	return __atomic_load_n(&high, __ATOMIC_ACQUIRE);
}

int rec_extent_init(size_t pages)
{
	if (!range) {
		void *m = sys_mmap(NULL, RANGES * sizeof *range, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (sys_failed((long)m))
			return (int)(long)m;
		/* The first ranges would take a huge page. */
		sys3(SYS_madvise, m, RANGES * sizeof *range, MADV_NOHUGEPAGE);
		range = m;
	}
	range[0] = (struct range){ 0, pages };
	count = 1;
	high = 0;
	return 0;
}

size_t rec_extent_free(void)
{
	size_t pages = 0;

	for (size_t i = 0; i < count; i++)
		pages += range[i].end - range[i].first;
	return pages;
}

/* Remove [first, end) from range i, which contains it. */
static void remove_part(size_t i, size_t first, size_t end)
{
	struct range r = range[i];

	if (end > high)
		__atomic_store_n(&high, end, __ATOMIC_RELEASE);
	if (r.first < first && end < r.end) {
		if (count == RANGES) {
			/* The table is full: the addresses after `end` are lost. */
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

ssize_t rec_extent_take(size_t pages, size_t align)
{
	for (size_t i = 0; i < count; i++) {
		size_t base = rec_region.base / FLT_PAGE;
		size_t first = ((base + range[i].first + align - 1) & ~(align - 1)) - base;

		if (first + pages > range[i].end || first + pages < first)
			continue;
		remove_part(i, first, first + pages);
		return (ssize_t)first;
	}
	return -1;
}

bool rec_extent_take_at(size_t first, size_t pages)
{
	for (size_t i = 0; i < count; i++)
		if (range[i].first <= first && first + pages <= range[i].end) {
			remove_part(i, first, first + pages);
			return true;
		}
	return false;
}

void rec_extent_give(size_t first, size_t pages)
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
