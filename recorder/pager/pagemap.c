// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pagemap.c - which pages are there, and so the page states of a forked child.
 *
 * The child has a copy of its parent's states as they happened to be. Its page tables were
 * copied as a whole. So a page that is in the region is resident, and a page that is only in
 * the shadow is evicted.
 */
#include "pagemap.h"

#include "image/image.h"
#include "region/extent.h"
#include "region/region.h"
#include "region/shadow.h"
#include "residency.h"

#include <errno.h>
#include <fcntl.h>

#define PRESENT (3ULL << 62)	/* present or swapped */
#define CHUNK   512

static void set_state(size_t page, bool in_region, bool in_shadow)
{
	rec_region.state[page] &= FLT_PAGE_STATE;
	if (!rec_page_is_limited(page))
		return;
	rec_region.state[page] = PAGE_EMPTY;
	if (in_region && in_shadow)
		rec_shadow_drop(page, page + 1);
	if (in_region) {
		rec_residency_enter(page);
	} else if (in_shadow) {
		rec_page_reset(page, PAGE_EVICTED);
		rec_shadow.pages++;
	}
}

/* Return true if these pages have no content, and no marks. */
static bool is_untouched(size_t first, size_t end)
{
	for (; first < end; first++)
		switch (rec_region.state[first]) {
		case PAGE_UNMAPPED: case PAGE_EMPTY: case PAGE_GUARD: case PAGE_RESERVED:
			break;
		default:
			return false;
		}
	return true;
}

static long read_entries(long fd, uintptr_t address, uint64_t *entry, size_t n)
{
	return sys4(SYS_pread64, fd, entry, n * 8, address / FLT_PAGE * 8);
}

static long open_pagemap(void)
{
	return sys4(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_CLOEXEC, 0);
}

int rec_pagemap_present(size_t first, unsigned int pages, uint64_t *present)
{
	uint64_t entry[64];
	long fd = open_pagemap(), ret;

	if (fd < 0)
		return (int)fd;
	ret = read_entries(fd, rec_page_address(first), entry, pages);
	sys1(SYS_close, fd);
	if (ret != (long)pages * 8)
		return ret < 0 ? (int)ret : -EIO;
	*present = 0;
	for (unsigned int i = 0; i < pages; i++)
		*present |= (uint64_t)!!(entry[i] & PRESENT) << i;
	return 0;
}

int rec_pagemap_rebuild(void)
{
	static uint64_t region[CHUNK], shadow[CHUNK];
	long fd = open_pagemap(), ret = 0;
	size_t n, all = rec_extent_end();

	if (fd < 0)
		return (int)fd;
	rec_region.resident = rec_region.resident_peak = rec_shadow.pages = 0;
	rec_region.head = rec_region.tail = 0;
	for (size_t base = 0; base < all; base += n) {
		uintptr_t a = rec_page_address(base);

		n = all - base < CHUNK ? all - base : CHUNK;
		if (is_untouched(base, base + n))
			continue;
		ret = read_entries(fd, a, region, n);
		if (ret == (long)n * 8)
			ret = read_entries(fd, a + rec_shadow.distance, shadow, n);
		if (ret != (long)n * 8)
			break;
		for (size_t i = 0; i < n; i++)
			set_state(base + i, region[i] & PRESENT, shadow[i] & PRESENT);
	}
	sys1(SYS_close, fd);
	rec_image.totals->shadow = rec_shadow.pages;
	return ret < 0 ? (int)ret : 0;
}
