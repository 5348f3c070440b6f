// SPDX-License-Identifier: LGPL-2.1-or-later
/* eviction.c - drop clean pages; write changed pages back first. */
#include "eviction.h"

#include "core/uffd.h"
#include "core/victim.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Append a page to the private file, because the backing cannot be written. */
static int store(struct fltuffd *p, size_t page, const char *content)
{
	ssize_t n = -1;

	if (p->store < 0)
		p->store = memfd_create("fltuffd", MFD_CLOEXEC);
	if (p->store >= 0)
		n = pwrite(p->store, content, FLT_PAGE, (off_t)(page * FLT_PAGE));
	if (n != (ssize_t)FLT_PAGE)
		return n < 0 ? -errno : -EIO;
	p->region.state[page] |= PAGE_STORED;
	return 0;
}

static void note_write_error(struct fltuffd *p, int err)
{
	p->stats.errors++;
	if (!p->write_error)
		__atomic_store_n(&p->write_error, err, __ATOMIC_RELAXED);
}

int fltuffd_write_back(struct fltuffd *p, size_t page, char *buffer)
{
	const struct fltuffd_backing *b = &p->config.backing;
	uintptr_t a = flt_region_address(&p->region, page);
	bool was_read;
	int ret;

	/* From here on stores wait. After the wake-up they count as first stores again. */
	ret = uffd_protect(p->region.uffd, a, FLT_PAGE, UFFDIO_WRITEPROTECT_MODE_WP);
	if (ret)
		return ret;
	was_read = pread(p->region.memory, buffer, FLT_PAGE, (off_t)a) == (ssize_t)FLT_PAGE;
	if (!was_read)
		ret = -EFAULT;	/* dropped by the program */
	else if (b->write)
		ret = b->write(b->context, (uint64_t)page * FLT_PAGE, buffer, FLT_PAGE);
	else
		ret = store(p, page, buffer);
	if (ret) {
		/* A page that was dropped is no error of the backing. */
		if (was_read)
			note_write_error(p, ret);
		uffd_protect(p->region.uffd, a, FLT_PAGE, 0);
		return ret;
	}
	p->stats.written++;
	flt_region_set(&p->region, page, PAGE_CLEAN);
	return 0;
}

struct eviction {
	struct fltuffd *pager;
	char *buffer;
};

static size_t evict_run(void *owner, size_t first, size_t pages)
{
	struct eviction *e = owner;
	struct fltuffd *p = e->pager;
	size_t stayed = 0;

	for (size_t i = first; i < first + pages; i++) {
		uintptr_t a = flt_region_address(&p->region, i);

		if (flt_region_state(&p->region, i) == PAGE_DIRTY &&
		    fltuffd_write_back(p, i, e->buffer)) {
			flt_region_queue(&p->region, i);
			stayed++;
			continue;
		}
		madvise((void *)a, FLT_PAGE, MADV_DONTNEED);
		/* Stores that waited for the protection fault again and find the page missing. */
		uffd_wake(p->region.uffd, a, FLT_PAGE);
		flt_region_set(&p->region, i, PAGE_ABSENT);
		p->stats.evicted++;
	}
	return stayed;
}

void fltuffd_evict(struct fltuffd *p, size_t n, char *buffer)
{
	struct eviction e = { p, buffer };
	const struct flt_backing b = { .evict = evict_run, .owner = &e };
	/* Each entry is examined at most twice: once spared by CLOCK, once chosen. */
	size_t looks = 2 * (p->region.head - p->region.tail), excess;

	while ((excess = flt_victim_excess(&p->region, n)) &&
	       flt_victim_evict(&p->region, &b, excess, &looks))
		;
}
