// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include "hook/clock.h"
#include "fault/cause.h"
#include "fault/event.h"
#include "fault/fault.h"
#include "fault/mode.h"
#include "fault/open.h"
#include "mm/kind.h"

/* The probe reads the arguments from registers by position. */
static_assert(__same_type(&handle_mm_fault,
			  vm_fault_t (*)(struct vm_area_struct *, unsigned long,
					 unsigned int, struct pt_regs *)));

struct fault {
	struct flt_event event;
	struct mm_struct *mm;		/* the caller of handle_mm_fault() keeps it alive */
	unsigned long pfn;		/* for flt_kind_confirm() */
};

/*
 * Return true if the call may drop the lock that protects the VMA, although it does not
 * return RETRY. Calls that dirty a page of a shared file mapping may, and then return
 * COMPLETED (fault_dirty_shared_page(); "mm: avoid unnecessary page fault retires on
 * shared memory types"). Streams read the VMA of other calls when the call returns.
 */
static __always_inline bool may_drop_lock(const struct vm_area_struct *vma, unsigned int flags)
{
	return flags & FAULT_FLAG_WRITE && vma->vm_flags & VM_SHARED && vma->vm_file;
}

/* Start measuring. Describing the VMA before that keeps its cost out of the latency. */
static __always_inline void start_clock(struct fault *f, struct vm_area_struct *vma)
{
	if (static_branch_unlikely(&flt_stream_on) && may_drop_lock(vma, f->event.flags))
		flt_event_describe(&f->event, vma);
	f->event.start = flt_clock_read();
}

/* The call continues the fault whose earlier attempts are in @open. */
static void resume(struct fault *f, u64 open)
{
	/* While returns were not probed, the start of the first attempt was not recorded. */
	if (f->event.task->open_start)
		f->event.start = f->event.task->open_start;
	f->event.attempts = flt_open_attempts(open) + 1;
	f->event.earlier_flags = flt_open_earlier_flags(open);
	f->event.kind = flt_open_first_kind(f->event.task, open, &f->pfn);
	f->event.unusual = true;
}

/* Slow path: everything that makes calls. Return 0. */
static noinline int enter_slow_path(struct fault *f, struct vm_area_struct *vma,
				    enum flt_walk_end end, union flt_walk_entry entry)
{
	struct flt_event *e = &f->event;
	u64 open;

	e->remote = flt_open_is_remote(f->mm);
	e->task = flt_open_slot(e->task);
	e->unusual = e->remote || !e->task;
	e->kind = end == FLT_WALK_UNSUPPORTED ?
		  flt_kind_find(vma, f->mm, e->address, e->flags, &f->pfn) :
		  flt_kind_of(end, entry, vma, e->flags, &f->pfn);
	start_clock(f, vma);
	if (!e->task)
		return 0;
	open = flt_open_end(e->task, f->mm, e->address, e->flags);
	if (open)
		resume(f, open);
	else
		flt_cause_begin(e);
	flt_open_begin(e->task, open, e, f->mm, f->pfn);
	return 0;
}
NOKPROBE_SYMBOL(enter_slow_path);

/* Return true if start_clock() makes calls. */
static __always_inline bool clock_makes_calls(const struct vm_area_struct *vma, unsigned int flags)
{
	return !flt_clock_is_quick() ||
	       (static_branch_unlikely(&flt_stream_on) && may_drop_lock(vma, flags));
}

/*
 * A common fault fills an empty page table entry in the thread's own memory. Its path makes
 * no calls but the last one, so the compiler saves no registers. That saves a tenth of the
 * instructions of accounting. Return 0.
 */
