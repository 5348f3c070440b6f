// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <trace/events/huge_memory.h>
#include "ledger/collapse.h"
#include "ledger/huge.h"

#define SUCCEEDED 1	/* SCAN_SUCCEED of mm/khugepaged.c */

static void charge_scan(const struct mm_struct *mm, int result)
{
	struct flt_charge charge = {
		FLT_HUGE_SCANS + min_t(u32, result, FLT_SCAN_RESULTS - 1), 1
	};

	flt_ledger_charge_mm(&flt_huge, mm, &charge, 1);
}

/* @status: why the scan stopped, or the result of the collapse if the scan succeeded. */
static void on_scan(void *data, struct mm_struct *mm, FLT_SCAN_PMD_PAGE, int referenced,
		    int none_or_zero, int status, int unmapped)
{
	flt_hook_begin(FLT_HOOK_ID_COLLAPSE_SCAN);
	charge_scan(mm, status);
	flt_hook_end();
}

static void on_scan_file(void *data, struct mm_struct *mm, FLT_SCAN_FILE_PAGE,
			 struct file *file, int present, int swap, int result)
{
	flt_hook_begin(FLT_HOOK_ID_COLLAPSE_SCAN_FILE);
	charge_scan(mm, result);
	flt_hook_end();
}

static void charge_collapse(const struct mm_struct *mm, enum flt_thp_count success, bool succeeded)
{
	struct flt_charge charge[2] = { { FLT_THP_COLLAPSE_TRIED, 1 }, { success, 1 } };

	flt_ledger_charge_mm(&flt_huge, mm, charge, succeeded ? 2 : 1);
}

static FLT_COLLAPSE_PROBE(on_collapse)
{
	flt_hook_begin(FLT_HOOK_ID_COLLAPSE);
	if (flt_collapse_order == PMD_SHIFT - PAGE_SHIFT)
		charge_collapse(mm, current->flags & PF_KTHREAD ? FLT_THP_COLLAPSED :
								  FLT_THP_COLLAPSED_CALL,
				status == SUCCEEDED);
	flt_hook_end();
}

/* Let the compiler check the prototypes of the tracepoint probes. */
static void __maybe_unused check_types(void)
{
	flt_check_scan_pmd(on_scan);
	flt_check_scan_file(on_scan_file);
	flt_check_collapse(on_collapse);
}

/* collapse_file(mm, address, file, start, control). The caller holds a reference on mm. */
static void enter_file(struct mm_struct **mm, struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_COLLAPSE_FILE);
	*mm = (void *)flt_hook_arg(regs, 0);
}
NOKPROBE_SYMBOL(enter_file);

static void leave_file(struct mm_struct **mm, unsigned long value)
{
	charge_collapse(*mm, FLT_THP_COLLAPSED_FILE, (int)value == SUCCEEDED);
}
NOKPROBE_SYMBOL(leave_file);

FLT_HOOK_RETURN(file, struct mm_struct *, enter_file, leave_file);

struct flt_hook flt_collapse_scan = {
	.name = "collapse-scan",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_COLLAPSE_SCAN,
	.unknown = FLT_LEDGER_SECTION(FLT_LEDGER_SCANS),
	.unfit = !FLT_SCAN_PMD_FITS,
	.symbol = { "mm_khugepaged_scan_pmd" },
	.probe = on_scan,
};

struct flt_hook flt_collapse_scan_file = {
	.name = "collapse-scan-file",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_COLLAPSE_SCAN_FILE,
	.unknown = FLT_LEDGER_SECTION(FLT_LEDGER_SCANS),
	.unfit = !FLT_SCAN_FILE_FITS,
	.symbol = { "mm_khugepaged_scan_file" },
	.probe = on_scan_file,
};

struct flt_hook flt_collapse_anon = {
	.name = "collapse",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_COLLAPSE,
	.unknown = FLT_LEDGER_COUNTER(FLT_THP_COLLAPSED) |
		   FLT_LEDGER_COUNTER(FLT_THP_COLLAPSED_CALL) |
		   FLT_LEDGER_COUNTER(FLT_THP_COLLAPSE_TRIED),
	.unfit = !FLT_COLLAPSE_FITS,
	.symbol = { "mm_collapse_huge_page" },
	.probe = on_collapse,
};

struct flt_hook flt_collapse_file = {
	.name = "collapse-file",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_COLLAPSE_FILE,
	.unknown = FLT_LEDGER_COUNTER(FLT_THP_COLLAPSED_FILE) |
		   FLT_LEDGER_COUNTER(FLT_THP_COLLAPSE_TRIED),
	.unfit = !FLT_HAVE_MADV_COLLAPSE,
	.symbol = { "collapse_file" },
	.enter = file_enter,
	.leave = file_leave,
	.data_size = sizeof(struct mm_struct *),
};
