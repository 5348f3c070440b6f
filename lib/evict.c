// SPDX-License-Identifier: LGPL-2.1-or-later
/* evict.c - keep to the limit: clean pages are dropped, changed ones written first. */
#include "pager.h"
#include "uffd_abi.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

void fltuffd_push(struct fltuffd *p, size_t page)
{
	if (p->state[page] & PAGE_QUEUED)
		return;
	p->state[page] |= PAGE_QUEUED;
	p->queue[p->head++ & p->mask] = (uint32_t)page;
}

static int protect(struct fltuffd *p, size_t page, bool on)
{
	struct uffdio_writeprotect w = {
		.range = { (uintptr_t)p->memory + page * FLTUFFD_PAGE, FLTUFFD_PAGE },
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	return ioctl(p->uffd, UFFDIO_WRITEPROTECT, &w) ? -errno : 0;
}

/*
 * A changed page to the backing or the private file; it is CLEAN then, or still
 * DIRTY if this fails. Stores sleep meanwhile and are told apart as any first one.
 */
int fltuffd_write_back(struct fltuffd *p, size_t page, char *buffer)
{
	const struct fltuffd_backing *b = &p->config.backing;
	uint64_t offset = (uint64_t)page * FLTUFFD_PAGE;
	ssize_t n;
	int ret;

	ret = protect(p, page, true);
	if (ret)
		return ret;
	n = pread(p->mem, buffer, FLTUFFD_PAGE, (off_t)((uintptr_t)p->memory + offset));
	if (n != FLTUFFD_PAGE) {
		ret = -EFAULT;	/* dropped by the program */
	} else if (b->write) {
		ret = b->write(b->context, offset, buffer, FLTUFFD_PAGE);
	} else {
		if (p->store < 0)
			p->store = memfd_create("fltuffd", MFD_CLOEXEC);
		n = p->store < 0 ? -1 : pwrite(p->store, buffer, FLTUFFD_PAGE, (off_t)offset);
		ret = n == FLTUFFD_PAGE ? 0 : n < 0 ? -errno : -EIO;
		if (!ret)
			p->state[page] |= PAGE_STORED;
	}
	if (ret) {
		protect(p, page, false);
		return ret;
	}
	p->stats.written++;
	p->state[page] = (uint8_t)((p->state[page] & ~PAGE_STATE) | PAGE_CLEAN);
	return 0;
}

void fltuffd_evict(struct fltuffd *p, size_t n, char *buffer)
{
	size_t looks = 2 * (p->head - p->tail);

	while (p->limit && p->stats.resident + n > p->limit && looks-- && p->head != p->tail) {
		uint32_t page = p->queue[p->tail++ & p->mask];
		uint8_t s = p->state[page];
		uintptr_t a = (uintptr_t)p->memory + (size_t)page * FLTUFFD_PAGE;
		struct uffdio_range r = { a, FLTUFFD_PAGE };

		p->state[page] &= (uint8_t)~(PAGE_QUEUED | PAGE_AGAIN);
		if ((s & PAGE_STATE) != PAGE_CLEAN && (s & PAGE_STATE) != PAGE_DIRTY)
			continue;
		if (p->config.policy == FLTUFFD_CLOCK && s & PAGE_AGAIN) {
			fltuffd_push(p, page);
			continue;
		}
		if ((s & PAGE_STATE) == PAGE_DIRTY && fltuffd_write_back(p, page, buffer)) {
			fltuffd_push(p, page);	/* stays, above the limit if need be */
			continue;
		}
		madvise((void *)a, FLTUFFD_PAGE, MADV_DONTNEED);
		/* a store that slept on its protection finds it missing now */
		ioctl(p->uffd, UFFDIO_WAKE, &r);
		p->state[page] &= (uint8_t)~PAGE_STATE;
		p->stats.resident--;
		p->stats.evicted++;
	}
}
