// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shmat.c - shared memory at an address that the program chooses.
 *
 * To the kernel the whole region is mapped, so it would refuse addresses that the program believes
 * free. Pages below shared memory are taken out of the limit, for ever: after shmdt() the kernel
 * may put another mapping there.
 */
#include "image/image.h"
#include "pager/limit.h"
#include "range.h"
#include "region/region.h"

#include <errno.h>
#include <sys/shm.h>

/* Return the bytes of a segment, or 0. */
static size_t size_of(int id)
{
	struct shmid_ds info;

	return sys3(SYS_shmctl, id, IPC_STAT, &info) ? 0 : info.shm_segsz;
}

/* Attach a segment to pages of the region. Return the address or -errno. */
static long attach(int id, uintptr_t at, int flags, size_t first, size_t end)
{
	struct rec_held h = rec_range_lock();
	long ret;

	if (rec_range_is_unmapped(first, end))
		flags |= SHM_REMAP;
	ret = sys3(SYS_shmat, id, at, flags);
	if (!sys_failed(ret)) {
		rec_limit_discard(first, end);
		rec_range_replaced(first, end);
	}
	rec_range_unlock(h);
	return ret;
}

REC_EXPORT void *shmat(int id, const void *addr, int flags)
{
	uintptr_t at = (uintptr_t)addr;
	size_t first, end, size;

	if (flags & SHM_RND)
		at -= at % (uintptr_t)SHMLBA;
	/* A filtered image must not ask for the size. */
	size = at && rec_region_contains(at) && !rec_image.filtered ? size_of(id) : 0;
	if (!size || rec_range_all_locked || !rec_range_pages((void *)at, size, &first, &end) ||
	    !rec_range_is_inside((void *)at, size))
		return (void *)rec_range_result(sys3(SYS_shmat, id, addr, flags));
	return (void *)rec_range_result(attach(id, at, flags, first, end));
}
