/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tag.h - rec_tag_remove(): the address in a pointer, whose upper bits the kernel may ignore. */
#ifndef FLT_REC_ARCH_TAG_H
#define FLT_REC_ARCH_TAG_H

#ifdef __x86_64__
#include "arch/x86/tag.h"
#else
#include "arch/arm64/tag.h"
#endif

#endif
