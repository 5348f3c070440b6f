/* SPDX-License-Identifier: GPL-2.0-or-later */
/* balance.h - cost and benefit of NUMA balancing for a process, from counters. */
#ifndef FLT_MODEL_BALANCE_H
#define FLT_MODEL_BALANCE_H

#include <stddef.h>

#include "account/ledger.h"

enum flt_balance_verdict {
	FLT_BALANCE_IDLE,	/* no hint fault */
	FLT_BALANCE_LOCAL,	/* nine of ten faults were local already */
	FLT_BALANCE_WORKS,	/* remote pages are being moved */
	FLT_BALANCE_STUCK,	/* at least half of the wanted moves failed */
	FLT_BALANCE_SHARED,	/* remote pages that several nodes use */
	FLT_BALANCE_UNKNOWN,	/* this kernel lacks a counter of the above */
};

struct flt_balance {
	enum flt_balance_verdict verdict;
	uint64_t hints, local, remote;
	uint64_t wanted, moved_pages, not_moved;	/* moves; pages; failed moves */
	uint64_t move_p99;	/* ns; 0: no move */
	/*
	 * Time in hint faults: the measured time of the moves, and for each hint fault the mean
	 * time of a fault of the process without moves.
	 */
	uint64_t spent_ns;
};

/* misplaced: the reason of migrations that balancing made. */
void flt_balance_judge(const struct flt_ledger_line *line, uint32_t misplaced,
		       struct flt_balance *out);
void flt_balance_say(const struct flt_balance *b, char *text, size_t size);

#endif
