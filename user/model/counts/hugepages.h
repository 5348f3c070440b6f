/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hugepages.h - cost and benefit of huge pages for a process, from counters.
 *
 * A huge fault replaces many small faults: 512 on x86-64. It takes longer than one small fault,
 * mostly to zero the memory. It saves time if more pages of it are used than small faults take the
 * same time. Saved TLB misses come on top, but are not counted here.
 */
#ifndef FLT_MODEL_HUGEPAGES_H
#define FLT_MODEL_HUGEPAGES_H

#include <stddef.h>

#include "account/ledger.h"

enum flt_huge_verdict {
	FLT_HUGE_IDLE,		/* no fault where a huge page is allowed */
	FLT_HUGE_PAYS,
	FLT_HUGE_COSTS,		/* a huge fault takes longer than the small faults it replaces */
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
	uint64_t bytes, pages;		/* of a huge page */
};

/* page, huge_page: bytes of a page and of a huge page. */
void flt_hugepages_judge(const struct flt_ledger_line *line, uint64_t page, uint64_t huge_page,
			 struct flt_huge_judgement *out);
/* Return the judgement as a sentence. */
void flt_hugepages_say(const struct flt_huge_judgement *j, char *text, size_t size);

const char *flt_split_cause_name(uint32_t cause);

#endif
