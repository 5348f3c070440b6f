/* SPDX-License-Identifier: GPL-2.0-or-later */
/* region.h - memory to fault in, mapped so that nothing but the workload decides how. */
#ifndef REGION_H
#define REGION_H

#include <stddef.h>

#define PAGE 4096ul
#define HUGE_PAGE (2ul << 20)

/* Anonymous, private, 2 MiB aligned, without huge pages and not yet touched. */
char *region_anon(size_t len);

/* The same with huge pages asked for. */
char *region_huge(size_t len);

/*
 * A file of len bytes, mapped 2 MiB aligned so that fault-around windows start at
 * multiples of 64 KiB. The file is written, synced and in the page cache.
 */
char *region_file(const char *path, size_t len, int prot, int flags, int *fd);

void region_write(volatile char *p, size_t n, size_t step);
void region_read(volatile char *p, size_t n, size_t step);

#endif
