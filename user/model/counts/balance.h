/* SPDX-License-Identifier: GPL-2.0-or-later */
/* balance.h - what NUMA balancing cost a process, and what it gained. A judgement from counts. */
#ifndef FLT_MODEL_BALANCE_H
#define FLT_MODEL_BALANCE_H

#include <stddef.h>

#include "account/ledger.h"

enum flt_balance_verdict {
	FLT_BALANCE_IDLE,	/* no hint fault */
	FLT_BALANCE_LOCAL,	/* nine of ten were local already: nothing to gain */
	FLT_BALANCE_WORKS,	/* what was remote is being moved */
	FLT_BALANCE_STUCK,	/* half or more of the moves wanted did not come about */
	FLT_BALANCE_SHARED,	/* remote, and better left there: several nodes use it */
};

struct flt_balance {
	enum flt_balance_verdict verdict;
	uint64_t hints, local, remote;
	uint64_t wanted, moved_pages, not_moved;	/* moves; pages; moves that did not come about */
	uint64_t move_p99;	/* ns: 99 of 100 moves took less; 0: there was none */
	uint64_t spent_ns;	/* in hint faults: moves as measured; the rest of each, and those */
				/* without one, as long as the process's other faults on average */
};

/* misplaced: which of the reasons to move is balancing. */
void flt_balance_judge(const struct flt_ledger_line *line, uint32_t misplaced,
		       struct flt_balance *out);
void flt_balance_say(const struct flt_balance *b, char *text, size_t size);

#endif
