/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uffd.h - userfaultfd operations as raw calls; 0 or -errno. */
#ifndef FLT_REC_UFFD_H
#define FLT_REC_UFFD_H

#include "sys.h"

#include "../lib/uffd_abi.h"

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

/* *moved: bytes moved, also when the call failed on the way (-EAGAIN). For move.c. */
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

static inline int uffd_protect(int fd, uintptr_t start, size_t len, uint64_t mode)
{
	struct uffdio_writeprotect w = { .range = { start, len }, .mode = mode };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_WRITEPROTECT, &w);
}

static inline int uffd_register(int fd, uintptr_t start, size_t len, uint64_t mode)
{
	struct uffdio_register r = { .range = { start, len }, .mode = mode };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_REGISTER, &r);
}

static inline int uffd_unregister(int fd, uintptr_t start, size_t len)
{
	struct uffdio_range r = { start, len };

	return (int)sys3(SYS_ioctl, fd, UFFDIO_UNREGISTER, &r);
}

#endif
