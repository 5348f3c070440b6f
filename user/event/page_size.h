/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_size.h - sizes of pages, which differ between machines.
 *
 * A fault has the page size of the machine that saw it. A recording may be read on another
 * machine, so it contains the sizes (flt_recording_page_size()).
 */
#ifndef FLT_EVENT_PAGE_SIZE_H
#define FLT_EVENT_PAGE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Linux on machines of 64 bits has pages of 4 KiB to 64 KiB. */
#define FLT_PAGE_SHIFT_MIN 12u
#define FLT_PAGE_SHIFT_MAX 16u

struct flt_page_size {
	uint32_t shift;		/* a page has 1 << shift bytes */
	uint32_t huge;		/* pages of a huge page, and entries of a page table */
};

static inline bool flt_page_size_power(uint64_t n)
{
	return n && !(n & (n - 1));
}

/*
 * Convert sizes in bytes. An impossible size of pages becomes 4 KiB. An impossible size of huge
 * pages, such as 0 for unknown, becomes that of a page table of 8-byte entries, as x86-64 and
 * arm64 have: 2 MiB with pages of 4 KiB, 32 MiB with 16 KiB, 512 MiB with 64 KiB.
 */
static inline struct flt_page_size flt_page_size_of(uint64_t bytes, uint64_t huge_bytes)
{
	struct flt_page_size s = { .shift = FLT_PAGE_SHIFT_MIN };
	uint64_t most;

	if (flt_page_size_power(bytes) && bytes >> FLT_PAGE_SHIFT_MIN &&
	    bytes <= 1u << FLT_PAGE_SHIFT_MAX)
		s.shift = (uint32_t)__builtin_ctzll(bytes);
	most = 1ull << s.shift >> 3;
	s.huge = (uint32_t)most;
	if (flt_page_size_power(huge_bytes) && huge_bytes >> s.shift > 1 &&
	    huge_bytes >> s.shift <= most)
		s.huge = (uint32_t)(huge_bytes >> s.shift);
	return s;
}

#endif