static __always_inline int enter(struct fault *f, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)flt_hook_arg(regs, 0);
	struct mm_struct *mm = vma->vm_mm;
	struct task_struct *task = current;
	unsigned long address = flt_hook_arg(regs, 1);
	unsigned int flags = flt_hook_arg(regs, 2);
	union flt_walk_entry entry = {};
	enum flt_walk_end end;
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
	if (unlikely(mm != task->mm || !t || flt_task_minor_ahead(t, task) ||
		     flt_task_major_ahead(t, task) || t->open || t->rowless ||
		     vma->vm_flags & VM_HUGETLB || clock_makes_calls(vma, flags)))
		return enter_slow_path(f, vma, FLT_WALK_UNSUPPORTED, entry);
	end = flt_walk_quick(mm, address, &entry);
	if (unlikely(end != FLT_WALK_PTE || !pte_none(entry.pte)))
		return enter_slow_path(f, vma, end, entry);
	f->event.kind = flt_kind_missing(vma, flags);
	/* In case that the probe is removed before the fault ends. */
	WRITE_ONCE(t->open, flt_open_first(f->event.kind, flags) | FLT_OPEN_NO_ADDRESS);
	f->event.start = flt_clock_read();
	return flt_cause_begin(&f->event);
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

static __always_inline u64 measure_latency(const struct fault *f)
{
	u64 delta = flt_clock_read() - f->event.start;

	if (unlikely((s64)delta < 0)) {
		flt_tally_here()->clock_back++;
		delta = 0;
	}
	return flt_clock_ns(delta);
}

