/* SPDX-License-Identifier: GPL-2.0-or-later */
/* region.h - memory mapped so that the number and kind of its faults is predictable. */
#ifndef REGION_H
#define REGION_H

#include <stddef.h>

#include "page.h"

/* Map private anonymous memory, aligned to a huge page, with MADV_NOHUGEPAGE. */
char *region_anon(size_t len);

/* Map private anonymous memory, aligned to a huge page, with MADV_HUGEPAGE. */
char *region_huge(size_t len);

/*
 * Create a file of len bytes and map it, aligned to a huge page, so that fault-around windows
 * start at multiples of 64 KiB. The file is written back and in the page cache.
 */
char *region_file(const char *path, size_t len, int prot, int flags, int *fd);

/* Access the first byte of n steps. */
void region_write(volatile char *p, size_t n, size_t step);
void region_read(volatile char *p, size_t n, size_t step);

#endif
