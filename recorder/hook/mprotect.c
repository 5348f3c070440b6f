// SPDX-License-Identifier: GPL-2.0-or-later
/* protect.c - memory that is protected or locked is taken out of the limit before. */
#include "mmap.h"

#include <errno.h>
#include <sys/mman.h>

static void eject(const void *addr, size_t len)
{
	uintptr_t from = (uintptr_t)addr & ~(REC_PAGE - 1);
	size_t first, end, to;
	struct rec_held h;

	if (!rec_memory_part((void *)from, len + ((uintptr_t)addr - from), &first, &end))
		return;
	h = rec_memory_hold();
	for (; first < end; first = to) {
		int state = rec.page[first] & REC_STATE;
		bool none = rec_pager_free(first);

		for (to = first + 1; to < end && rec_pager_free(to) == none; to++)
			if (((rec.page[to] & REC_STATE) == REC_PLAIN) != (state == REC_PLAIN))
				break;
		if (none)	/* of mlockall() only, and nobody will ask for it any more */
			sys2(SYS_munmap, rec.lo + first * REC_PAGE, (to - first) * REC_PAGE);
		else if (state != REC_PLAIN)
			rec_pager_eject(first, to);
	}
	rec_memory_let(h);
}

static bool protect_is_noop(void *addr, size_t len, int prot)
{
	size_t first, end;

	return prot == (PROT_READ | PROT_WRITE) && rec_memory_part(addr, len, &first, &end) &&
	       rec_in_region((char *)addr + len - 1) && rec_memory_limited(first, end);
}

EXPORT int mprotect(void *addr, size_t len, int prot)
{
	if (len && rec_memory_holes(addr, len))
		return (int)rec_memory_answer(-ENOMEM);
	if (len && protect_is_noop(addr, len, prot))
		return 0;
	if (len)
		eject(addr, len);
	return (int)rec_memory_answer(sys3(SYS_mprotect, addr, len, prot));
}

EXPORT int pkey_mprotect(void *addr, size_t len, int prot, int key)
{
	if (len && rec_memory_holes(addr, len))
		return (int)rec_memory_answer(-ENOMEM);
	if (len)
		eject(addr, len);
	return (int)rec_memory_answer(key == -1 ? sys3(SYS_mprotect, addr, len, prot) :
				       sys4(SYS_pkey_mprotect, addr, len, prot, key));
}

EXPORT int mlock(const void *addr, size_t len)
{
	if (len && rec_memory_holes(addr, len))
		return (int)rec_memory_answer(-ENOMEM);
	if (len)
		eject(addr, len);
	return (int)rec_memory_answer(sys2(SYS_mlock, addr, len));
}

EXPORT int mlock2(const void *addr, size_t len, unsigned int flags)
{
	if (len && rec_memory_holes(addr, len))
		return (int)rec_memory_answer(-ENOMEM);
	if (len)
		eject(addr, len);
	return (int)rec_memory_answer(sys3(SYS_mlock2, addr, len, flags));
}

EXPORT int mlockall(int flags)
{
	if (rec.ready) {
		/* everything there is or will be must stay in: nothing left to limit */
		rec_memory_no_more = true;
		eject((void *)rec.lo, rec.hi - rec.lo);
		sys2(SYS_munmap, rec.lo + rec.distance, rec.hi - rec.lo);
	}
	return (int)rec_memory_answer(sys1(SYS_mlockall, flags));
}
