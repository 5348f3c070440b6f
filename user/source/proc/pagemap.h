/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pagemap.h - read the entries of /proc/PID/pagemap. */
#ifndef FLT_SOURCE_PAGEMAP_H
#define FLT_SOURCE_PAGEMAP_H

#include <stdint.h>

#include "text/errmsg.h"

/* Documentation/admin-guide/mm/pagemap.rst */
#define FLT_PAGEMAP_PRESENT (1ull << 63)
#define FLT_PAGEMAP_SOFT_DIRTY (1ull << 55)
#define FLT_PAGEMAP_PFN ((1ull << 55) - 1)	/* 0 without CAP_SYS_ADMIN */

/* A nonzero value ends the walk and is returned. */
typedef int (*flt_pagemap_fn)(void *arg, uint64_t entry);

/* Call fn for each present page, in order. Pages unmapped during the walk are skipped. -ESRCH. */
int flt_pagemap_each(uint32_t tgid, flt_pagemap_fn fn, void *arg, struct flt_errmsg *e);

#endif
