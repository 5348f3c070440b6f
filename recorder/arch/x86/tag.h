/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_TAG_H
#define FLT_REC_X86_TAG_H

#include <stdint.h>

static inline uintptr_t rec_tag_remove(const void *p)
{
	return (uintptr_t)p;
}

#endif
