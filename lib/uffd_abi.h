/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * uffd_abi.h - the userfaultfd interface of kernels newer than the distribution's
 * headers. Names and values are the kernel's (include/uapi/linux/userfaultfd.h).
 */
#ifndef FLT_UFFD_ABI_H
#define FLT_UFFD_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/userfaultfd.h>

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

#endif
