// SPDX-License-Identifier: LGPL-2.1-or-later
/* fill.c - fill a missing page and handle the races: retry -EAGAIN, wake after -EEXIST. */
#include "fill.h"

#include "region.h"
#include "uffd.h"

#include <errno.h>

/* Attempts while the kernel changes the address space (fork, mremap). About 50 us in all. */
#define ATTEMPTS 64

static const char zeros[FLT_PAGE_MAX] __attribute__((aligned(FLT_PAGE_MAX)));

int flt_fill_copy(int uffd, uintptr_t page, const void *content, uint64_t mode)
{
	int ret;

	for (int i = 0; i < ATTEMPTS; i++) {
		ret = uffd_copy(uffd, page, (uintptr_t)content, FLT_PAGE, mode);
		if (ret != -EAGAIN)
			break;
	}
	if (ret && ret != -EAGAIN)
		uffd_wake(uffd, page, FLT_PAGE);
	return ret;
}

int flt_fill_zero(int uffd, uintptr_t page, bool write, bool wake)
{
	int ret;

	/* A store to the shared zero page would fault again to copy it. Copy now instead. */
	if (write)
		return flt_fill_copy(uffd, page, zeros, wake ? 0 : UFFDIO_COPY_MODE_DONTWAKE);
	for (int i = 0; i < ATTEMPTS; i++) {
		ret = uffd_zero(uffd, page, FLT_PAGE,
				wake ? 0 : UFFDIO_ZEROPAGE_MODE_DONTWAKE);
		if (ret != -EAGAIN)
			break;
	}
	if (ret && ret != -EAGAIN)
		uffd_wake(uffd, page, FLT_PAGE);
	return ret;
}
