/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remedy.h - what may be done about the faults of a region, in plain words.
 *
 * Only regions that matter get advice: FLT_ADVICE_FAULTS faults and FLT_ADVICE_SHARE
 * % of all faults or of all time in faults. The first rule that fits, in the order
 * of enum flt_advice.
 */
#ifndef FLT_MODEL_ADVICE_H
#define FLT_MODEL_ADVICE_H

#include "model/memory/regions.h"

#define FLT_ADVICE_FAULTS 64u
#define FLT_ADVICE_SHARE 2u

enum flt_advice {
	FLT_ADVICE_NONE = 0,
	FLT_ADVICE_SWAP,	/* a quarter or more come from swap */
	FLT_ADVICE_LIMIT,	/* refaults under the recorder's limit */
	FLT_ADVICE_CACHE,	/* a file, thrashing */
	FLT_ADVICE_KEEP,	/* anonymous memory given back and taken again */
	FLT_ADVICE_NUMA,	/* a quarter or more are hints */
	FLT_ADVICE_SEQUENTIAL,	/* 5 % majors or more, forward */
	FLT_ADVICE_BACKWARD,
	FLT_ADVICE_STRIDED,
	FLT_ADVICE_RANDOM,
	FLT_ADVICE_AHEAD,	/* majors in no such order */
	FLT_ADVICE_STACK,
	FLT_ADVICE_FORK,	/* half or more are copies of anonymous memory */
	FLT_ADVICE_PRIVATE,	/* ... of a file */
	FLT_ADVICE_WRITEBACK,	/* half or more make a page writable */
	FLT_ADVICE_HUGE,	/* 2 MiB or more of fresh memory, half of the extent used */
	FLT_ADVICE_SPARSE,	/* ... here and there */
	FLT_ADVICE_POPULATE,	/* fresh memory, less */
	FLT_ADVICE_SHARED,
	FLT_ADVICE_CODE,	/* cached code */
	FLT_ADVICE_CACHED,	/* a cached file */
	__FLT_ADVICE_LAST
};

/* limited: recorded under a limit (-L). all_*: of all regions together. */
enum flt_advice flt_advice_for(const struct flt_region *region, const struct flt_verdict *verdict,
			       uint64_t all_faults, uint64_t all_latency, bool limited);
/* One word for programs ("huge"), and the sentence; NULL for NONE. */
const char *flt_advice_name(enum flt_advice advice);
const char *flt_advice_text(enum flt_advice advice);

#endif
