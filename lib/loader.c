// SPDX-License-Identifier: LGPL-2.1-or-later
/* loader.c - read pages from the backing and put them into the region. */
#include "loader.h"

#include "core/fill.h"
#include "core/uffd.h"
#include "eviction.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

void fltuffd_break_page(struct fltuffd *p, size_t page, int err)
{
	uintptr_t a = flt_region_address(&p->region, page);

	flt_region_set(&p->region, page, PAGE_BROKEN);
	p->stats.errors++;
	if (!p->error)
		__atomic_store_n(&p->error, err, __ATOMIC_RELAXED);
	if (!p->has_poison || uffd_poison(p->region.uffd, a, FLT_PAGE)) {
		mprotect((void *)a, FLT_PAGE, PROT_NONE);
		uffd_wake(p->region.uffd, a, FLT_PAGE);
	}
}

void fltuffd_report(struct fltuffd *p, size_t page, int err)
{
	if (!p->config.on_error)
		return;
	/* The callback may call the pager. */
	pthread_mutex_unlock(&p->lock);
	p->config.on_error(p->config.error_context, (uint64_t)page * FLT_PAGE, err);
	pthread_mutex_lock(&p->lock);
}

static int read_run(struct fltuffd *p, size_t page, size_t n, bool stored, char *buffer)
{
	const struct fltuffd_backing *b = &p->config.backing;
	uint64_t offset = (uint64_t)page * FLT_PAGE;
	ssize_t got;

	if (!stored)
		return b->read(b->context, offset, buffer, n * FLT_PAGE);
	got = pread(p->store, buffer, n * FLT_PAGE, (off_t)offset);
	if (got < 0)
		return -errno;
	return (size_t)got == n * FLT_PAGE ? 0 : -EIO;
}

/* Return the length of the run that begins at `page`. All its pages have the same source. */
static size_t run_length(const struct fltuffd *p, size_t page, unsigned int more, bool stored)
{
	const struct flt_region *r = &p->region;
	size_t n = 1;

	if (more > FLTUFFD_RUN - 1)
		more = FLTUFFD_RUN - 1;
	if (r->limit && more > r->limit / 4)
		more = (unsigned int)(r->limit / 4);
	while (n <= more && page + n < r->count &&
	       flt_region_state(r, page + n) == PAGE_ABSENT &&
	       !!(r->state[page + n] & PAGE_STORED) == stored)
		n++;
	return n;
}

static void count_in(struct fltuffd *p, size_t page, enum page_state state, bool asked)
{
	struct flt_region *r = &p->region;

	flt_region_enter(r, page, (uint8_t)state);
	if (r->state[page] & PAGE_SEEN) {
		r->state[page] |= FLT_PAGE_RETURNED;
		p->stats.refaults += asked;
	}
	r->state[page] |= PAGE_SEEN;
	p->stats.prefetched += !asked;
}

/* Put one page that was read into the region. Return 0 or -errno; then the page is ABSENT. */
static int put_in(struct fltuffd *p, size_t page, const char *content, bool write, bool asked)
{
	bool dirty = write || p->region.state[page] & PAGE_STORED;
	int ret = flt_fill_copy(p->region.uffd, flt_region_address(&p->region, page), content,
				dirty ? 0 : UFFDIO_COPY_MODE_WP);

	/* Present, perhaps swapped out, and may have been written since: do not drop it. */
	if (ret == -EEXIST)
		dirty = true;
	else if (ret == -EAGAIN)
		uffd_wake(p->region.uffd, flt_region_address(&p->region, page), FLT_PAGE);
	if (ret && ret != -EEXIST) {
		flt_region_set(&p->region, page, PAGE_ABSENT);
		return ret;
	}
	count_in(p, page, dirty ? PAGE_DIRTY : PAGE_CLEAN, asked);
	return 0;
}

int fltuffd_load_run(struct fltuffd *p, size_t page, unsigned int more, bool write, bool asked,
		     char *buffer)
{
	bool stored = p->region.state[page] & PAGE_STORED;
	size_t n = run_length(p, page, more, stored), good = n, i;
	int ret, err;

	for (i = 0; i < n; i++)
		flt_region_set(&p->region, page + i, PAGE_LOADING);
	pthread_mutex_unlock(&p->lock);
	err = read_run(p, page, n, stored, buffer);
	if (err) {
		/* One bad page must not fail its neighbours. */
		if (n > 1)
			err = read_run(p, page, 1, stored, buffer);
		good = 1;
	}
	pthread_mutex_lock(&p->lock);
	/* Evict as late as possible: the content has been read. */
	fltuffd_evict(p, good, buffer + FLTUFFD_RUN * FLT_PAGE);
	for (i = good; i < n; i++) {
		flt_region_set(&p->region, page + i, PAGE_ABSENT);
		uffd_wake(p->region.uffd, flt_region_address(&p->region, page + i), FLT_PAGE);
	}
	if (err) {
		fltuffd_break_page(p, page, err);
		pthread_cond_broadcast(&p->loaded);
		fltuffd_report(p, page, err);
		return err;
	}
	for (i = 0; i < good; i++) {
		ret = put_in(p, page + i, buffer + i * FLT_PAGE, write && i == 0, asked && i == 0);
		if (i == 0)
			err = ret;
	}
	pthread_cond_broadcast(&p->loaded);
	return err;
}
