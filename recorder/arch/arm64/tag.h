/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_TAG_H
#define FLT_REC_ARM64_TAG_H

#include <stdint.h>

/* The upper byte is a tag. munmap(), madvise() and the like ignore it, as loads and stores do. */
static inline uintptr_t rec_tag_remove(const void *p)
{
	return (uintptr_t)p & ~(0xffUL << 56);
}

#endif
