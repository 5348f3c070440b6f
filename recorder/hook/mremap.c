// SPDX-License-Identifier: GPL-2.0-or-later
/* remap.c - mappings that grow, shrink and move. */
#include "mmap.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

/* As a program would; what was never touched, or has gone already, need not be. */
static void copy(char *to, const char *old, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if ((rec.page[i] & REC_STATE) != REC_EMPTY)
			memcpy(to + (i - first) * REC_PAGE, old + (i - first) * REC_PAGE, REC_PAGE);
}

EXPORT void *mremap(void *old, size_t old_len, size_t new_len, int flags, ...)
{
	size_t first, end, pages = (new_len + REC_PAGE - 1) / REC_PAGE;
	void *fixed = NULL, *to;
	struct rec_held h;
	bool ours, grown = false, all = false;
	va_list ap;

	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) {
		va_start(ap, flags);
		fixed = va_arg(ap, void *);
		va_end(ap);
	}
	if (!old_len || !new_len || rec_memory_wraps(new_len) || !rec_memory_part(old, old_len, &first, &end))
		return (void *)rec_memory_answer(sys5(SYS_mremap, old, old_len, new_len, flags, fixed));
	if (rec_memory_holes(old, old_len)) {
		errno = EFAULT;
		return MAP_FAILED;
	}
	h = rec_memory_hold();
	ours = rec_memory_limited(first, end) && !(flags & ~MREMAP_MAYMOVE);
	if (!ours)
		rec_pager_eject(first, end);
	else if (pages <= end - first)
		rec_memory_give(first + pages, end);
	else
		grown = rec_region_take_at(end, pages - (end - first));
	if (grown)
		rec_pager_claim(end, first + pages);
	rec_memory_let(h);
	if (!ours)
		return (void *)rec_memory_answer(sys5(SYS_mremap, old, old_len, new_len, flags, fixed));
	if (pages <= end - first || grown)
		return old;
	if (!(flags & MREMAP_MAYMOVE)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	to = mmap(NULL, new_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		return to;
	/* beyond M there is no place for them to go to */
	if (rec_in_region(to)) {
		h = rec_memory_hold();
		all = rec_pager_relocate(first, end, ((uintptr_t)to - rec.lo) / REC_PAGE);
		rec_memory_let(h);
	}
	if (!all)
		copy(to, old, first, end);
	munmap(old, (end - first) * REC_PAGE);
	return to;
}
