/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * uffd.h - one function per userfaultfd ioctl, and the parts of the interface that are newer
 * than the distribution's headers. Names and values are those of the kernel's
 * include/uapi/linux/userfaultfd.h. Functions return 0 or -errno and never retry.
 */
#ifndef FLT_CORE_UFFD_H
#define FLT_CORE_UFFD_H

#include "sys.h"

#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/userfaultfd.h>

#ifndef UFFD_USER_MODE_ONLY		/* 5.11 */
#define UFFD_USER_MODE_ONLY 1
#endif

#ifndef UFFD_FEATURE_EXACT_ADDRESS	/* 5.18 */
#define UFFD_FEATURE_EXACT_ADDRESS (1 << 11)
#endif

#ifndef UFFD_FEATURE_POISON		/* 6.6 */
#define UFFD_FEATURE_POISON (1 << 14)
#endif

#ifndef UFFDIO_POISON
struct uffdio_poison {
	struct uffdio_range range;
	__u64 mode;
	__s64 updated;
};
#define UFFDIO_POISON _IOWR(UFFDIO, 0x08, struct uffdio_poison)
#endif

#ifndef UFFD_FEATURE_MOVE		/* 6.8 */
#define UFFD_FEATURE_MOVE (1 << 16)
#endif

#ifndef UFFDIO_MOVE
struct uffdio_move {
	__u64 dst;
	__u64 src;
	__u64 len;
	__u64 mode;
	__s64 move;	/* bytes moved, or a negative errno when none were */
};
#define _UFFDIO_MOVE 0x05
#define UFFDIO_MOVE _IOWR(UFFDIO, _UFFDIO_MOVE, struct uffdio_move)
#define UFFDIO_MOVE_MODE_DONTWAKE (1ULL << 0)
#define UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES (1ULL << 1)
#endif

static inline int uffd_copy(int fd, uintptr_t dst, uintptr_t src, size_t len, uint64_t mode)
{
	struct uffdio_copy c = { .dst = dst, .src = src, .len = len, .mode = mode };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_COPY, &c);
}

static inline int uffd_zero(int fd, uintptr_t dst, size_t len, uint64_t mode)
{
	struct uffdio_zeropage z = { .range = { dst, len }, .mode = mode };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_ZEROPAGE, &z);
}

/* Move pages. Only flt_move() may call this. *moved: bytes moved, also after an error. */
static inline int uffd_move(int fd, uintptr_t dst, uintptr_t src, size_t len, uint64_t mode,
			    size_t *moved)
{
	struct uffdio_move m = { .dst = dst, .src = src, .len = len, .mode = mode };
	int ret = (int)sys3(SYS_ioctl, fd, UFFDIO_MOVE, &m);

	*moved = m.move > 0 ? (size_t)m.move : 0;
	return ret;
}

static inline int uffd_wake(int fd, uintptr_t start, size_t len)
{
	struct uffdio_range r = { start, len };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_WAKE, &r);
}

/* Protect a range, or with mode 0 end its protection and wake the threads that wait. */
static inline int uffd_protect(int fd, uintptr_t start, size_t len, uint64_t mode)
{
	struct uffdio_writeprotect w = { .range = { start, len }, .mode = mode };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_WRITEPROTECT, &w);
}

/* Make each access to the range raise SIGBUS. */
static inline int uffd_poison(int fd, uintptr_t start, size_t len)
{
	struct uffdio_poison p = { .range = { start, len } };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_POISON, &p);
}

static inline int uffd_register(int fd, uintptr_t start, size_t len, uint64_t mode)
{
	struct uffdio_register r = { .range = { start, len }, .mode = mode };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_REGISTER, &r);
}

/* End the registration of a range and wake all threads that wait in it. */
static inline int uffd_unregister(int fd, uintptr_t start, size_t len)
{
	struct uffdio_range r = { start, len };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_UNREGISTER, &r);
}

#endif
