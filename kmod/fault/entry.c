// SPDX-License-Identifier: GPL-2.0-only
/*
 * The entry of a fault tells for what the fault is, and, by min_flt and maj_flt of the thread,
 * how the fault before has ended (mm_account_fault()). So the last fault of each thread is
 * open, see flt_task.open.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include "account/tally.h"
#include "fault/entry.h"
#include "fault/mode.h"
#include "fault/open.h"
#include "mm/kind.h"

/* Count the end of a fault for which flt_open_is_plain() is true, as a minor one. */
static __always_inline void count_plain(struct flt_account *a, u64 open)
{
	a->minor++;
	a->kind[flt_open_kind(open)]++;
	flt_account_handled(a, open & FAULT_FLAG_VMA_LOCK, false, false, 1, true);
}

/* Slow path: everything that makes calls. */
static noinline void enter_slow_path(struct flt_task *t, struct vm_area_struct *vma,
				     unsigned long address, unsigned int flags)
{
	struct flt_event e = {
		.address = address,
		.flags = flags,
		.remote = flt_open_is_remote(vma->vm_mm),
	};
	unsigned long pfn = 0;
	u64 earlier;

	t = flt_open_slot(t);
	if (!t) {
		flt_tally_here()->lost_task++;
		return;
	}
	earlier = flt_open_end(t, vma->vm_mm, address, flags);
	e.kind = earlier ? flt_open_first_kind(t, earlier, &pfn) :
			   flt_kind_find(vma, vma->vm_mm, address, flags, &pfn);
	flt_open_begin(t, earlier, &e, vma->vm_mm, pfn);
}
NOKPROBE_SYMBOL(enter_slow_path);

/*
 * A common fault fills an empty page table entry in the thread's own memory, after a minor
 * fault. Its path makes no calls, so the compiler saves no registers.
 */
static __always_inline void on_entry(unsigned long vma_arg, unsigned long address,
				     unsigned long flags)
{
	struct vm_area_struct *vma = (void *)vma_arg;
	enum flt_walk_end end = FLT_WALK_UNSUPPORTED;
	struct task_struct *task = current;
	union flt_walk_entry entry = {};
	struct flt_task *t;
	u64 open;

	if (!flt_mode_is(FLT_MODE_ENTRIES))
		return;
	flt_hook_hit(FLT_HOOK_ID_ENTRY);
	t = flt_task_find(task);
	if (likely(!(vma->vm_flags & VM_HUGETLB)))
		end = flt_walk_quick(vma->vm_mm, address, &entry);
	if (unlikely(end != FLT_WALK_PTE || !pte_none(entry.pte) || vma->vm_mm != task->mm || !t ||
		     !flt_open_is_plain(t->open) || flt_task_minor_ahead(t, task) != 1 ||
		     flt_task_major_ahead(t, task) || t->rowless)) {
		enter_slow_path(t, vma, address, flags);
		return;
	}
	open = t->open;
	count_plain(&t->account, open);
	count_plain(&flt_tally_here()->account, open);
	t->open_address = address;
	t->open_mm = task->mm;
	/* Readers see the count before they see the next fault. */
	smp_store_release(&t->open, flt_open_first(flt_kind_missing(vma, flags), flags));
}

FLT_HOOK_CALL(entry, on_entry);

struct flt_hook flt_entry_hook = {
	.name = "entry",
	.id = FLT_HOOK_ID_ENTRY,
	.feature = FLT_FEATURE_FAULTS,
	.required = true,
	.symbol = { "handle_mm_fault" },
	FLT_HOOK_CALLED(entry),
};
