// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/vmstat.h>
#include "hook/clock.h"
#include "ledger/collapse.h"
#include "hook/hook.h"
#include "ledger/huge.h"
#include "ledger/split.h"
#include "ledger/thp.h"

struct flt_ledger flt_huge = { .cells = __FLT_HUGE_CELLS };

struct fill {
	struct vm_fault *vmf;	/* its caller's, until the function returns */
	u64 start;
	bool fits;
	u8 found;
};

/* Fallbacks that a memory cgroup's limit was the reason of, as far as they are ascribed. */
static atomic64_t charge_failures;

static u64 count_charge_failures(void)
{
	u64 sum = 0;
#ifdef CONFIG_VM_EVENT_COUNTERS
	int cpu;

	for_each_online_cpu(cpu)
		sum += READ_ONCE(per_cpu(vm_event_states, cpu).event[THP_FAULT_FALLBACK_CHARGE]);
#endif
	return sum;
}

/*
 * The function does not say why it fell back, but the kernel counts one of the
 * reasons just before the function returns. So there is an event for each
 * return that had that reason; of two threads that fall back at the same moment
 * for different reasons each may be given the other's.
 */
static bool charge_failed(void)
{
	u64 now = count_charge_failures();
	s64 ascribed = atomic64_read(&charge_failures);

	while (ascribed < (s64)now)
		if (atomic64_try_cmpxchg(&charge_failures, &ascribed, ascribed + 1))
			return true;
	return false;
}

static void enter_fill(struct fill *f, struct pt_regs *regs)
{
	struct vm_fault *vmf = (void *)flt_hook_arg(regs, 0);
	unsigned long address = vmf->address & HPAGE_PMD_MASK;

	flt_hook_hit(FLT_HOOK_ID_THP_FILL);
	f->vmf = vmf;
	f->fits = address >= vmf->vma->vm_start &&
		  address + HPAGE_PMD_SIZE <= vmf->vma->vm_end;
	f->found = flt_huge_enter(FLT_HUGE_FILLING);
	f->start = flt_clock_read();
}
NOKPROBE_SYMBOL(enter_fill);

/* Without the notes in its slot: a look at what is mapped now. The caller's lock is held. */
static bool zero_page_there(pmd_t pmd)
{
	return pmd_present(pmd) && pmd_leaf(pmd) && !PageAnon(pmd_page(pmd));
}

static enum flt_thp_count filled(const struct fill *f, u8 state)
{
	pmd_t pmd = READ_ONCE(*f->vmf->pmd);

	/* One thread of several deposits a table: the one whose page is mapped. */
	if (state ? !(state & FLT_HUGE_TABLE) : !flt_huge_mapped(pmd))
		return FLT_THP_LATE;
	if (f->vmf->flags & FAULT_FLAG_WRITE)
		return FLT_THP_FILLED;
	return state & FLT_HUGE_ZERO || zero_page_there(pmd) ? FLT_THP_ZERO : FLT_THP_FILLED;
}

static void leave_fill(struct fill *f, unsigned long value)
{
	u64 ns = flt_clock_ns(max_t(s64, flt_clock_read() - f->start, 0));
	u8 state = flt_huge_leave(f->found);
	struct flt_charge charge[3] = { { .n = 1 } };
	u32 count = 1;

	/* Will be tried again. */
	if (value & (__force unsigned long)VM_FAULT_RETRY)
		return;
	if (value & (__force unsigned long)VM_FAULT_FALLBACK) {
		charge[0].cell = !f->fits ? FLT_THP_UNFIT :
				 charge_failed() ? FLT_THP_NO_CHARGE : FLT_THP_NO_PAGE;
		if (f->fits)
			charge[count++] = (struct flt_charge) { FLT_THP_FALLBACK_NS, ns };
	} else if (value) {
		charge[0].cell = FLT_THP_ERROR;
	} else {
		charge[0].cell = filled(f, state);
		if (charge[0].cell == FLT_THP_FILLED) {
			u32 octave = flt_bucket_of(ns) >> FLT_BUCKET_SHIFT;

			charge[count++] = (struct flt_charge) { FLT_THP_FILL_NS, ns };
			charge[count++] = (struct flt_charge) { FLT_HUGE_OCTAVES + octave, 1 };
		}
	}
	flt_ledger_charge(&flt_huge, charge, count);
}
NOKPROBE_SYMBOL(leave_fill);

