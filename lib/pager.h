/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pager.h - inside of libfltuffd.
 *
 * A page's state changes under the pager's lock only. ABSENT -> LOADING by
 * whoever will read it from the backing, without the lock held; LOADING -> CLEAN
 * or DIRTY when it is filled, or -> ABSENT or BROKEN. A clean page is
 * write-protected, so the first store to it is a fault, which makes it DIRTY:
 * what is CLEAN under the lock cannot change until the lock is given up.
 *
 * Pager threads never load from or store to the region: content is read through
 * /proc/self/mem, which fails where a load would fault and wait for itself.
 */
#ifndef FLTUFFD_PAGER_H
#define FLTUFFD_PAGER_H

#include "fltuffd.h"

#include <pthread.h>

#define FLTUFFD_PAGE 4096u
#define FLTUFFD_RUN 256u	/* pages filled at once at most */

enum page_state {
	PAGE_ABSENT = 0,
	PAGE_LOADING,
	PAGE_CLEAN,
	PAGE_DIRTY,
	PAGE_BROKEN,		/* touching it is a signal */
};
#define PAGE_STATE  0x0f
#define PAGE_QUEUED 0x10	/* stands in the eviction queue */
#define PAGE_STORED 0x20	/* changed content is in the private file */
#define PAGE_AGAIN  0x40	/* came back after an eviction */
#define PAGE_SEEN   0x80	/* was resident before */

struct fltuffd {
	struct fltuffd_config config;
	char *memory;
	size_t pages, limit;
	int uffd, mem, stop, store;	/* store: memfd for changed pages, -1 until needed */
	bool has_poison;

	pthread_mutex_t lock;
	pthread_cond_t loaded;		/* a LOADING page is something else now */
	uint8_t *state;
	uint32_t *queue;
	size_t head, tail, mask;
	int error;
	struct fltuffd_stats stats;

	struct fltuffd_record *record;
	size_t recorded;
	uint64_t unrecorded;

	uint32_t *order;		/* replay, pages */
	size_t order_n, order_at;
	unsigned int ahead;

	pthread_t *thread;
	unsigned int threads;
};

uint64_t fltuffd_now(void);

/*
 * Fill page from the backing or the store, and up to `more` absent ones that
 * follow. The caller has the lock and found it ABSENT; the lock is released
 * meanwhile. -errno if this page could not be had; buffer: FLTUFFD_RUN pages.
 */
int fltuffd_fill(struct fltuffd *p, size_t page, unsigned int more, bool write, bool asked, char *buffer);
/* Room for n more pages; the caller has the lock. */
void fltuffd_evict(struct fltuffd *p, size_t n, char *buffer);
int fltuffd_write_back(struct fltuffd *p, size_t page, char *buffer);
void fltuffd_push(struct fltuffd *p, size_t page);
void fltuffd_note(struct fltuffd *p, const struct fltuffd_record *r);
/* Pages that the order being replayed has next, after a fault on page. */
size_t fltuffd_next(struct fltuffd *p, size_t page, uint32_t *out, size_t n);
void *fltuffd_thread(void *pager);

#endif
