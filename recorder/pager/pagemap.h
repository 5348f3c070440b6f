/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pagemap.h - page states from the kernel's page tables. */
#ifndef FLT_REC_PAGEMAP_H
#define FLT_REC_PAGEMAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Set the states and accounts of all pages of a forked child from its page tables. The child
 * has one thread and no server yet, so no lock is needed. Return 0 or -errno.
 */
int rec_pagemap_rebuild(void);
/*
 * Set bit n of *present if page first + n is in the region, maybe swapped out, for up to 64 pages.
 * Return 0 or -errno.
 */
int rec_pagemap_present(size_t first, unsigned int pages, uint64_t *present);

#endif