FLT_HOOK_RETURN(fill, struct fill, enter_fill, leave_fill);

static void on_deposit(struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_THP_DEPOSIT);
	flt_huge_note(FLT_HUGE_FILLING, FLT_HUGE_TABLE);
}
NOKPROBE_SYMBOL(on_deposit);

FLT_HOOK_ENTRY(deposit, on_deposit);

static void on_zero(struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_THP_ZERO);
	flt_huge_note(FLT_HUGE_FILLING, FLT_HUGE_ZERO);
}
NOKPROBE_SYMBOL(on_zero);

FLT_HOOK_ENTRY(zero, on_zero);

/* A write that splits: see split.c. */
static void enter_write(u8 *found, struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_THP_WRITE);
	*found = flt_huge_enter(FLT_HUGE_WRITING);
}
NOKPROBE_SYMBOL(enter_write);

static void leave_write(u8 *found, unsigned long value)
{
	flt_huge_leave(*found);
}
NOKPROBE_SYMBOL(leave_write);

FLT_HOOK_RETURN(write, u8, enter_write, leave_write);

static struct flt_hook fill_hook = {
	.name = "thp-fill",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_THP_FILL,
	.feature = FLT_FEATURE_THP,
	.symbol = { "do_huge_pmd_anonymous_page" },
	.enter = fill_enter,
	.leave = fill_leave,
	.data_size = sizeof(struct fill),
};

static struct flt_hook deposit_hook = {
	.name = "thp-deposit",
	.type = FLT_HOOK_TYPE_KPROBE,
	.id = FLT_HOOK_ID_THP_DEPOSIT,
	.symbol = { "pgtable_trans_huge_deposit" },
	.entry = deposit_entry,
};

static struct flt_hook zero_hook = {
	.name = "thp-zero",
	.type = FLT_HOOK_TYPE_KPROBE,
	.id = FLT_HOOK_ID_THP_ZERO,
	.symbol = { "mm_get_huge_zero_folio", "mm_get_huge_zero_page" },
	.entry = zero_entry,
};

static struct flt_hook write_hook = {
	.name = "thp-write",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_THP_WRITE,
	.symbol = { "do_huge_pmd_wp_page" },
	.enter = write_enter,
	.leave = write_leave,
	.data_size = sizeof(u8),
};

/* What notes comes before what reads the notes. */
static struct flt_hook *const hooks[] = {
	&deposit_hook, &zero_hook, &write_hook, &fill_hook,
	&flt_split_withdraw, &flt_split_map, &flt_split_page,
	&flt_collapse_scan, &flt_collapse_scan_file, &flt_collapse_anon, &flt_collapse_file,
};

static unsigned int users;

void __init flt_thp_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		flt_hook_add(hooks[i]);
}

void flt_thp_exit(void)
{
	flt_ledger_free(&flt_huge);
}

size_t flt_thp_memory(void)
{
	return flt_ledger_memory(&flt_huge);
}

int flt_thp_get(void)
{
	int err;

	if (users++)
		return 0;
	err = flt_ledger_open(&flt_huge);
	if (!err) {
		flt_task_reset_huge();
		atomic64_set(&charge_failures, count_charge_failures());
		err = flt_hook_get_all(hooks, ARRAY_SIZE(hooks));
	}
	if (err)
		users--;
	return err;
}

void flt_thp_put(void)
{
	if (!--users)
		flt_hook_put_all(hooks, ARRAY_SIZE(hooks));
}
