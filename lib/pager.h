/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pager.h - state of one pager of libfltuffd.
 *
 * Page states change under the pager's lock only:
 *
 *	ABSENT -> LOADING -> CLEAN or DIRTY	filled from the backing
 *	                  -> ABSENT		could not be filled; the next access tries again
 *	                  -> BROKEN		the backing reported an error
 *	CLEAN -> DIRTY				first store
 *	DIRTY -> CLEAN				written back
 *	CLEAN -> ABSENT				evicted
 *
 * The thread that set LOADING reads the backing without the lock. A clean page is
 * write-protected, so the first store to it is a fault. Therefore a page that is CLEAN cannot
 * change while the lock is held.
 *
 * Pager threads never load from or store to the region, because such an access could fault
 * and wait for the thread itself. They read it through /proc/self/mem, which fails instead.
 */
#ifndef FLTUFFD_PAGER_H
#define FLTUFFD_PAGER_H

#include "core/region.h"
#include "fltuffd.h"

#include <pthread.h>

enum page_state {
	PAGE_ABSENT = 0,
	PAGE_LOADING,
	PAGE_BROKEN,			/* accesses raise SIGBUS or SIGSEGV */
	PAGE_CLEAN = FLT_PAGE_RESIDENT,
	PAGE_DIRTY,
};
#define PAGE_STORED 0x40		/* changed content is in the private file */
#define PAGE_SEEN   0x80		/* was resident before */

struct fltuffd {
	struct fltuffd_config config;
	struct flt_region region;
	int stop;			/* eventfd that ends the threads */
	int store;			/* memfd for changed pages, -1 until it is needed */
	bool has_poison;		/* the kernel has UFFDIO_POISON */

	pthread_mutex_t lock;
	pthread_cond_t loaded;		/* a page left the state LOADING */
	int error;			/* first error of the backing; read without the lock */
	int write_error;		/* the same of writing: the page stays, and is not broken */
	struct fltuffd_stats stats;	/* but resident and resident_peak: see region */

	struct fltuffd_record *record;
	size_t recorded;
	uint64_t unrecorded;

	uint32_t *order;		/* page numbers to replay, or NULL */
	size_t order_n, order_at;
	unsigned int ahead;

	pthread_t *thread;
	unsigned int threads;
};

#endif
