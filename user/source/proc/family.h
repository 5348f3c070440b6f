/* SPDX-License-Identifier: GPL-2.0-or-later */
/* family.h - processes and their descendants, each once, in the order in which they were found. */
#ifndef FLT_SOURCE_FAMILY_H
#define FLT_SOURCE_FAMILY_H

#include <stddef.h>
#include <stdint.h>

#include "index/index.h"

/* A struct that is all zero is empty. */
struct flt_family {
	uint32_t *pid;
	size_t count, room;
	struct flt_index index;	/* of pid */
};

void flt_family_free(struct flt_family *family);
/* Forget all processes, but keep the memory. */
void flt_family_clear(struct flt_family *family);
/* Add a process, unless it is there already. -ENOMEM. */
int flt_family_add(struct flt_family *family, uint32_t pid);
/* Add the children that a process has now. -ENOMEM; -EOPNOTSUPP: the kernel lists none. */
int flt_family_add_children(struct flt_family *family, uint32_t pid);
/* Add the descendants that the processes have now, if the kernel lists them. -ENOMEM. */
int flt_family_descend(struct flt_family *family);

#endif
