// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claim.c - pages of the region that are nobody's.
 *
 * Natively a load or store there is a signal, and EFAULT in a system call, and programs
 * with that mistake must not get away with it here. To protect what is unmapped would
 * cost each munmap() a call and each mmap() another; so it stays as it is, and a page is
 * made inaccessible only when it is found to be touched.
 */
#include "rec.h"
#include "uffd.h"

#include <sys/mman.h>

static const char zeros[REC_PAGE] __attribute__((aligned(4096)));

static uintptr_t at(size_t page)
{
	return rec.lo + page * REC_PAGE;
}

static void set(size_t page, enum rec_page state)
{
	rec.page[page] = (uint8_t)((rec.page[page] & REC_QUEUED) | state);
}

void rec_pager_claim(size_t first, size_t end)
{
	for (; first < end; first++) {
		if ((rec.page[first] & REC_STATE) == REC_BARRED) {
			sys3(SYS_madvise, at(first), REC_PAGE, MADV_DONTNEED);
			sys3(SYS_mprotect, at(first), REC_PAGE, PROT_READ | PROT_WRITE);
		}
		set(first, REC_EMPTY);
	}
}

void rec_pager_disown(size_t first, size_t end)
{
	for (; first < end; first++)
		if ((rec.page[first] & REC_STATE) != REC_BARRED)
			set(first, REC_FREE);
}

void rec_pager_bar(size_t page)
{
	/* too many mappings: it gets away with it, but the next owner will see zeros */
	if (sys_failed(sys3(SYS_mprotect, at(page), REC_PAGE, PROT_NONE)))
		uffd_copy(rec.uffd, at(page), (uintptr_t)zeros, REC_PAGE, 0);
	set(page, REC_BARRED);
	rec_pager_wake(at(page));
}
