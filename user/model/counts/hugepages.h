/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hugepages.h - cost and benefit of huge pages for a process, from counters.
 *
 * A huge fault replaces up to 512 small faults. It takes longer than one small fault, mostly to
 * zero 2 MiB. It saves time if more pages of it are used than small faults take the same time.
 * Saved TLB misses come on top, but are not counted here.
 */
#ifndef FLT_MODEL_HUGEPAGES_H
#define FLT_MODEL_HUGEPAGES_H

#include <stddef.h>

#include "account/ledger.h"

#define FLT_HUGE_PAGES 512	/* small pages in a huge page */

enum flt_huge_verdict {
	FLT_HUGE_IDLE,		/* no fault where a huge page is allowed */
	FLT_HUGE_PAYS,
	FLT_HUGE_COSTS,		/* a huge fault takes longer than 512 small faults */
	FLT_HUGE_SCARCE,	/* at least half of the attempts fell back */
	FLT_HUGE_BROKEN,	/* at least half of the huge pages were split */
	FLT_HUGE_UNKNOWN,	/* this kernel lacks a counter of the above */
};

struct flt_huge_judgement {
	enum flt_huge_verdict verdict;
	uint64_t tries, fallbacks;
	uint64_t huge_ns, small_ns;	/* mean of a fault; 0: no fault, or unknown */
	uint64_t huge_p99;		/* 99th percentile; 0: no fault, or unknown */
	double break_even;		/* small faults as long as one huge fault; 0: unknown */
};

void flt_hugepages_judge(const struct flt_ledger_line *line, struct flt_huge_judgement *out);
/* Return the judgement as a sentence. */
void flt_hugepages_say(const struct flt_huge_judgement *j, char *text, size_t size);

const char *flt_split_cause_name(uint32_t cause);

#endif
