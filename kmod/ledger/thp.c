// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include "hook/clock.h"
#include "ledger/collapse.h"
#include "hook/hook.h"
#include "ledger/huge.h"
#include "ledger/split.h"
#include "ledger/thp.h"

struct flt_ledger flt_huge;

struct fill {
	struct vm_fault *vmf;	/* belongs to the caller of the probed function */
	u64 start;
	bool fits;		/* the mapping covers the whole huge page */
	u8 former;
};

static void enter_fill(struct fill *f, struct pt_regs *regs)
{
	struct vm_fault *vmf = (void *)flt_hook_arg(regs, 0);
	unsigned long address = vmf->address & PMD_MASK;

	flt_hook_hit(FLT_HOOK_ID_THP_FILL);
	f->vmf = vmf;
	f->fits = address >= vmf->vma->vm_start &&
		  address + PMD_SIZE <= vmf->vma->vm_end;
	f->former = flt_huge_enter(FLT_HUGE_FILLING);
	f->start = flt_clock_read();
}
NOKPROBE_SYMBOL(enter_fill);

/*
 * For threads without a slot, which have no FLT_HUGE_ZERO. The caller of the probed function
 * holds mmap_lock or the VMA lock.
 */
static bool maps_zero_page(pmd_t pmd)
{
	return pmd_present(pmd) && pmd_leaf(pmd) && !PageAnon(pmd_page(pmd));
}

static enum flt_thp_count fill_result(const struct fill *f, u8 state)
{
	pmd_t pmd = READ_ONCE(*f->vmf->pmd);

	/* Of several threads at one PMD, only the one whose page is mapped deposits a table. */
	if (state ? !(state & FLT_HUGE_TABLE) : !flt_huge_mapped(pmd))
		return FLT_THP_LATE;
	if (f->vmf->flags & FAULT_FLAG_WRITE)
		return FLT_THP_FILLED;
	return state & FLT_HUGE_ZERO || maps_zero_page(pmd) ? FLT_THP_ZERO : FLT_THP_FILLED;
}

/* Charge the end of a fault that could have filled a huge page, and how long it took. */
static void charge_fill(enum flt_thp_count result, u64 start)
{
	u64 ns = flt_clock_ns(max_t(s64, flt_clock_read() - start, 0));
	struct flt_charge charge[3] = { { result, 1 } };
	u32 octave = flt_bucket_of(ns) >> FLT_BUCKET_SHIFT, count = 1;

	if (result == FLT_THP_NO_PAGE || result == FLT_THP_NO_CHARGE) {
		charge[count++] = (struct flt_charge) { FLT_THP_FALLBACK_NS, ns };
	} else if (result == FLT_THP_FILLED) {
		charge[count++] = (struct flt_charge) { FLT_THP_FILL_NS, ns };
		charge[count++] = (struct flt_charge) { FLT_HUGE_OCTAVES + octave, 1 };
	}
	flt_ledger_charge(&flt_huge, charge, count);
}

/* A fallback after the charge was tried means that the charge failed. */
static enum flt_thp_count fallback_result(u8 state)
{
	return state & FLT_HUGE_CHARGE ? FLT_THP_NO_CHARGE : FLT_THP_NO_PAGE;
}

static void leave_fill(struct fill *f, unsigned long value)
{
	u8 state = flt_huge_leave(f->former);

	/* The kernel will try again. */
	if (value & (__force unsigned long)VM_FAULT_RETRY)
		return;
	if (value & (__force unsigned long)VM_FAULT_FALLBACK)
		charge_fill(f->fits ? fallback_result(state) : FLT_THP_UNFIT, f->start);
	else
		charge_fill(value ? FLT_THP_ERROR : fill_result(f, state), f->start);
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

/*
 * __mem_cgroup_charge(folio, mm, gfp), or before 5.13 mem_cgroup_charge() of a page. The kernel
 * charges the huge page after it has allocated the page. Reclaim in between may charge small
 * pages.
 */
static void on_charge(struct pt_regs *regs)
{
	struct folio *folio = (void *)flt_hook_arg(regs, 0);

	flt_hook_hit(FLT_HOOK_ID_THP_CHARGE);
	if (folio_order(folio) == PMD_SHIFT - PAGE_SHIFT)
		flt_huge_note(FLT_HUGE_FILLING | FLT_HUGE_WRITING, FLT_HUGE_CHARGE);
}
NOKPROBE_SYMBOL(on_charge);

FLT_HOOK_ENTRY(charge, on_charge);

/* Of several threads that write to one huge zero page, only one replaces the page. */
static void on_replace(struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_THP_REPLACE);
	flt_huge_note(FLT_HUGE_WRITING, FLT_HUGE_TABLE);
}
NOKPROBE_SYMBOL(on_replace);

FLT_HOOK_ENTRY(replace, on_replace);

/*
 * Since 6.13 a write fault at the huge zero page fills a huge page if possible ("mm: allocate
 * THP on hugezeropage wp-fault"). Before, and if there is no huge page, the fault splits the
 * mapping, and split.c needs to know the cause.
 */
struct write {
	u64 start;
	u8 former;
	bool zero;
};

/* True if this kernel tries to fill a huge page, so that a fallback is a failure. */
static bool fills_zero __ro_after_init;

