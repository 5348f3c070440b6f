// SPDX-License-Identifier: GPL-2.0-or-later
/* madvise.c - advice about limited memory: followed here, ignored, or given to the kernel. */
#include "argument.h"
#include "image/image.h"
#include "pager/limit.h"
#include "pager/reservation.h"
#include "range.h"
#include "recent.h"
#include "region/region.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

/*
 * Discard the limited pages of a range. Closed pages are limited again without their content.
 * Return false if there are others.
 */
static bool discard(size_t first, size_t end)
{
	struct rec_held h = rec_range_lock();
	bool all = true;
	size_t to;

	for (; first < end; first = to) {
		to = rec_region_run(first, end);
		if (rec_page_state(first) == PAGE_EJECTED ||
		    (rec_page_state(first) == PAGE_CLOSED && rec_limit_readopt(first, to)))
			all = false;
		else
			rec_limit_discard(first, to);
	}
	rec_range_unlock(h);
	return all;
}

/* Return true if the range is reserved as a whole. */
static bool is_reserved(size_t first, size_t end)
{
	struct rec_held h = rec_range_lock();
	bool reserved = rec_reservation_is_all(first, end);

	rec_range_unlock(h);
	return reserved;
}

REC_EXPORT int madvise(void *addr, size_t len, int advice)
{
	const bool discards = advice == MADV_DONTNEED || advice == MADV_FREE;
	size_t first, end;

	if (!rec_range_pages(addr, len, &first, &end))
		return (int)rec_range_result(sys3(SYS_madvise, addr, len, advice));
	if (rec_range_has_holes(addr, len)) {
		/* The kernel discards what is around a hole. Other advice is lost here. */
		if (discards && (!discard(first, end) || !rec_range_is_inside(addr, len)))
			sys3(SYS_madvise, addr, len, advice);
		return (int)rec_range_result(-ENOMEM);
	}
	switch (advice) {
	case MADV_DONTNEED:
	case MADV_FREE:
		if (discard(first, end) && rec_range_is_inside(addr, len))
			return 0;
		break;
	case MADV_NORMAL: case MADV_RANDOM: case MADV_SEQUENTIAL: case MADV_WILLNEED:
	case MADV_HUGEPAGE: case MADV_NOHUGEPAGE: case MADV_MERGEABLE: case MADV_UNMERGEABLE:
	case MADV_COLD: case MADV_PAGEOUT:
		return 0;	/* ignored, because the recorder manages these pages */
	case MADV_POPULATE_READ: case MADV_POPULATE_WRITE:
		break;
	case MADV_DONTFORK: case MADV_DOFORK:
		/*
		 * V8 hides its reservations from forks, so that a fork copies less. A hidden
		 * page would be a hole in the region of the child.
		 */
		if (rec_range_is_inside(addr, len) && is_reserved(first, end))
			return 0;
		/* fall through */
	default:
		/* This advice changes what the memory is. */
		rec_range_eject(addr, len);
	}
	return (int)rec_range_result(sys3(SYS_madvise, addr, len, advice));
}

/* The first version of struct pidfd_info, which Linux 6.13 has. */
struct pidfd_info {
	uint64_t mask, cgroup;
	uint32_t pid, tgid, others[10];
};

#define GET_INFO _IOWR(0xff, 11, struct pidfd_info)

/*
 * Return true if the kernel discards pages of this process by process_madvise(), as it does since
 * Linux 6.13 (commit "mm: allow MADV_DONTNEED et al. in process_madvise() for self"). A negative
 * number that it takes is one of PIDFD_SELF.
 */
static bool discards_own(int pidfd, int advice, unsigned int flags)
{
	struct pidfd_info info = { 0 };

	/* A filter of the program may forbid the calls below. */
	if (!rec_image_is_ready() || rec_image.filtered ||
	    (advice != MADV_DONTNEED && advice != MADV_FREE) ||
	    sys5(SYS_process_madvise, pidfd, NULL, 0, advice, flags))
		return false;
	return pidfd < 0 || (!sys3(SYS_ioctl, pidfd, GET_INFO, &info) &&
			     info.tgid == (uint32_t)rec_image.pid);
}

#define PART 16u	/* ranges at a time, because the stack may be small */

/* Copy the ranges from number i on. Return false if the kernel could not read them. */
static bool read_part(struct iovec *part, const struct iovec *ranges, size_t i, size_t n)
{
	return rec_argument_read(part, ranges + i, (n - i < PART ? n - i : PART) * sizeof(*part));
}

REC_EXPORT ssize_t process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice,
				   unsigned int flags)
{
	struct iovec part[PART];
	ssize_t done = 0;

	if (!discards_own(pidfd, advice, flags))
		return rec_range_result(sys5(SYS_process_madvise, pidfd, ranges, n, advice, flags));
	if (n > UIO_MAXIOV)
		return rec_range_result(-EINVAL);
	/* The kernel reads all ranges before it advises the first one. */
	for (size_t i = 0; i < n; i += PART)
		if (!read_part(part, ranges, i, n))
			return rec_range_result(-EFAULT);
	for (size_t i = 0; i < n; i++) {
		if (!(i % PART) && !read_part(part, ranges, i, n))
			return done ? done : rec_range_result(-EFAULT);
		if (madvise(part[i % PART].iov_base, part[i % PART].iov_len, advice))
			return done ? done : -1;
		done += (ssize_t)part[i % PART].iov_len;
	}
	return done;
}
