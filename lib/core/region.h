/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * region.h - a region of memory whose pages come and go: states, accounts, eviction queue.
 *
 * The core of both pagers, libfltuffd and the recorder. It runs without a libc thread: no
 * malloc, no stdio, no errno, no locks. Callers hold the lock of the pager that owns the
 * region. The owner defines the page states and, in struct flt_backing, where the content of
 * an evicted page goes.
 */
#ifndef FLT_CORE_REGION_H
#define FLT_CORE_REGION_H

#include "arch/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The state byte of a page. The low bits are a state of the owner; 0 is the state of a page
 * in a new region. The bits above are marks. The upper two belong to the owner.
 */
#define FLT_PAGE_STATE    0x0f
#define FLT_PAGE_RESIDENT 0x08	/* set in all states of pages that are in memory and evictable */
#define FLT_PAGE_QUEUED   0x10	/* in the eviction queue */
#define FLT_PAGE_RETURNED 0x20	/* came back after an eviction; CLOCK spares it once */

struct flt_region {
	int uffd;
	int memory;		/* /proc/self/mem, for reads that must not fault; -1 = none */
	uintptr_t base;
	size_t count;		/* pages */
	uint8_t *state;		/* by page */
	uint32_t *queue;	/* ring in order of eviction; holds each page at most once */
	size_t head, tail, mask;
	size_t limit;		/* resident pages allowed, 0 = no limit */
	size_t resident;
	size_t resident_peak;	/* since flt_region_create(); nobody resets it */
	bool clock;		/* CLOCK, else FIFO */
};

/* Allocate the tables for `count` pages at `base`. Only touched parts take memory. */
int flt_region_create(struct flt_region *r, uintptr_t base, size_t count);
void flt_region_destroy(struct flt_region *r);

/* Append a page to the eviction queue. A page that is in the queue keeps its place. */
void flt_region_queue(struct flt_region *r, size_t page);
/* Count a page in that became resident, in the given state. */
void flt_region_enter(struct flt_region *r, size_t page, uint8_t state);

static inline uintptr_t flt_region_address(const struct flt_region *r, size_t page)
{
	return r->base + page * FLT_PAGE;
}

static inline bool flt_region_contains(const struct flt_region *r, uintptr_t address)
{
	return address >= r->base && address < r->base + r->count * FLT_PAGE;
}

static inline size_t flt_region_page(const struct flt_region *r, uintptr_t address)
{
	return (address - r->base) / FLT_PAGE;
}

static inline uint8_t flt_region_state(const struct flt_region *r, size_t page)
{
	return r->state[page] & FLT_PAGE_STATE;
}

/* Change the state of a page. All marks stay. */
static inline void flt_region_set(struct flt_region *r, size_t page, uint8_t state)
{
	r->state[page] = (uint8_t)((r->state[page] & ~FLT_PAGE_STATE) | state);
}

/* Change the state of a page and clear all marks but FLT_PAGE_QUEUED. */
static inline void flt_region_reset(struct flt_region *r, size_t page, uint8_t state)
{
	r->state[page] = (uint8_t)((r->state[page] & FLT_PAGE_QUEUED) | state);
}

#endif
