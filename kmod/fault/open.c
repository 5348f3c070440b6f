// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "account/tally.h"
#include "fault/open.h"
#include "hook/hook.h"
#include "mm/kind.h"

bool flt_open_is_remote(struct mm_struct *mm)
{
	if (mm == current->mm)
		return false;
#ifdef CONFIG_MEMCG
	{
		struct task_struct *owner = rcu_dereference_sched(mm->owner);

		if (owner && same_thread_group(owner, current))
			return false;
	}
#endif
	return true;
}
NOKPROBE_SYMBOL(flt_open_is_remote);

struct flt_task *flt_open_slot(struct flt_task *t)
{
	if (!t)
		return flt_task_create();
	if (t->rowless)
		flt_task_find_row(t);
	return t;
}

/*
 * Replace a kind that depends on the end of the fault by the kind that the page table shows.
 * The lock of the fault has been released, so the page may have been unmapped or moved since:
 * then the kind stays as it looked on entry. Page tables of current's mm are not freed while
 * interrupts are off, as for get_user_pages_fast().
 */
static void confirm_kind(struct flt_task *t)
{
	u64 open = t->open & ~FLT_OPEN_PROVISIONAL;
	u8 kind = flt_open_kind(open);
	unsigned long irq;

	if (t->open_mm == current->mm) {
		local_irq_save(irq);
		kind = flt_kind_confirm(kind, t->open_pfn, current->mm, t->open_address);
		local_irq_restore(irq);
	}
	open &= ~(0xffull << FLT_OPEN_KIND_SHIFT);
	WRITE_ONCE(t->open, open | (u64)kind << FLT_OPEN_KIND_SHIFT);
}

/*
 * The attempt before was not the end of the fault. If it returned RETRY, a call for the same
 * page is the next attempt. If only its entry was probed, it may have failed, too: then the
 * flags tell, because callers set TRIED after a RETRY, unless they have only exchanged the
 * lock of the VMA for mmap_lock (do_user_addr_fault()).
 */
static bool is_next_attempt(const struct flt_task *t, const struct mm_struct *mm,
			    unsigned long address, u32 flags)
{
	if (!(t->open & FLT_OPEN_NO_ADDRESS) &&
	    ((t->open_address ^ address) & PAGE_MASK || t->open_mm != mm))
		return false;
	return !(t->open & FLT_OPEN_ENTERED) || flags & FAULT_FLAG_TRIED ||
	       (t->open & FAULT_FLAG_VMA_LOCK && !(flags & FAULT_FLAG_VMA_LOCK));
}

u64 flt_open_end(struct flt_task *t, struct mm_struct *mm, unsigned long address, u32 flags)
{
	if (flt_task_minor_ahead(t, t->task) || flt_task_major_ahead(t, t->task)) {
		if (t->open & FLT_OPEN_PROVISIONAL)
			confirm_kind(t);
		flt_task_settle(t);
	}
	if (!t->open)
		return 0;
	if (is_next_attempt(t, mm, address, flags)) {
		if (t->open & FLT_OPEN_ENTERED) {
			t->account.retried++;
			flt_tally_here()->account.retried++;
			t->open_start = 0;
		}
		return t->open;
	}
	flt_task_abandon(t);
	return 0;
}

void flt_open_begin(struct flt_task *t, u64 earlier, const struct flt_event *e,
		    struct mm_struct *mm, unsigned long pfn)
{
	u64 open = flt_open_first(e->kind & ~FLT_KIND_PROVISIONAL, e->flags);
	u64 attempts = min(flt_open_attempts(earlier) + 1, FLT_OPEN_ATTEMPTS_MAX);

	open += (attempts - 1) << FLT_OPEN_ATTEMPTS_SHIFT;
	if (e->remote)
		open |= FLT_OPEN_REMOTE;
	if (e->kind & FLT_KIND_PROVISIONAL)
		open |= FLT_OPEN_PROVISIONAL;
	if (flt_open_earlier_flags(earlier) & FAULT_FLAG_VMA_LOCK)
		open |= FLT_OPEN_HAD_VMA_LOCK;
	t->open_address = e->address;
	t->open_mm = mm;
	t->open_pfn = pfn;
	t->open_start = e->start;
	WRITE_ONCE(t->open, open);
}
