// SPDX-License-Identifier: GPL-2.0-or-later
/* mprotect.c - memory is taken out of the limit before it is protected or locked. */
#include "image/image.h"
#include "range.h"
#include "region/region.h"
#include "region/shadow.h"

#include <errno.h>
#include <sys/mman.h>

/* Return true if the range is limited, so it has this protection already. */
static bool protect_is_noop(void *addr, size_t len, int prot)
{
	size_t first, end;

	return prot == (PROT_READ | PROT_WRITE) && rec_range_pages(addr, len, &first, &end) &&
	       rec_region_contains((uintptr_t)addr + len - 1) && rec_range_is_limited(first, end);
}

REC_EXPORT int mprotect(void *addr, size_t len, int prot)
{
	if (len && rec_range_has_holes(addr, len))
		return (int)rec_range_result(-ENOMEM);
	if (len && protect_is_noop(addr, len, prot))
		return 0;
	if (len)
		rec_range_eject(addr, len);
	return (int)rec_range_result(sys3(SYS_mprotect, addr, len, prot));
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

	if (rec_image_is_ready()) {
		/* All memory must stay resident from now on, so nothing is left to limit. */
		rec_range_all_locked = true;
		rec_range_eject((void *)rec_region.base, bytes);
		sys2(SYS_munmap, rec_region.base + rec_shadow.distance, bytes);
	}
	return (int)rec_range_result(sys1(SYS_mlockall, flags));
}
