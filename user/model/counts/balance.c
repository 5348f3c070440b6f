// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/balance.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/counts/hist.h"
#include "text/units.h"

#define NUMA(name) FLT_LEDGER_COUNTER(FLT_NUMA_##name)
/* Without one of these counters there is no verdict. */
#define JUDGED (NUMA(HINTS) | NUMA(LOCAL) | NUMA(WANTED) | NUMA(TRIED) | NUMA(FAILED) |	\
		NUMA(MOVE_NS) | FLT_LEDGER_SECTION(FLT_LEDGER_MOVED))

void flt_balance_judge(const struct flt_ledger_line *line, uint32_t misplaced,
		       struct flt_balance *out)
{
	const uint64_t *n = line->n.count;
	/* A part may exceed its sum, because counters are read one by one while they grow. */
	uint64_t local =
		n[FLT_NUMA_LOCAL] < n[FLT_NUMA_HINTS] ? n[FLT_NUMA_LOCAL] : n[FLT_NUMA_HINTS];
	uint64_t done =
		n[FLT_NUMA_TRIED] > n[FLT_NUMA_FAILED] ? n[FLT_NUMA_TRIED] - n[FLT_NUMA_FAILED] : 0;
	uint64_t other = 0;

	*out = (struct flt_balance){
		.hints = n[FLT_NUMA_HINTS],
		.local = local,
		.remote = n[FLT_NUMA_HINTS] - local,
		.wanted = n[FLT_NUMA_WANTED],
		.moved_pages = misplaced < FLT_MOVE_REASONS ? line->n.moved[misplaced] : 0,
	};
	out->move_p99 = flt_hist_octaves_percentile(line->n.octave, 99000);
	out->not_moved = out->wanted > done ? out->wanted - done : 0;
	if (line->n.faults && line->n.fault_ns > n[FLT_NUMA_MOVE_NS])
		other = (line->n.fault_ns - n[FLT_NUMA_MOVE_NS]) / line->n.faults;
	out->spent_ns = n[FLT_NUMA_MOVE_NS] + out->hints * other;
	if (line->unknown & JUDGED)
		out->verdict = FLT_BALANCE_UNKNOWN;
	else if (!out->hints)
		out->verdict = FLT_BALANCE_IDLE;
	else if (out->local * 10 >= out->hints * 9)
		out->verdict = FLT_BALANCE_LOCAL;
	else if (out->wanted && 2 * out->not_moved >= out->wanted)
		out->verdict = FLT_BALANCE_STUCK;
	else if (2 * out->wanted >= out->remote)
		out->verdict = FLT_BALANCE_WORKS;
	else
		out->verdict = FLT_BALANCE_SHARED;
}

void flt_balance_say(const struct flt_balance *b, char *text, size_t size)
{
	double local = b->hints ? 100.0 * (double)b->local / (double)b->hints : 0;
	char spent[FLT_UNITS_TEXT];

	flt_units_write_ns(spent, b->spent_ns);
	switch (b->verdict) {
	case FLT_BALANCE_UNKNOWN:
		snprintf(text, size, "unknown, because this kernel lacks a hook that the verdict "
			 "needs ('fltctl check' lists the hooks)");
		break;
	case FLT_BALANCE_IDLE:
		snprintf(text, size, "no hint faults: NUMA balancing had no effect and no cost");
		break;
	case FLT_BALANCE_LOCAL:
		snprintf(text, size, "%.0f %% of the hint faults were local: memory is on the "
			 "nodes that use it; the hint faults took about %s", local, spent);
		break;
	case FLT_BALANCE_WORKS:
		snprintf(text, size, "%.0f %% of the hint faults were local; %" PRIu64 " pages "
			 "were moved to the nodes that use them, in about %s: this pays if the "
			 "faster accesses save more time", local, b->moved_pages, spent);
		break;
	case FLT_BALANCE_STUCK:
		snprintf(text, size, "%" PRIu64 " of %" PRIu64 " moves failed, because the other "
			 "node is full, or the pages are shared or busy; the hint faults took "
			 "about %s. Bind threads and memory (numactl), or free memory on that node",
			 b->not_moved, b->wanted, spent);
		break;
	case FLT_BALANCE_SHARED:
		snprintf(text, size, "%.0f %% of the hint faults were remote, and several nodes "
			 "use most of these pages: moving pages does not help, interleaving "
			 "(numactl -i) may help; the hint faults took about %s",
			 100 - local, spent);
		break;
	}
}
