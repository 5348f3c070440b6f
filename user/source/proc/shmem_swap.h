/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shmem_swap.h - the pages of a mapping of shared memory that are in swap. Page tables do not have
 * such pages.
 */
#ifndef FLT_SOURCE_SHMEM_SWAP_H
#define FLT_SOURCE_SHMEM_SWAP_H

#include "source/proc/areas.h"

struct flt_shmem_range {
	uint64_t page, end;	/* page numbers: address / page size */
};

/* All zero is empty. */
struct flt_shmem_swap {
	struct flt_shmem_range *all;	/* ascending */
	uint32_t count, room;
	uint64_t pages;		/* in all ranges */
};

/*
 * Find the swapped pages of an area of a process. -EOPNOTSUPP, -EACCES and so on: unknown, because
 * the kernel is older than Linux 6.5, or without CAP_SYS_ADMIN.
 */
int flt_shmem_swap_find(struct flt_shmem_swap *swap, uint32_t pid,
			const struct flt_present_area *area);
void flt_shmem_swap_free(struct flt_shmem_swap *swap);

#endif
