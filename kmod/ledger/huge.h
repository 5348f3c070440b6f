/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * huge - the cells of the huge page ledger, which thp.c, split.c and collapse.c charge, and
 * the state of a thread that is in one of their probed functions.
 */
#ifndef FLT_HUGE_H
#define FLT_HUGE_H

#include <linux/flt.h>
#include <linux/pgtable.h>
#include "account/account.h"
#include "ledger/ledger.h"
#include "account/task.h"

enum flt_huge_cell {
	FLT_HUGE_COUNTS = 0,			/* + enum flt_thp_count */
	FLT_HUGE_OCTAVES = __FLT_THP_COUNTS,	/* + octave of a fill's latency */
	FLT_HUGE_SCANS = FLT_HUGE_OCTAVES + FLT_OCTAVES,
	FLT_HUGE_SPLIT_MAPS = FLT_HUGE_SCANS + FLT_SCAN_RESULTS,
	FLT_HUGE_SPLIT_PAGES = FLT_HUGE_SPLIT_MAPS + __FLT_SPLIT_CAUSES,
	__FLT_HUGE_CELLS = FLT_HUGE_SPLIT_PAGES + __FLT_SPLIT_CAUSES
};

extern struct flt_ledger flt_huge;

/*
 * flt_task.huge: the innermost probed function that the thread is in, and what happened
 * there. Probed functions nest: filling a huge page may reclaim memory, which splits
 * another one. On entry a probe sets the state; on return it restores the former one.
 */
#define FLT_HUGE_FILLING BIT(0)		/* do_huge_pmd_anonymous_page() */
#define FLT_HUGE_WRITING BIT(1)		/* do_huge_pmd_wp_page() */
#define FLT_HUGE_SPLITTING BIT(2)	/* __split_huge_pmd() or the like */
#define FLT_HUGE_TABLE BIT(3)		/* a table was deposited or withdrawn, a page replaced */
#define FLT_HUGE_ZERO BIT(4)		/* the huge zero page was requested */
#define FLT_HUGE_CHARGE BIT(5)		/* the huge page was about to be charged to a cgroup */

/* Enter a probed function. Return the former state, for flt_huge_leave(). */
static inline u8 flt_huge_enter(u8 function)
{
	struct flt_task *t = flt_task_find(current);
	u8 former = 0;

	if (t) {
		former = t->huge;
		WRITE_ONCE(t->huge, function);
	}
	return former;
}

/* Leave a probed function. Return its state, or 0 if the thread has no slot. */
static inline u8 flt_huge_leave(u8 former)
{
	struct flt_task *t = flt_task_find(current);
	u8 state = 0;

	if (t) {
		state = t->huge;
		WRITE_ONCE(t->huge, former);
	}
	return state;
}

/* Set bits of the state if the thread is in the probed function @within. */
static inline void flt_huge_note(u8 within, u8 what)
{
	struct flt_task *t = flt_task_find(current);

	if (t && t->huge & within)
		WRITE_ONCE(t->huge, t->huge | what);
}

/* Return true if the PMD maps a huge page, or is the migration entry of one. */
static inline bool flt_huge_mapped(pmd_t pmd)
{
	return !pmd_none(pmd) && (!pmd_present(pmd) || pmd_leaf(pmd));
}

#endif
