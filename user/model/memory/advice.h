/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice.h - how to avoid the faults of a region.
 *
 * A region gets advice if it has at least FLT_ADVICE_FAULTS faults and FLT_ADVICE_SHARE % of all
 * faults or of all time in faults. The first rule that matches applies, in the order of enum
 * flt_advice.
 */
#ifndef FLT_MODEL_ADVICE_H
#define FLT_MODEL_ADVICE_H

#include "model/memory/regions.h"

#define FLT_ADVICE_FAULTS 64u
#define FLT_ADVICE_SHARE 2u

enum flt_advice {
	FLT_ADVICE_NONE = 0,
	FLT_ADVICE_SWAP,	/* at least a quarter of the faults are swap-ins */
	FLT_ADVICE_LIMIT,	/* refaults under the recorder's limit (-L) */
	FLT_ADVICE_CACHE,	/* thrashing file */
	FLT_ADVICE_KEEP,	/* anonymous memory is freed and allocated again */
	FLT_ADVICE_NUMA,	/* at least a quarter are NUMA hint faults */
	FLT_ADVICE_SEQUENTIAL,	/* at least 5 % major faults, in forward order */
	FLT_ADVICE_BACKWARD,
	FLT_ADVICE_STRIDED,
	FLT_ADVICE_RANDOM,
	FLT_ADVICE_AHEAD,	/* major faults in another order */
	FLT_ADVICE_STACK,
	FLT_ADVICE_FORK,	/* at least half copy anonymous memory */
	FLT_ADVICE_PRIVATE,	/* at least half copy pages of a file */
	FLT_ADVICE_WRITEBACK,	/* at least half make a page writable */
	FLT_ADVICE_HUGE,	/* at least a huge page of new memory, half of the region used */
	FLT_ADVICE_SPARSE,	/* at least a huge page of new memory, less than half used */
	FLT_ADVICE_POPULATE,	/* less than a huge page of new memory */
	FLT_ADVICE_SHARED,
	FLT_ADVICE_CODE,	/* cached code */
	FLT_ADVICE_CACHED,	/* a cached file */
	__FLT_ADVICE_LAST
};

/* Of all regions. */
struct flt_advice_all {
	uint64_t faults, latency;
	bool limited;			/* recorded under a limit */
	struct flt_page_size page;	/* as of the regions */
};

/* Return the advice for a region. */
enum flt_advice flt_advice_for(const struct flt_region *region, const struct flt_verdict *verdict,
			       const struct flt_advice_all *all);
/* Return one word for programs ("huge"); the sentence. NULL for FLT_ADVICE_NONE. */
const char *flt_advice_name(enum flt_advice advice);
const char *flt_advice_text(enum flt_advice advice);

#endif
