// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guard.c - unmapped pages of the region.
 *
 * Natively an access there raises SIGSEGV, and a system call fails with EFAULT. Programs with
 * that bug must not work here. Protecting each page that is unmapped would cost one system
 * call per munmap() and one per mmap(). So an unmapped page stays accessible, and only the
 * fault of an access to it makes it a guard page.
 */
#include "guard.h"

#include "lib/core/fill.h"
#include "lib/core/uffd.h"
#include "region/extent.h"
#include "region/region.h"

#include <sys/mman.h>

/* Make guard pages accessible again, without their content. */
static void open_guards(size_t first, size_t end)
{
	uintptr_t a = rec_page_address(first);
	size_t bytes = (end - first) * FLT_PAGE;

	sys3(SYS_madvise, a, bytes, MADV_DONTNEED);
	sys3(SYS_mprotect, a, bytes, PROT_READ | PROT_WRITE);
}

void rec_guard_map(size_t first, size_t end)
{
	size_t guards = first;	/* the guard pages before `first` begin here */

	for (; first < end; first++) {
		if (rec_page_state(first) != PAGE_GUARD) {
			if (guards < first)
				open_guards(guards, first);
			guards = first + 1;
		}
		rec_page_reset(first, PAGE_EMPTY);
	}
	if (guards < end)
		open_guards(guards, end);
}

void rec_guard_unmap(size_t first, size_t end)
{
	for (; first < end; first++) {
		enum page_state state = rec_page_state(first);

		/* A reserved page is inaccessible already. */
		if (state == PAGE_RESERVED)
			rec_page_reset(first, PAGE_GUARD);
		else if (state != PAGE_GUARD)
			rec_page_reset(first, PAGE_UNMAPPED);
	}
}

void rec_guard_open(void)
{
	size_t first = 0, end, high = rec_extent_end();

	for (; first < high; first = end) {
		for (end = first; end < high && rec_page_state(end) == PAGE_GUARD; end++)
			rec_page_reset(end, PAGE_UNMAPPED);
		if (first < end)
			open_guards(first, end);
		else
			end++;
	}
}

void rec_guard_raise(size_t page)
{
	uintptr_t a = rec_page_address(page);

	/* With too many mappings mprotect() fails. Then let the access succeed once. */
	if (sys_failed(sys3(SYS_mprotect, a, FLT_PAGE, PROT_NONE)))
		flt_fill_zero(rec_region.uffd, a, true, true);
	rec_page_reset(page, PAGE_GUARD);
	uffd_wake(rec_region.uffd, a, FLT_PAGE);
}
