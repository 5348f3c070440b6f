/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pagemap.h - read the entries of /proc/PID/pagemap. */
#ifndef FLT_SOURCE_PAGEMAP_H
#define FLT_SOURCE_PAGEMAP_H

#include <stdint.h>

#include "text/errmsg.h"

/* Documentation/admin-guide/mm/pagemap.rst */
#define FLT_PAGEMAP_PRESENT (1ull << 63)
#define FLT_PAGEMAP_SWAPPED (1ull << 62)
#define FLT_PAGEMAP_SOFT_DIRTY (1ull << 55)
#define FLT_PAGEMAP_PFN ((1ull << 55) - 1)	/* 0 without CAP_SYS_ADMIN */

/* page: address / page size. A nonzero value ends the walk and is returned. */
typedef int (*flt_pagemap_fn)(void *arg, uint64_t page, uint64_t entry);

/* Call fn for each entry of the addresses that has any of the bits, in order. */
int flt_pagemap_read(int pagemap, uint64_t start, uint64_t end, uint64_t bits, flt_pagemap_fn fn,
		     void *arg);

/* Call fn for each present page, in order. Pages unmapped during the walk are skipped. -ESRCH. */
int flt_pagemap_each(uint32_t tgid, flt_pagemap_fn fn, void *arg, struct flt_errmsg *e);

/* Categories of pages: include/uapi/linux/fs.h since Linux 6.7 */
#define FLT_PAGEMAP_IS_PRESENT (1u << 3)
#define FLT_PAGEMAP_IS_SWAPPED (1u << 4)
#define FLT_PAGEMAP_IS_HUGE (1u << 6)

/*
 * Call fn for each range of addresses whose pages are in any of the categories, in order. The
 * kernel skips unmapped parts, which may have terabytes. A nonzero value of fn ends the walk and
 * is returned. Return -EOPNOTSUPP, before any call, if the kernel cannot tell.
 */
int flt_pagemap_scan(int pagemap, uint64_t start, uint64_t end, unsigned int categories,
		     int (*fn)(void *arg, uint64_t start, uint64_t end), void *arg);

#endif
