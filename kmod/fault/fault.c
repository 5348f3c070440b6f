// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include "hook/clock.h"
#include "fault/event.h"
#include "fault/fault.h"
#include "mm/kind.h"

/* Our arguments are read from registers by position: the prototype must be this one. */
static_assert(__same_type(&handle_mm_fault,
			  vm_fault_t (*)(struct vm_area_struct *, unsigned long,
					 unsigned int, struct pt_regs *)));

struct fault {
	struct flt_event event;
	struct mm_struct *mm;		/* alive as long as its caller's fault */
	unsigned long pfn;		/* see flt_kind_look() */
};

/*
 * Memory of another process: GUP for ptrace, process_vm_readv, vhost and the
 * like. An mm that is not current's but owned by it is the one exec is building.
 */
static noinline bool owned_by_other(struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	struct task_struct *owner = rcu_dereference_sched(mm->owner);

	if (owner && same_thread_group(owner, current))
		return false;
#endif
	return true;
}
NOKPROBE_SYMBOL(owned_by_other);

/* A call after one that returned RETRY: the same fault, or was that one given up? */
static noinline void resume(struct fault *f, struct flt_task *t)
{
	if (t->retry_page == (f->event.address & PAGE_MASK)) {
		f->event.start = t->retry_start;
		f->event.attempts = t->retry_attempts + 1;
		f->event.kind = t->retry_kind;
		f->event.unusual = true;
	} else {
		t->account.dropped++;
		flt_tally_here()->account.dropped++;
	}
	t->retry_attempts = 0;
}
NOKPROBE_SYMBOL(resume);

/*
 * The VMA is there when the fault ends, and streams look at it then, unless the lock that
 * keeps it was given up: of calls that do not return RETRY, those that dirty a shared
 * page do so, and return COMPLETED (fault_dirty_shared_page(); "mm: avoid unnecessary
 * page fault retires on shared memory types").
 */
static __always_inline bool may_let_go(const struct vm_area_struct *vma, unsigned int flags)
{
	return flags & FAULT_FLAG_WRITE && vma->vm_flags & VM_SHARED && vma->vm_file;
}

/* Its kind is known; what is said here of its file is no part of its latency. */
static __always_inline void begin(struct fault *f, struct vm_area_struct *vma)
{
	if (static_branch_unlikely(&flt_stream_on) && may_let_go(vma, f->event.flags))
		flt_event_describe(&f->event, vma);
	f->event.start = flt_clock_read();
}

static __always_inline bool in_step(const struct flt_task *t, const struct task_struct *task)
{
	return task->min_flt == t->minor_base + t->account.minor &&
	       task->maj_flt == t->major_base + t->account.major;
}

/* All that most faults do without, and what is called for it. */
static noinline void enter_uncommon(struct fault *f, struct vm_area_struct *vma,
				    enum flt_walk_end end, union flt_walk_entry entry)
{
	struct flt_event *e = &f->event;

	if (f->mm != current->mm) {
		e->remote = owned_by_other(f->mm);
		e->unusual = e->remote;
	}
	if (!e->task) {
		e->task = flt_task_create();
		e->unusual |= !e->task;
	}
	e->kind = end == FLT_WALK_UNTRIED ?
		  flt_kind_look(vma, f->mm, e->address, e->flags, &f->pfn) :
		  flt_kind_of(end, entry, vma, e->flags, &f->pfn);
	begin(f, vma);
	if (!e->task)
		return;
	if (!in_step(e->task, current))
		flt_task_add_missed(e->task);
	if (e->task->retry_attempts)
		resume(f, e->task);
}
NOKPROBE_SYMBOL(enter_uncommon);

/*
 * A common fault fills an empty entry in memory of its own, calls nothing here, and
 * so saves no registers: that was a tenth of what an account costs.
 */
static __always_inline void enter(struct fault *f, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)flt_hook_arg(regs, 0);
	struct mm_struct *mm = vma->vm_mm;
	struct task_struct *task = current;
	unsigned long address = flt_hook_arg(regs, 1);
	unsigned int flags = flt_hook_arg(regs, 2);
	enum flt_walk_end end = FLT_WALK_UNTRIED;
	union flt_walk_entry entry = {};
	struct flt_task *t;

	flt_hook_hit(FLT_HOOK_ID_FAULT);
	f->event.address = address;
	f->event.attempts = 1;
	f->event.unusual = false;
	f->event.remote = false;
	f->event.vma = vma;
	f->event.inode = 0;
	f->event.flags = flags;
	f->mm = mm;
	t = flt_task_find(task);
	f->event.task = t;
	if (likely(!(vma->vm_flags & VM_HUGETLB)))
		end = flt_walk_quick(mm, address, &entry);
	if (unlikely(end != FLT_WALK_PTE || !pte_none(entry.pte) || mm != task->mm || !t ||
		     !in_step(t, task) || t->retry_attempts)) {
		enter_uncommon(f, vma, end, entry);
		return;
	}
	f->event.kind = flt_kind_missing(vma, flags);
	begin(f, vma);
}

static enum flt_failure failure_of(vm_fault_t ret)
{
	if (ret & VM_FAULT_OOM)
		return FLT_FAILURE_OOM;
	if (ret & VM_FAULT_SIGBUS)
		return FLT_FAILURE_SIGBUS;
	if (ret & VM_FAULT_SIGSEGV)
		return FLT_FAILURE_SIGSEGV;
	if (ret & (VM_FAULT_HWPOISON | VM_FAULT_HWPOISON_LARGE))
		return FLT_FAILURE_HWPOISON;
	return FLT_FAILURE_OTHER;
}