/* Index: bit of vm_fault_t. Bit 3 was VM_FAULT_WRITE until 6.1. */
static const u8 return_of_bit[] = {
	[3] = FLT_RETURN_WRITE,
#define BIT_OF(name)							\
	[const_ilog2((__force u32)VM_FAULT_##name)] = FLT_RETURN_##name
	BIT_OF(OOM), BIT_OF(SIGBUS), BIT_OF(MAJOR), BIT_OF(HWPOISON), BIT_OF(HWPOISON_LARGE),
	BIT_OF(SIGSEGV), BIT_OF(NOPAGE), BIT_OF(LOCKED), BIT_OF(RETRY), BIT_OF(FALLBACK),
	BIT_OF(DONE_COW), BIT_OF(NEEDDSYNC), BIT_OF(COMPLETED),
#undef BIT_OF
};

/* Count each bit that handle_mm_fault() returned, by latency. */
static noinline void count_return(const struct flt_event *e, vm_fault_t ret, u64 ns)
{
	unsigned long bits = (__force unsigned long)(ret & ~VM_FAULT_HINDEX_MASK);
	struct flt_tally *t = flt_tally_here();
	u32 bucket = flt_bucket_of(ns), names = 0;
	unsigned int bit;

	if (!(ret & (VM_FAULT_RETRY | VM_FAULT_ERROR)))
		names = BIT(FLT_RETURN_NONE);
	for_each_set_bit(bit, &bits, 32) {
		u8 name = bit < ARRAY_SIZE(return_of_bit) ? return_of_bit[bit] : 0;

		names |= BIT(name ?: FLT_RETURN_OTHER);
	}
	for (bit = 0; bit < __FLT_RETURN_MAX; bit++)
		if (names & BIT(bit))
			t->returned[bit][bucket]++;
	if (static_branch_unlikely(&flt_hist_on))
		flt_event_returned(e, names, bucket, ns);
}
NOKPROBE_SYMBOL(count_return);

static void leave_retry(struct fault *f)
{
	struct flt_task *t = f->event.task;

	flt_event_retry(&f->event);
	if (!t)
		return;
	t->open_start = f->event.start;
	t->open_address = f->event.address;
	t->open_mm = f->mm;
	WRITE_ONCE(t->open, t->open & ~(FLT_OPEN_ENTERED | FLT_OPEN_NO_ADDRESS));
	/* The caller did not want to wait. Another attempt, maybe much later, is a new fault. */
	if (f->event.flags & FAULT_FLAG_RETRY_NOWAIT)
		flt_task_abandon(t);
}
NOKPROBE_SYMBOL(leave_retry);

static noinline void confirm_kind(struct fault *f)
{
	f->event.kind = flt_kind_confirm(f->event.kind, f->pfn, f->mm, f->event.address);
}
NOKPROBE_SYMBOL(confirm_kind);

/*
 * Apply the rule of mm_account_fault(), which has just run. The VMA may be gone by now,
 * see leave_slow_path().
 */
static __always_inline void leave_ended(struct fault *f, vm_fault_t ret, u64 ns)
{
	if (unlikely(f->event.kind & FLT_KIND_PROVISIONAL)) {
		f->event.kind &= ~FLT_KIND_PROVISIONAL;
		/* COMPLETED: the lock that protects the page table was dropped. */
		if (!(ret & VM_FAULT_COMPLETED))
			confirm_kind(f);
	}
	flt_event_submit(&f->event,
			 (ret & VM_FAULT_MAJOR) || (f->event.flags & FAULT_FLAG_TRIED), ns);
}

/* A failed fault leaves no entry in the page table that could confirm the kind. */
static void leave_failed(struct fault *f, vm_fault_t ret, u64 ns)
{
	f->event.kind &= ~FLT_KIND_PROVISIONAL;
	flt_event_fail(&f->event, failure_of(ret), ns);
}
NOKPROBE_SYMBOL(leave_failed);

/* Slow path: most faults other than those of the fast path of enter(). Return 0. */
static noinline int leave_slow_path(struct fault *f, vm_fault_t ret)
{
	u64 ns = measure_latency(f);

	if (ret)
		count_return(&f->event, ret, ns);
	if (ret & (VM_FAULT_RETRY | VM_FAULT_COMPLETED))
		f->event.vma = NULL;
	if (ret & VM_FAULT_RETRY)
		leave_retry(f);
	else if (ret & VM_FAULT_ERROR)
		leave_failed(f, ret, ns);
	else
		leave_ended(f, ret, ns);
	if (f->event.task && !(ret & VM_FAULT_RETRY)) {
		/* Readers see the count before they see that no fault is open. */
		smp_store_release(&f->event.task->open, 0);
	}
	return 0;
}
NOKPROBE_SYMBOL(leave_slow_path);

/* Like enter(), makes no calls but the last one. Return 0. */
static __always_inline int leave(struct fault *f, unsigned long value)
{
	vm_fault_t ret = (__force vm_fault_t)value;
	bool major = f->event.flags & FAULT_FLAG_TRIED;
	u64 ns;

	if (unlikely(ret || f->event.kind & FLT_KIND_PROVISIONAL || f->event.unusual ||
		     !flt_clock_ns_quick(f->event.start, &ns)))
		return leave_slow_path(f, ret);
	return flt_event_report(&f->event, major, ns,
				flt_event_count_common(&f->event, major, ns));
}

static int fault_leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return leave((struct fault *)ri->data, regs_return_value(regs));
}
NOKPROBE_SYMBOL(fault_leave);

/* As FLT_HOOK_RETURN() defines it, but ignore the call if another probe counts it. */
static int fault_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (!flt_mode_is(FLT_MODE_RETURNS))
		return 1;
	return enter((struct fault *)ri->data, regs);
}
NOKPROBE_SYMBOL(fault_enter);

/* The larger probes are rarely used, so they share the code. */
static noinline int enter_larger(struct kretprobe_instance *ri, struct pt_regs *regs,
				 unsigned int mode)
{
	if (!flt_mode_is(mode))
		return 1;
	return enter((struct fault *)ri->data, regs);
}
NOKPROBE_SYMBOL(enter_larger);

#define LARGER_PROBE(n, next)							\
static int fault_enter_##n(struct kretprobe_instance *ri, struct pt_regs *regs)	\
{										\
	return enter_larger(ri, regs, FLT_MODE_RETURNS + (n));			\
}										\
NOKPROBE_SYMBOL(fault_enter_##n);						\
										\
static struct flt_hook fault_hook_##n = {					\
	.name = "fault",							\
	.type = FLT_HOOK_TYPE_KRETPROBE,					\
	.enter = fault_enter_##n,						\
	.leave = fault_leave,							\
	.data_size = sizeof(struct fault),					\
	.larger = next,								\
}

LARGER_PROBE(3, NULL);
LARGER_PROBE(2, &fault_hook_3);
LARGER_PROBE(1, &fault_hook_2);

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
	.larger = &fault_hook_1,
};
