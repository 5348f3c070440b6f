/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moment.h - the memory of several processes at one moment, and who brought it in.
 *
 * A process that forks gives its pages to the child. So the faults of an ancestor before the fork
 * explain pages of the child, until the child has a fault of its own there. The child gets no
 * pages of files and of shared memory, which it maps by faults of its own, unless the mapping also
 * has anonymous pages (vma_needs_copy() in mm/memory.c).
 */
#ifndef FLT_MODEL_RESIDENT_MOMENT_H
#define FLT_MODEL_RESIDENT_MOMENT_H

#include "index/index.h"
#include "model/resident/moves.h"
#include "model/resident/pages.h"

/* Owners without code. */
enum flt_resident_nobody {
	FLT_RESIDENT_UNKNOWN = 0,	/* no fault was seen */
	FLT_RESIDENT_COLLAPSE,		/* khugepaged or MADV_COLLAPSE filled the page */
	__FLT_RESIDENT_NOBODIES,
};

/* The code that brought a page in. */
struct flt_resident_owner {
	uint32_t image, stack, tid;	/* as in struct flt_fault; image 0: no code */
	uint32_t place;			/* a number of the caller for the instruction */
};

/* An image whose faults explain the pages of a process, until a time. */
struct flt_resident_ancestor {
	uint32_t image, process;	/* process: index */
	uint64_t until;			/* UINT64_MAX: to the end */
};

struct flt_resident_process {
	uint32_t pid, image;
	bool late;				/* has faults before the recording began */
	struct flt_resident_pages pages;
	struct flt_resident_moves moves;	/* its own, and its ancestors' before the fork */
};

struct flt_moment {
	struct flt_page_size page;
	uint64_t time;				/* CLOCK_MONOTONIC ns */
	struct flt_resident_process *processes;
	size_t count;
	struct flt_resident_owner *owners;	/* the first ones: enum flt_resident_nobody */
	uint32_t owner_count, owner_room;
	struct flt_index owner_index;
	struct flt_resident_ancestor *ancestors;	/* ascending by image */
	uint32_t ancestor_count, ancestor_room;
};

/* A moment that is all zero but for .page and .time is empty. */
void flt_moment_free(struct flt_moment *m);
/* Add a process without pages. The result is valid until the next call. NULL: no memory. */
struct flt_resident_process *flt_moment_process(struct flt_moment *m, uint32_t pid);

/* Say that an image is that of a process, or of an ancestor until a fork. -ENOMEM. */
int flt_moment_ancestor(struct flt_moment *m, uint32_t image, uint32_t process, uint64_t until);
/* Add a move of a process, or of an ancestor before the fork. -ENOMEM. */
int flt_moment_move(struct flt_moment *m, uint32_t process, const struct flt_resident_move *move);
/* Call after the last ancestor and move, and before the first fault. -ENOMEM. */
int flt_moment_begin(struct flt_moment *m);

/* Return whether a fault can explain pages of the moment. */
bool flt_moment_needs(const struct flt_moment *m, const struct flt_fault *f);
/* Add a fault, in order of time. -ENOMEM, -E2BIG. */
int flt_moment_fault(struct flt_moment *m, const struct flt_fault *f, uint32_t place);
/* Call after the last fault. complete: no fault was lost. */
void flt_moment_end(struct flt_moment *m, bool complete);

#endif
