// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/counts/hugepages.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/counts/hist.h"
#include "text/units.h"

#define THP(name) FLT_LEDGER_COUNTER(FLT_THP_##name)
/* Without one of these counters there is no verdict. */
#define JUDGED (THP(FILLED) | THP(ZERO) | THP(FILL_NS) | THP(NO_PAGE) | THP(NO_CHARGE) |	\
		THP(COLLAPSED) | THP(COLLAPSED_CALL) |						\
		FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_PAGES))

void flt_hugepages_judge(const struct flt_ledger_line *line, uint64_t page, uint64_t huge_page,
			 struct flt_huge_judgement *out)
{
	const uint64_t *n = line->n.count;
	uint64_t huge = n[FLT_THP_FILLED], made, split, small, spent;

	*out = (struct flt_huge_judgement){ .bytes = huge_page, .pages = huge_page / page };
	out->fallbacks = n[FLT_THP_NO_PAGE] + n[FLT_THP_NO_CHARGE];
	out->tries = huge + out->fallbacks;
	out->huge_ns = huge ? n[FLT_THP_FILL_NS] / huge : 0;
	out->huge_p99 = flt_hist_octaves_percentile(line->n.octave, 99000);
	/* All other faults, also major ones. The total time includes huge faults. */
	small = line->n.faults > huge ? line->n.faults - huge : 0;
	spent = line->n.fault_ns > n[FLT_THP_FILL_NS] ? line->n.fault_ns - n[FLT_THP_FILL_NS] : 0;
	out->small_ns = small ? spent / small : 0;
	if (out->huge_ns && out->small_ns)
		out->break_even = (double)out->huge_ns / (double)out->small_ns;
	made = huge + n[FLT_THP_COLLAPSED] + n[FLT_THP_COLLAPSED_CALL];
	split = flt_ledger_sum(line->n.split_page, __FLT_SPLIT_CAUSES);
	if (line->unknown & JUDGED)
		out->verdict = FLT_HUGE_UNKNOWN;
	else if (!out->tries && !made && !n[FLT_THP_ZERO])
		out->verdict = FLT_HUGE_IDLE;
	else if (out->fallbacks && 2 * out->fallbacks >= out->tries)
		out->verdict = FLT_HUGE_SCARCE;
	else if (split && 2 * split >= made)
		out->verdict = FLT_HUGE_BROKEN;
	else if (out->break_even > (double)out->pages)
		out->verdict = FLT_HUGE_COSTS;
	else
		out->verdict = FLT_HUGE_PAYS;
}

void flt_hugepages_say(const struct flt_huge_judgement *j, char *text, size_t size)
{
	char huge[FLT_UNITS_TEXT], small[FLT_UNITS_TEXT], bytes[FLT_UNITS_TEXT];

	flt_units_write_ns(huge, j->huge_ns);
	flt_units_write_ns(small, j->small_ns);
	switch (j->verdict) {
	case FLT_HUGE_UNKNOWN:
		snprintf(text, size, "unknown, because this kernel lacks a hook that the verdict "
			 "needs ('fltctl check' lists the hooks)");
		return;
	case FLT_HUGE_IDLE:
		snprintf(text, size, "no fault could have used a huge page: THP had no effect");
		return;
	case FLT_HUGE_SCARCE:
		snprintf(text, size, "%" PRIu64 " of %" PRIu64 " huge faults fell back to small "
			 "pages, because no huge page was free or the cgroup limit was reached: "
			 "compact memory (defrag), raise memory.max, or use hugetlbfs",
			 j->fallbacks, j->tries);
		return;
	case FLT_HUGE_BROKEN:
		snprintf(text, size, "at least half of the huge pages were split, so the time to "
			 "make them was wasted: unmap and protect memory in multiples of %s, or "
			 "forbid huge pages there (MADV_NOHUGEPAGE)",
			 flt_units_write_size(bytes, j->bytes));
		return;
	case FLT_HUGE_COSTS:
		snprintf(text, size,
			 "a huge fault takes %s, longer than %" PRIu64 " small faults of %s: huge "
			 "pages cost time even if all of their pages are used",
			 huge, j->pages, small);
		return;
	case FLT_HUGE_PAYS:
		break;
	}
	if (j->break_even > 0)
		snprintf(text, size,
			 "a huge fault takes %s, as long as %.0f small faults of %s: a huge page "
			 "saves time if more than %.0f of its %" PRIu64 " pages are used",
			 huge, j->break_even, small, j->break_even, j->pages);
	else if (j->huge_ns)
		snprintf(text, size, "a huge fault takes %s; there was no small fault to compare "
			 "it with", huge);
	else
		snprintf(text, size, "huge pages were made without huge faults: they save time");
}

const char *flt_split_cause_name(uint32_t cause)
{
	static const char *const names[__FLT_SPLIT_CAUSES] = {
		[FLT_SPLIT_OTHER] = "other",	   [FLT_SPLIT_FAULT] = "write fault",
		[FLT_SPLIT_UNMAP] = "unmap",	   [FLT_SPLIT_PROTECT] = "mprotect",
		[FLT_SPLIT_ADVISE] = "madvise",	   [FLT_SPLIT_MIGRATE] = "migration",
		[FLT_SPLIT_LOCK] = "mlock",	   [FLT_SPLIT_RECLAIM] = "reclaim",
		[FLT_SPLIT_KERNEL] = "kernel thread", [FLT_SPLIT_PAGE] = "page split or moved",
	};

	return cause < __FLT_SPLIT_CAUSES ? names[cause] : "unknown";
}
