/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * huge - what is counted of huge pages: a line of the ledger that thp.c, split.c and
 * collapse.c charge, and what they note about the thread they run in.
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
 * flt_task.huge: which probed function the thread is in, the innermost one (a fill
 * reclaims, and that splits), and what it has come to there. Functions set it
 * when entered and put back what they found.
 */
#define FLT_HUGE_FILLING BIT(0)		/* do_huge_pmd_anonymous_page() */
#define FLT_HUGE_WRITING BIT(1)		/* do_huge_pmd_wp_page() */
#define FLT_HUGE_SPLITTING BIT(2)	/* __split_huge_pmd() or the like */
#define FLT_HUGE_TABLE BIT(3)		/* a page table was put aside for it, or taken back */
#define FLT_HUGE_ZERO BIT(4)		/* the huge zero page was asked for */

/* What was found, to be put back by flt_huge_leave(). */
static inline u8 flt_huge_enter(u8 function)
{
	struct flt_task *t = flt_task_find(current);
	u8 found = 0;

	if (t) {
		found = t->huge;
		WRITE_ONCE(t->huge, function);
	}
	return found;
}

/* What it came to; 0: the thread has no slot, so nothing was noted. */
static inline u8 flt_huge_leave(u8 found)
{
	struct flt_task *t = flt_task_find(current);
	u8 state = 0;

	if (t) {
		state = t->huge;
		WRITE_ONCE(t->huge, found);
	}
	return state;
}

static inline void flt_huge_note(u8 within, u8 what)
{
	struct flt_task *t = flt_task_find(current);

	if (t && t->huge & within)
		WRITE_ONCE(t->huge, t->huge | what);
}

/* A huge mapping, or the entry that stands for one under migration. */
static inline bool flt_huge_mapped(pmd_t pmd)
{
	return !pmd_none(pmd) && (!pmd_present(pmd) || pmd_leaf(pmd));
}

#endif
