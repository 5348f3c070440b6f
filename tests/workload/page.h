/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.h - the sizes of a page and of a huge page, which is what one page table maps. */
#ifndef PAGE_H
#define PAGE_H

#ifdef __x86_64__
#define PAGE 4096ul
#else
#include <unistd.h>
#define PAGE ((unsigned long)getpagesize())
#endif
#define PAGE_MAX 65536ul	/* for arrays */
#define HUGE_PAGE (PAGE / sizeof(void *) * PAGE)
/* A folio whose pages arm64 maps by contiguous entries, which have one accessed bit. */
#define FOLIO (PAGE == 4096 ? 16 * PAGE : 2ul << 20)
#define AROUND (65536 / PAGE)	/* pages of a fault-around window, unless debugfs changes it */

#endif
