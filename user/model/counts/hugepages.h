/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hugepages.h - does it pay to have huge pages here? A judgement from counts.
 *
 * A huge fault replaces up to 512 small ones but costs more than one of them, most
 * of it to zero 2 MiB. It pays in faults when more of its pages are used than
 * it costs small faults; what it saves in TLB misses comes on top, and is not seen here.
 */
#ifndef FLT_MODEL_HUGEPAGES_H
#define FLT_MODEL_HUGEPAGES_H

#include <stddef.h>

#include "account/ledger.h"

#define FLT_HUGE_PAGES 512	/* small ones in one */

enum flt_huge_verdict {
	FLT_HUGE_IDLE,		/* no fault came where a huge page was allowed */
	FLT_HUGE_PAYS,
	FLT_HUGE_COSTS,		/* a huge fault takes longer than 512 small ones */
	FLT_HUGE_SCARCE,	/* half or more of the tries fell back */
	FLT_HUGE_BROKEN,	/* half or more of the huge pages were split again */
};

struct flt_huge_judgement {
	enum flt_huge_verdict verdict;
	uint64_t tries, fallbacks;
	uint64_t huge_ns, small_ns;	/* mean of a fault; 0: there was none, or it is not known */
	uint64_t huge_p99;		/* 99 of 100 took less; 0 as above */
	double break_even;		/* small faults that one huge one costs; 0: not known */
};

void flt_hugepages_judge(const struct flt_ledger_line *line, struct flt_huge_judgement *out);
/* As a sentence. */
void flt_hugepages_say(const struct flt_huge_judgement *j, char *text, size_t size);

const char *flt_split_cause_name(uint32_t cause);

#endif
