// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mprotect.c - memory is taken out of the limit before it is protected or locked. Reserved memory
 * comes under the limit when it is made accessible.
 */
#include "image/image.h"
#include "pager/reservation.h"
#include "range.h"
#include "region/region.h"
#include "region/shadow.h"

#include <errno.h>
#include <sys/mman.h>

/* Return true if the whole range has this protection already. */
static bool protect_is_noop(void *addr, size_t len, int prot)
{
	size_t first, end;

	if (!rec_range_is_inside(addr, len) || !rec_range_pages(addr, len, &first, &end))
		return false;
	return prot == PROT_NONE ? rec_reservation_is_all(first, end) :
	       prot == (PROT_READ | PROT_WRITE) && rec_range_is_limited(first, end);
}

/*
 * Make reserved pages of the range accessible. Return false if there are none, or if new memory is
 * not limited any more. *ret: the result of the kernel.
 */
static bool open_reservation(void *addr, size_t len, long *ret)
{
	size_t first, end;
	struct rec_held h;
	bool done;

	if (!rec_range_pages(addr, len, &first, &end))
		return false;
	h = rec_range_lock();
	done = !rec_range_is_full() && rec_reservation_has_any(first, end);
	if (done) {
		/* The limited pages of the range have this protection already. */
		*ret = sys3(SYS_mprotect, addr, len, PROT_READ | PROT_WRITE);
		if (!sys_failed(*ret))
			rec_reservation_open(first, end);
	}
	rec_range_unlock(h);
	return done;
}

/* Protect memory that is not limited. What is limited is taken out of the limit. */
static long protect(void *addr, size_t len, int prot)
{
	size_t first, end;
	struct rec_held h;
	long ret;

	if (rec_range_all_locked || !rec_range_pages(addr, len, &first, &end))
		return sys3(SYS_mprotect, addr, len, prot);
	h = rec_range_lock();
	if (prot == PROT_NONE)
		rec_reservation_close(first, end);
	else
		rec_range_eject_pages(first, end);
	ret = sys3(SYS_mprotect, addr, len, prot);
	if (!sys_failed(ret) && prot != PROT_NONE)
		rec_reservation_open(first, end);
	rec_range_unlock(h);
	return ret;
}

REC_EXPORT int mprotect(void *addr, size_t len, int prot)
{
	long ret;

	if (len && rec_range_has_holes(addr, len))
		return (int)rec_range_result(-ENOMEM);
	if (len && protect_is_noop(addr, len, prot))
		return 0;
	if (prot == (PROT_READ | PROT_WRITE) && len && open_reservation(addr, len, &ret))
		return (int)rec_range_result(ret);
	return (int)rec_range_result(protect(addr, len, prot));
}

REC_EXPORT int pkey_mprotect(void *addr, size_t len, int prot, int key)
{
	if (len && rec_range_has_holes(addr, len))
		return (int)rec_range_result(-ENOMEM);
	if (len)
		rec_range_eject(addr, len);
	return (int)rec_range_result(key == -1 ? sys3(SYS_mprotect, addr, len, prot) :
				       sys4(SYS_pkey_mprotect, addr, len, prot, key));
}

REC_EXPORT int mlock(const void *addr, size_t len)
{
	if (len && rec_range_has_holes(addr, len))
		return (int)rec_range_result(-ENOMEM);
	if (len)
		rec_range_eject(addr, len);
	return (int)rec_range_result(sys2(SYS_mlock, addr, len));
}

REC_EXPORT int mlock2(const void *addr, size_t len, unsigned int flags)
{
	if (len && rec_range_has_holes(addr, len))
		return (int)rec_range_result(-ENOMEM);
	if (len)
		rec_range_eject(addr, len);
	return (int)rec_range_result(sys3(SYS_mlock2, addr, len, flags));
}

REC_EXPORT int mlockall(int flags)
{
	size_t bytes = rec_region.count * FLT_PAGE;
	struct rec_held h;

	if (rec_image_is_ready()) {
		/*
		 * All memory must stay resident from now on, so nothing is left to limit. Other
		 * threads test the flag under the lock, before they take pages of the region.
		 */
		h = rec_range_lock();
		rec_range_all_locked = true;
		rec_range_eject_pages(0, rec_region.count);
		rec_range_unlock(h);
		sys2(SYS_munmap, rec_region.base + rec_shadow.distance, bytes);
	}
	return (int)rec_range_result(sys1(SYS_mlockall, flags));
}
