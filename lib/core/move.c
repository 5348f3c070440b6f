// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * move.c - the only caller of UFFDIO_MOVE. It calls again if the kernel's result is stale.
 *
 * Linux 6.18 can return -EEXIST for a page that it moved. Its move_pages() tries a page again
 * when the page table entry changed meanwhile (the accessed bit was cleared, the page was
 * migrated). If the second try moves the page, the -EAGAIN of the first one survives, so the
 * kernel tries a third time and finds the destination occupied. This began with "userfaultfd:
 * opportunistic TLB-flush batching for present pages in MOVE"; up to 6.17 each try has its own
 * result. So -EEXIST counts as success if the page is no longer at its source.
 */
#include "move.h"

#include "uffd.h"

#include <errno.h>

static bool is_gone(const struct flt_region *r, uintptr_t from)
{
	unsigned char byte = 0;
	/* This read swaps the page in if need be and fails if the page is missing. */
	long ret = sys4(SYS_pread64, r->memory, &byte, 1, from);

	if (ret != -EBADF)
		return ret == -EIO;
	/*
	 * The process is not dumpable, so /proc/self/mem cannot be read. mincore() reports a
	 * swapped page as missing.
	 */
	return !sys3(SYS_mincore, from, FLT_PAGE, &byte) && !(byte & 1);
}

int flt_move(const struct flt_region *r, uintptr_t to, uintptr_t from, size_t pages,
	     uint64_t mode, size_t *moved)
{
	size_t done = 0, bytes;
	int ret = 0;

	while (done < pages) {
		uintptr_t next = to + done * FLT_PAGE;

		ret = uffd_move(r->uffd, next, from + done * FLT_PAGE, (pages - done) * FLT_PAGE,
				mode, &bytes);
		done += bytes / FLT_PAGE;
		/* After partial success the error may be stale. The next call has the real one. */
		if (bytes)
			continue;
		if (ret != -EEXIST || !is_gone(r, from + done * FLT_PAGE))
			break;
		if (!(mode & UFFDIO_MOVE_MODE_DONTWAKE))
			uffd_wake(r->uffd, next, FLT_PAGE);
		done++;
	}
	*moved = done;
	return done < pages ? ret : 0;
}
