// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shadow.c - move pages into the shadow and back.
 *
 * UFFDIO_MOVE moves the page itself: nothing is copied, a store that comes meanwhile faults
 * and waits, and the kernel refuses memory that is pinned for I/O. On older kernels pages are
 * write-protected, copied and dropped. There a page that is the target of direct I/O at that
 * moment loses what the device writes afterwards.
 */
#include "shadow.h"

#include "image/image.h"
#include "lib/core/fill.h"
#include "lib/core/move.h"
#include "lib/core/uffd.h"
#include "region.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>

#define ATTEMPTS 64	/* while the kernel changes the address space */

struct rec_shadow rec_shadow;

static uintptr_t place_of(size_t page)
{
	return rec_page_address(page) + rec_shadow.distance;
}

void rec_shadow_drop(size_t first, size_t end)
{
	sys3(SYS_madvise, place_of(first), (end - first) * FLT_PAGE, MADV_DONTNEED);
}

/*
 * Add 0 to a word of the page atomically, with a futex operation. Like a store, this makes the
 * page private. But a store to a page that has just left would wait in a fault that only the
 * caller can serve, and the futex operation fails instead. It wakes no thread on `unused`. If
 * its comparison is true by chance, a thread that waits on the word wakes up spuriously, which
 * every futex user must expect.
 */
int rec_shadow_unshare(uintptr_t address)
{
	static uint32_t unused;	/* no thread ever waits here */

	return (int)sys6(SYS_futex, (long)&unused, FUTEX_WAKE_OP_PRIVATE, 0, 0, (long)address,
			 FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0x5a5));
}

/* Mark a victim that cannot leave now (a pinned page) as resident again. */
static void keep(size_t page)
{
	flt_region_set(&rec_region, page, PAGE_RESIDENT);
	flt_region_queue(&rec_region, page);
	rec_shadow.pages--;
}

/*
 * Handle the error of the first page of a run that did not move. Return true to try again.
 * *tries counts attempts since the last page that moved.
 */
static bool try_again(size_t page, int err, int *tries)
{
	switch (err) {
	case -EAGAIN:
		return (*tries)++ < 8;
	case -EBUSY:
		return (*tries)++ < 2 && !rec_shadow_unshare(rec_page_address(page));
	case -EEXIST:
		/* A copy that was kept for a forked child. */
		if ((*tries)++ >= 2)
			return false;
		rec_shadow_drop(page, page + 1);
		return true;
	default:
		return false;
	}
}

static size_t move_run(size_t first, size_t pages)
{
	size_t end = first + pages, moved, stayed = 0;
	int tries = 0, ret;

	while (first < end) {
		ret = flt_move(&rec_region, place_of(first), rec_page_address(first), end - first,
			       UFFDIO_MOVE_MODE_DONTWAKE, &moved);
		rec_image.totals->evict_calls++;
		first += moved;
		if (!ret)
			break;
		if (moved)
			tries = 0;
		if (try_again(first, ret, &tries))
			continue;
		tries = 0;
		if (ret == -EAGAIN && rec_shadow.frozen) {
			/* The kernel is forking. None of these pages will move now. */
			for (; first < end; first++, stayed++)
				keep(first);
			break;
		}
		if (ret == -EINVAL && end - first > 1) {
			/* The run crosses two mappings. Move its pages one by one. */
			stayed += move_run(first++, 1);
		} else if (ret == -ENOENT) {
			/* The program dropped the page unseen. */
			flt_region_set(&rec_region, first++, PAGE_EMPTY);
			rec_shadow.pages--;
		} else {
			keep(first++);
			stayed++;
		}
	}
	return stayed;
}

static size_t copy_run(size_t first, size_t pages)
{
	size_t stayed = 0;

	for (size_t i = first; i < first + pages; i++) {
		uintptr_t a = rec_page_address(i);
		long got = -EFAULT;

		/* Stores wait from here on. After the wake-up they fault on a missing page. */
		if (!uffd_protect(rec_region.uffd, a, FLT_PAGE, UFFDIO_WRITEPROTECT_MODE_WP))
			got = sys4(SYS_pread64, rec_region.memory, place_of(i), FLT_PAGE, a);
		if (got == (long)FLT_PAGE) {
			sys3(SYS_madvise, a, FLT_PAGE, MADV_DONTNEED);
			uffd_wake(rec_region.uffd, a, FLT_PAGE);
			continue;
		}
		uffd_protect(rec_region.uffd, a, FLT_PAGE, 0);
		keep(i);
		stayed++;
	}
	rec_image.totals->evict_calls += pages;
	rec_image.totals->evict_copies += pages - stayed;
	return stayed;
}

size_t rec_shadow_put(void *unused, size_t first, size_t pages)
{
	(void)unused;
	/* Change the states before the pages move, because rec_fault_rescue() relies on it. */
	for (size_t i = first; i < first + pages; i++)
		flt_region_set(&rec_region, i, PAGE_EVICTED);
	rec_shadow.pages += pages;
	return rec_shadow.can_move ? move_run(first, pages) : copy_run(first, pages);
}

int rec_shadow_fetch(size_t page, bool wake, bool *copied)
{
	uintptr_t a = rec_page_address(page);
	size_t moved;
	int ret = -EBUSY;

	*copied = false;
	if (rec_shadow.can_move && !rec_shadow.frozen)
		for (int i = 0; i < ATTEMPTS; i++) {
			ret = flt_move(&rec_region, a, place_of(page), 1,
				       wake ? 0 : UFFDIO_MOVE_MODE_DONTWAKE, &moved);
			if (ret != -EAGAIN)
				break;
		}
	if (ret == -EBUSY || ret == -EINVAL) {
		/*
		 * Shared with a forked child, or the child needs the shadow's copy. EINVAL: the
		 * program locked its memory by a system call that the recorder did not see.
		 */
		ret = flt_fill_copy(rec_region.uffd, a, (void *)place_of(page),
				    wake ? 0 : UFFDIO_COPY_MODE_DONTWAKE);
		*copied = !ret;
	} else if (ret && ret != -EAGAIN) {
		uffd_wake(rec_region.uffd, a, FLT_PAGE);
	}
	return ret;
}
