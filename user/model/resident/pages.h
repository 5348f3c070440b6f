/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages.h - the pages of a process at one moment, and the fault that brought each of them in.
 *
 * A page takes 5 bytes, and a run of adjacent pages 16 more: at most 24 bytes per page. Only
 * pages that are there at the moment take memory, whatever the process had before. So the
 * moment is read first, and then the faults before it are given in order of time.
 */
#ifndef FLT_MODEL_RESIDENT_PAGES_H
#define FLT_MODEL_RESIDENT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"
#include "event/page_size.h"

/* Memory that the model takes for a page, at most. */
#define FLT_RESIDENT_PAGE_BYTES 24u

/* Flags of a page that a source sets (source/proc/present.h has the same); the model adds RANK. */
enum flt_resident_flag {
	FLT_RESIDENT_CLASS = 3,		/* 0 anonymous, 1 file, 2 shmem, 3 hugetlb */
	FLT_RESIDENT_SHARED = 1 << 2,
	FLT_RESIDENT_HUGE = 1 << 3,
	FLT_RESIDENT_SWAPPED = 1 << 4,
	FLT_RESIDENT_RANK = 3 << 5,
	FLT_RESIDENT_TAIL = 1 << 7,	/* of the same large folio as the page before */
};

enum flt_resident_area_flag {
	FLT_RESIDENT_FILE = 1 << 0,	/* a fault may map neighbours, too (fault-around) */
	FLT_RESIDENT_ALONE = 1 << 1,	/* fork() copied no pages from the parent */
};

struct flt_resident_area {
	uint64_t start, end;	/* page numbers */
	char *name;
	unsigned int flags;	/* enum flt_resident_area_flag */
	uint32_t unit;		/* pages of a page of hugetlb, else 1 */
};

struct flt_resident_run {
	uint64_t page;		/* number of the first page: address / page size */
	uint32_t count, first;	/* pages, and index of the first one */
};

struct flt_resident_pages {
	struct flt_page_size page;
	struct flt_resident_area *areas;	/* ascending */
	uint32_t area_count, area_room;
	struct flt_resident_run *runs;		/* ascending */
	size_t run_count, run_room;
	unsigned char *flags;			/* of each page */
	uint32_t *owner;			/* of each page; 0: unknown */
	uint32_t count, room;
	uint32_t around;			/* maximum of pages mapped by a file fault */
};

/* A struct that is all zero but for .page and .around is empty. */
void flt_resident_pages_free(struct flt_resident_pages *p);
/* Forget all, but keep the memory. */
void flt_resident_pages_clear(struct flt_resident_pages *p);

/* Add areas, and after each area its pages, all ascending. -ENOMEM; -E2BIG: too many pages. */
int flt_resident_area_add(struct flt_resident_pages *p, uint64_t start, uint64_t end,
			  const char *name, unsigned int flags, uint32_t unit);
int flt_resident_page_add(struct flt_resident_pages *p, uint64_t page, unsigned int flags);
/* Return unused memory, and allocate the owners. -ENOMEM. */
int flt_resident_pages_settle(struct flt_resident_pages *p);
/* Return true if a page with a number in [start, end) is there. */
bool flt_resident_pages_have(const struct flt_resident_pages *p, uint64_t start, uint64_t end);
/* Return true if the area at an address, if any, cannot have pages of the parent. */
bool flt_resident_alone(const struct flt_resident_pages *p, uint64_t address);
/* Return the bytes that the pages take. */
uint64_t flt_resident_pages_bytes(const struct flt_resident_pages *p);

/*
 * Give the pages that a fault brought in to its owner:
 *   - the page of its address, unless the kind says that the page was there before, or that it
 *     was a different one;
 *   - if that page belongs to a file: its neighbours within the window of fault-around that have
 *     no fault of their own; the first fault of a window keeps them;
 *   - the other pages of a large folio. A folio of anonymous memory belongs to the last fault that
 *     filled or swapped it in. Without kinds, and in shared memory, pages with a fault of their own
 *     keep their owner;
 *   - all pages of a huge page. Without kinds, a huge page belongs to the last fault in it.
 */
void flt_resident_fault(struct flt_resident_pages *p, const struct flt_fault *f, uint32_t owner);
/*
 * Give the anonymous pages without a fault to `owner` where another part of the same huge page has
 * a fault: a collapse (khugepaged or MADV_COLLAPSE) filled them. Call after the last fault, and
 * only if all faults since the start of the process were given.
 */
void flt_resident_collapsed(struct flt_resident_pages *p, uint32_t owner);

#endif
