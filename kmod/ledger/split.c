// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compat.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include "ledger/huge.h"
#include "ledger/split.h"

struct split_map {
	struct mm_struct *mm;	/* the caller of the probed function keeps it alive */
	pmd_t *pmd;
	bool was_huge, anon;
	u8 cause, former;
};

static enum flt_split_cause cause_of_call(void)
{
	/* 32-bit programs use other system call numbers. */
	if (in_compat_syscall())
		return FLT_SPLIT_OTHER;
	switch (syscall_get_nr(current, task_pt_regs(current))) {
	case -1:		/* not a system call: an exception, that is, a page fault */
		return FLT_SPLIT_FAULT;
	case __NR_munmap:
	case __NR_mremap:
	case __NR_brk:
#ifdef __NR_mmap
	case __NR_mmap:
#endif
		return FLT_SPLIT_UNMAP;
	case __NR_mprotect:
	case __NR_pkey_mprotect:
		return FLT_SPLIT_PROTECT;
	case __NR_madvise:
	case __NR_process_madvise:
		return FLT_SPLIT_ADVISE;
	case __NR_mbind:
	case __NR_move_pages:
	case __NR_migrate_pages:
		return FLT_SPLIT_MIGRATE;
	case __NR_mlock:
	case __NR_mlock2:
	case __NR_munlock:
		return FLT_SPLIT_LOCK;
	default:
		return FLT_SPLIT_OTHER;
	}
}

/* Return what current is doing. @within: flt_task.huge on entry of the probed function. */
static enum flt_split_cause current_cause(u8 within)
{
	if (within & FLT_HUGE_WRITING)
		return FLT_SPLIT_FAULT;
	if (current->flags & (PF_KSWAPD | PF_MEMALLOC))
		return FLT_SPLIT_RECLAIM;
	if (current->flags & PF_KTHREAD)
		return FLT_SPLIT_KERNEL;
	return cause_of_call();
}

/*
 * split_huge_pmd_locked(vma, address, pmd, freeze, folio), which all splits call, or before
 * 6.11 __split_huge_pmd(vma, pmd, address, freeze, folio).
 */
static void enter_map(struct split_map *s, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)flt_hook_arg(regs, 0);

	flt_hook_hit(FLT_HOOK_ID_SPLIT_MAP);
	s->mm = vma->vm_mm;
	s->pmd = (void *)flt_hook_arg(regs, flt_hook_took_first(&flt_split_map) ? 2 : 1);
	s->anon = vma_is_anonymous(vma);
	s->was_huge = flt_huge_mapped(READ_ONCE(*s->pmd));
	s->former = flt_huge_enter(FLT_HUGE_SPLITTING);
	s->cause = (u8)flt_hook_arg(regs, 3) ? FLT_SPLIT_PAGE : current_cause(s->former);
}
NOKPROBE_SYMBOL(enter_map);

/*
 * Count the mapping if this call has split it. In split_huge_pmd_locked() the page table
 * lock is held, so reading the PMD before and after is exact. __split_huge_pmd() takes the
 * lock itself, so two threads may be at the same mapping. Then the thread that withdrew the
 * deposited page table has split it. File mappings have no such table and kernel threads
 * have no slot; for them the PMD decides.
 */
static void leave_map(struct split_map *s, unsigned long value)
{
	u8 state = flt_huge_leave(s->former);
	struct flt_charge charge = { FLT_HUGE_SPLIT_MAPS + s->cause, 1 };

	if (s->anon && state ? state & FLT_HUGE_TABLE :
			       s->was_huge && !flt_huge_mapped(READ_ONCE(*s->pmd)))
		flt_ledger_charge_mm(&flt_huge, s->mm, &charge, 1);
}
NOKPROBE_SYMBOL(leave_map);

FLT_HOOK_RETURN(map, struct split_map, enter_map, leave_map);

static void on_withdraw(struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_SPLIT_WITHDRAW);
	flt_huge_note(FLT_HUGE_SPLITTING, FLT_HUGE_TABLE);
}
NOKPROBE_SYMBOL(on_withdraw);

FLT_HOOK_ENTRY(withdraw, on_withdraw);

struct split_page {
	bool is_huge;		/* PMD size; smaller folios are not counted */
	u8 cause;
};

static void enter_page(struct split_page *s, struct pt_regs *regs)
{
	struct folio *folio = page_folio((struct page *)flt_hook_arg(regs, 0));
	struct flt_task *t = flt_task_find(current);

	flt_hook_hit(FLT_HOOK_ID_SPLIT_PAGE);
	s->is_huge = folio_order(folio) == PMD_SHIFT - PAGE_SHIFT;
	s->cause = current_cause(t ? t->huge : 0);
}
NOKPROBE_SYMBOL(enter_page);

static void leave_page(struct split_page *s, unsigned long value)
{
	struct flt_charge charge = { FLT_HUGE_SPLIT_PAGES + s->cause, 1 };

	if (!s->is_huge)
		return;
	if ((int)value)
		charge.cell = FLT_THP_SPLIT_FAILED;
	if (s->cause == FLT_SPLIT_RECLAIM || s->cause == FLT_SPLIT_KERNEL)
		flt_ledger_charge_nobody(&flt_huge, &charge, 1);
	else
		flt_ledger_charge(&flt_huge, &charge, 1);
}
NOKPROBE_SYMBOL(leave_page);

FLT_HOOK_RETURN(page, struct split_page, enter_page, leave_page);

struct flt_hook flt_split_map = {
	.name = "split-map",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_SPLIT_MAP,
	.unknown = FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_MAPS),
	.symbol = { "split_huge_pmd_locked", "__split_huge_pmd" },
	.enter = map_enter,
	.leave = map_leave,
	.data_size = sizeof(struct split_map),
};

struct flt_hook flt_split_withdraw = {
	.name = "split-withdraw",
	.type = FLT_HOOK_TYPE_KPROBE,
	.id = FLT_HOOK_ID_SPLIT_WITHDRAW,
	.unknown = FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_MAPS),
	.symbol = { "pgtable_trans_huge_withdraw" },
	.entry = withdraw_entry,
};

struct flt_hook flt_split_page = {
	.name = "split-page",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_SPLIT_PAGE,
	.unknown = FLT_LEDGER_SECTION(FLT_LEDGER_SPLIT_PAGES) |
		   FLT_LEDGER_COUNTER(FLT_THP_SPLIT_FAILED),
	/* Since 6.14 the first one also serves truncate(), which splits a page unevenly. */
	.symbol = { "__folio_split", "split_huge_page_to_list_to_order",
		    "split_huge_page_to_list" },
	.enter = page_enter,
	.leave = page_leave,
	.data_size = sizeof(struct split_page),
};
