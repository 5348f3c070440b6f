// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * move.c - pages from one place to another by UFFDIO_MOVE, and how many have gone.
 *
 * Linux 6.18 does not always know. Its move_pages() keeps the -EAGAIN of a first try (a page
 * table entry changed meanwhile: its accessed bit was cleared, the page was migrated) when the
 * second has moved the page, takes it up once more, and finds its place taken: -EEXIST for a
 * page that has gone there. Since "userfaultfd: opportunistic TLB-flush batching for present
 * pages in MOVE"; up to 6.17 each try has its own result. So what is said to be there
 * already is taken for gone if it is no longer where it came from.
 */
#include "rec.h"
#include "uffd.h"

#include <errno.h>

/* The caller has the pager lock: nobody else fills the page meanwhile. */
static bool gone(uintptr_t from)
{
	unsigned char byte = 0;
	/* what is swapped out comes in by this; what is not there is an error */
	long ret = sys4(SYS_pread64, rec.memfd_self, &byte, 1, from);

	if (ret != -EBADF)
		return ret == -EIO;
	/* a program that may not be read: here what is swapped out would pass for gone */
	return !sys3(SYS_mincore, from, REC_PAGE, &byte) && !(byte & 1);
}

int rec_move(uintptr_t to, uintptr_t from, size_t pages, uint64_t mode, size_t *moved)
{
	size_t done = 0, bytes;
	int ret = 0;

	while (done < pages) {
		uintptr_t next = to + done * REC_PAGE;

		ret = uffd_move(rec.uffd, next, from + done * REC_PAGE, (pages - done) * REC_PAGE,
				mode, &bytes);
		done += bytes / REC_PAGE;
		/* of the first that did not go the next call tells */
		if (bytes)
			continue;
		if (ret != -EEXIST || !gone(from + done * REC_PAGE))
			break;
		if (!(mode & UFFDIO_MOVE_MODE_DONTWAKE))
			rec_pager_wake(next);
		done++;
	}
	*moved = done;
	return done < pages ? ret : 0;
}
