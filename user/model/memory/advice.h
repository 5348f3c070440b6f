/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remedy.h - what may be done about the faults of a region, in plain words.
 *
 * Only regions that matter get advice: FLT_REMEDY_FAULTS faults and FLT_REMEDY_SHARE
 * % of all faults or of all time in faults. The first rule that fits, in the order
 * of enum flt_remedy.
 */
#ifndef FLT_MODEL_REMEDY_H
#define FLT_MODEL_REMEDY_H

#include "model/memory/regions.h"

#define FLT_REMEDY_FAULTS 64u
#define FLT_REMEDY_SHARE 2u

enum flt_remedy {
	FLT_REMEDY_NONE = 0,
	FLT_REMEDY_SWAP,	/* a quarter or more come from swap */
	FLT_REMEDY_LIMIT,	/* refaults under the recorder's limit */
	FLT_REMEDY_CACHE,	/* a file, thrashing */
	FLT_REMEDY_KEEP,	/* anonymous memory given back and taken again */
	FLT_REMEDY_NUMA,	/* a quarter or more are hints */
	FLT_REMEDY_SEQUENTIAL,	/* 5 % majors or more, forward */
	FLT_REMEDY_BACKWARD,
	FLT_REMEDY_STRIDED,
	FLT_REMEDY_RANDOM,
	FLT_REMEDY_AHEAD,	/* majors in no such order */
	FLT_REMEDY_STACK,
	FLT_REMEDY_FORK,	/* half or more are copies of anonymous memory */
	FLT_REMEDY_PRIVATE,	/* ... of a file */
	FLT_REMEDY_WRITEBACK,	/* half or more make a page writable */
	FLT_REMEDY_HUGE,	/* 2 MiB or more of fresh memory, half of the extent used */
	FLT_REMEDY_SPARSE,	/* ... here and there */
	FLT_REMEDY_POPULATE,	/* fresh memory, less */
	FLT_REMEDY_SHARED,
	FLT_REMEDY_CODE,	/* cached code */
	FLT_REMEDY_CACHED,	/* a cached file */
	__FLT_REMEDY_LAST
};

/* limited: recorded under a limit (-L). all_*: of all regions together. */
enum flt_remedy flt_remedy_for(const struct flt_region *region, const struct flt_verdict *verdict,
			       uint64_t all_faults, uint64_t all_latency, bool limited);
/* One word for programs ("huge"), and the sentence; NULL for NONE. */
const char *flt_remedy_name(enum flt_remedy remedy);
const char *flt_remedy_text(enum flt_remedy remedy);

#endif