static __always_inline u64 latency(const struct fault *f)
{
	u64 delta = flt_clock_read() - f->event.start;

	if (unlikely((s64)delta < 0)) {
		flt_tally_here()->clock_back++;
		delta = 0;
	}
	return flt_clock_ns(delta);
}

/* By bit of vm_fault_t; bit 3 was VM_FAULT_WRITE until 6.1. */
static const u8 return_of_bit[] = {
	[3] = FLT_RETURN_WRITE,
#define BIT_OF(name)							\
	[const_ilog2((__force u32)VM_FAULT_##name)] = FLT_RETURN_##name
	BIT_OF(OOM), BIT_OF(SIGBUS), BIT_OF(MAJOR), BIT_OF(HWPOISON), BIT_OF(HWPOISON_LARGE),
	BIT_OF(SIGSEGV), BIT_OF(NOPAGE), BIT_OF(LOCKED), BIT_OF(RETRY), BIT_OF(FALLBACK),
	BIT_OF(DONE_COW), BIT_OF(NEEDDSYNC), BIT_OF(COMPLETED),
#undef BIT_OF
};

static noinline void count_return(vm_fault_t ret, u64 ns)
{
	unsigned long bits = (__force unsigned long)(ret & ~VM_FAULT_HINDEX_MASK);
	struct flt_tally *t = flt_tally_here();
	u32 bucket = flt_bucket_of(ns);
	unsigned int bit;

	if (!(ret & (VM_FAULT_RETRY | VM_FAULT_ERROR)))
		t->returned[FLT_RETURN_NONE][bucket]++;
	for_each_set_bit(bit, &bits, 32) {
		u8 name = bit < ARRAY_SIZE(return_of_bit) ? return_of_bit[bit] : 0;

		t->returned[name ?: FLT_RETURN_OTHER][bucket]++;
	}
}
NOKPROBE_SYMBOL(count_return);

static void leave_retry(struct fault *f)
{
	struct flt_task *t = f->event.task;

	flt_event_retry(&f->event);
	if (t) {
		t->retry_start = f->event.start;
		t->retry_page = f->event.address & PAGE_MASK;
		t->retry_attempts = f->event.attempts;
		t->retry_kind = f->event.kind & ~FLT_KIND_UNSETTLED;
	}
}
NOKPROBE_SYMBOL(leave_retry);

static noinline void settle(struct fault *f)
{
	f->event.kind = flt_kind_settle(f->event.kind, f->pfn, f->mm, f->event.address);
}
NOKPROBE_SYMBOL(settle);

/*
 * The rule is mm_account_fault()'s, which has just run. The VMA may be gone by now: see
 * leave_uncommon().
 */
static __always_inline void leave_end(struct fault *f, vm_fault_t ret, u64 ns)
{
	if (unlikely(f->event.kind & FLT_KIND_UNSETTLED)) {
		f->event.kind &= ~FLT_KIND_UNSETTLED;
		/* COMPLETED means that the lock which keeps the page table was given up. */
		if (!(ret & VM_FAULT_COMPLETED))
			settle(f);
	}
	flt_event_submit(&f->event,
			 (ret & VM_FAULT_MAJOR) || (f->event.flags & FAULT_FLAG_TRIED), ns);
}

/* It left nothing behind that could settle its kind. */
static void leave_failed(struct fault *f, vm_fault_t ret, u64 ns)
{
	f->event.kind &= ~FLT_KIND_UNSETTLED;
	flt_event_fail(&f->event, failure_of(ret), ns);
}
NOKPROBE_SYMBOL(leave_failed);

/* What comes of most faults that are not filled from nothing; see enter(). */
static noinline void leave_uncommon(struct fault *f, vm_fault_t ret)
{
	u64 ns = latency(f);

	if (ret)
		count_return(ret, ns);
	if (ret & (VM_FAULT_RETRY | VM_FAULT_COMPLETED))
		f->event.vma = NULL;
	if (ret & VM_FAULT_RETRY)
		leave_retry(f);
	else if (ret & VM_FAULT_ERROR)
		leave_failed(f, ret, ns);
	else
		leave_end(f, ret, ns);
}
NOKPROBE_SYMBOL(leave_uncommon);

static __always_inline void leave(struct fault *f, unsigned long value)
{
	vm_fault_t ret = (__force vm_fault_t)value;
	u64 ns;

	if (unlikely(ret || f->event.kind & FLT_KIND_UNSETTLED || f->event.unusual ||
		     !flt_clock_ns_quick(f->event.start, &ns)))
		leave_uncommon(f, ret);
	else
		flt_event_submit_common(&f->event, f->event.flags & FAULT_FLAG_TRIED, ns);
}

FLT_HOOK_RETURN(fault, struct fault, enter, leave);

struct flt_hook flt_fault_hook = {
	.name = "fault",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_FAULT,
	.feature = FLT_FEATURE_FAULTS,
	.required = true,
	.symbol = { "handle_mm_fault" },
	.enter = fault_enter,
	.leave = fault_leave,
	.data_size = sizeof(struct fault),
};