static void enter_write(struct write *w, struct pt_regs *regs)
{
	struct vm_fault *vmf = (void *)flt_hook_arg(regs, 0);

	flt_hook_hit(FLT_HOOK_ID_THP_WRITE);
	w->zero = maps_zero_page(READ_ONCE(*vmf->pmd));
	w->former = flt_huge_enter(FLT_HUGE_WRITING);
	w->start = flt_clock_read();
}
NOKPROBE_SYMBOL(enter_write);

static void leave_write(struct write *w, unsigned long value)
{
	u8 state = flt_huge_leave(w->former);

	if (!w->zero)
		return;
	if (state & FLT_HUGE_TABLE)
		charge_fill(FLT_THP_FILLED, w->start);
	else if (fills_zero && value & (__force unsigned long)VM_FAULT_FALLBACK)
		charge_fill(fallback_result(state), w->start);
	else if (fills_zero && state)
		charge_fill(value ? FLT_THP_ERROR : FLT_THP_LATE, w->start);
}
NOKPROBE_SYMBOL(leave_write);

FLT_HOOK_RETURN(write, struct write, enter_write, leave_write);

#define THP(name) FLT_LEDGER_COUNTER(FLT_THP_##name)
/* Huge pages that were filled, and fills of the zero page: one of both without the hook. */
#define OF_FILLS (THP(FILLED) | THP(ZERO) | THP(FILL_NS) | FLT_LEDGER_SECTION(FLT_LEDGER_OCTAVES))

static struct flt_hook fill_hook = {
	.name = "thp-fill",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_THP_FILL,
	.unknown = OF_FILLS | THP(LATE) | THP(NO_PAGE) | THP(NO_CHARGE) | THP(UNFIT) |
		   THP(ERROR) | THP(FALLBACK_NS),
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
	.unknown = OF_FILLS | THP(LATE),
	.symbol = { "pgtable_trans_huge_deposit" },
	.entry = deposit_entry,
};

static struct flt_hook zero_hook = {
	.name = "thp-zero",
	.type = FLT_HOOK_TYPE_KPROBE,
	.id = FLT_HOOK_ID_THP_ZERO,
	.unknown = OF_FILLS,
	.symbol = { "mm_get_huge_zero_folio", "mm_get_huge_zero_page" },
	.entry = zero_entry,
};

static struct flt_hook charge_hook = {
	.name = "thp-charge",
	.type = FLT_HOOK_TYPE_KPROBE,
	.id = FLT_HOOK_ID_THP_CHARGE,
	/* Without memory cgroups no charge can fail. */
	.unknown = IS_ENABLED(CONFIG_MEMCG) ? THP(NO_PAGE) | THP(NO_CHARGE) : 0,
	.symbol = { "__mem_cgroup_charge", "mem_cgroup_charge" },
	.entry = charge_entry,
};

static struct flt_hook write_hook = {
	.name = "thp-write",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_THP_WRITE,
	/* A write fault in a system call would be charged to another cause. */
	.unknown = FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_MAPS),
	.symbol = { "do_huge_pmd_wp_page" },
	.enter = write_enter,
	.leave = write_leave,
	.data_size = sizeof(struct write),
};

static struct flt_hook replace_hook = {
	.name = "thp-replace",
	.type = FLT_HOOK_TYPE_KPROBE,
	.id = FLT_HOOK_ID_THP_REPLACE,
	.symbol = { "pmdp_huge_clear_flush" },
	.entry = replace_entry,
};

/* Hooks that set flt_task.huge come before hooks that read it. */
static struct flt_hook *const hooks[] = {
	&deposit_hook, &zero_hook, &charge_hook, &replace_hook, &write_hook, &fill_hook,
	&flt_split_withdraw, &flt_split_map, &flt_split_page,
	&flt_collapse_scan, &flt_collapse_scan_file, &flt_collapse_anon, &flt_collapse_file,
};

static unsigned int users;

void __init flt_thp_init(void)
{
	flt_ledger_add(&flt_huge, __FLT_HUGE_CELLS);
	flt_hook_add_all(hooks, ARRAY_SIZE(hooks));
	/* The function has two callers, so compilers do not inline it. */
	fills_zero = flt_hook_function("vma_alloc_anon_folio_pmd");
	if (fills_zero) {
		write_hook.unknown |= OF_FILLS | THP(LATE) | THP(NO_PAGE) | THP(NO_CHARGE) |
				      THP(ERROR) | THP(FALLBACK_NS);
		replace_hook.unknown = OF_FILLS | THP(LATE);
	}
}

void flt_thp_exit(void)
{
	flt_ledger_free(&flt_huge);
}

u64 flt_thp_unknown(void)
{
	return flt_hook_unknown(hooks, ARRAY_SIZE(hooks));
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
	if (err)
		goto err_open;
	flt_task_reset_huge();
	err = flt_hook_get_all(hooks, ARRAY_SIZE(hooks));
	if (err)
		goto err_hooks;
	return 0;

err_hooks:
	flt_ledger_close();
err_open:
	users--;
	return err;
}

void flt_thp_put(void)
{
	if (--users)
		return;
	flt_hook_put_all(hooks, ARRAY_SIZE(hooks));
	flt_ledger_close();
}
