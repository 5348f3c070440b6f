/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.h - compare a count, or the bounds of a count, with the limit of a rule. */
#ifndef FLT_BUDGET_VERDICT_H
#define FLT_BUDGET_VERDICT_H

#include "model/budget/rule.h"

enum flt_budget_verdict {
	FLT_BUDGET_KEPT = 0,
	FLT_BUDGET_BROKEN,
	FLT_BUDGET_UNMEASURED,
};

/* The interval of time in which a rule counts, CLOCK_MONOTONIC ns. All zero: the whole run. */
struct flt_window {
	uint64_t from;		/* faults that began at or after it; 0: the beginning */
	uint64_t until;		/* faults that began before it; 0: the end */
};

static inline bool flt_window_has(const struct flt_window *w, uint64_t time)
{
	return time >= w->from && (!w->until || time < w->until);
}

const char *flt_budget_verdict_name(enum flt_budget_verdict verdict);

/* Return the largest count that keeps the rule; ~0: there is none. */
uint64_t flt_budget_most(const struct flt_rule *rule);
/*
 * Judge a count that is at least `least` and at most `most`. ~0: unbounded, because faults were
 * lost. UNMEASURED: the rule is kept by some numbers of this range and broken by others.
 */
enum flt_budget_verdict flt_budget_judge(const struct flt_rule *rule, uint64_t least,
					 uint64_t most);

/*
 * Return the limit that --update writes: the largest count of all runs, plus slack percent of it,
 * rounded up.
 */
uint64_t flt_budget_slack(uint64_t largest, uint64_t percent);

#endif
