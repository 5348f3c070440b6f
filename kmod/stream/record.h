/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record - a fault as the probe knows it (struct flt_event), and the 64 bytes that a
 * session streams (struct flt_event_record).
 *
 * The record is written directly into the buffer of the session's channel, after the
 * filter of the session has passed the fault.
 */
#ifndef FLT_RECORD_H
#define FLT_RECORD_H

#include <linux/flt_event.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

struct flt_task;

struct flt_event {
	struct flt_task *task;	/* slot of the thread; NULL: none */
	u64 start;		/* flt_clock_read() at the first attempt */
	unsigned long address;
	u32 attempts;
	u32 flags;		/* FAULT_FLAG_* of the last attempt */
	u32 earlier_flags;	/* of the attempts before, if attempts > 1 */
	u8 kind;		/* enum flt_kind */
	bool remote;		/* memory of another process */
	bool unusual;		/* remote, more than one attempt, or no slot */
	struct vm_area_struct *vma;	/* NULL: it may have been freed */
	u64 inode;		/* 0: no file, or not set yet */
	u32 dev, page;		/* valid if inode is set */
};

/* Set file and page, as /proc/PID/maps shows them: on overlayfs those of the overlay file. */
static inline void flt_record_map(struct flt_event *e, const struct vm_area_struct *vma)
{
	const struct inode *inode = file_user_inode(vma->vm_file);

	e->page = vma->vm_pgoff + ((e->address - vma->vm_start) >> PAGE_SHIFT);
	e->inode = inode->i_ino;
	e->dev = new_encode_dev(inode->i_sb->s_dev);
}

/* Return the user registers of current, or NULL if current has no user space. */
static __always_inline struct pt_regs *flt_record_user(void)
{
	struct task_struct *task = current;

	return likely(task->mm && !(task->flags & PF_KTHREAD)) ? task_pt_regs(task) : NULL;
}

/*
 * Fill a record. @result: enum flt_result. @ns: latency. @time: start of the fault. @regs:
 * flt_record_user(). @stack: stack ID or 0. @weight: faults that the record stands for.
 * @plain: constant true if the fault is in user mode, in no file, not unusual, and not
 * longer than U32_MAX ns.
 */
static __always_inline void flt_record_fill(struct flt_event_record *r, const struct flt_event *e,
					    u32 result, u64 ns, u64 time, struct pt_regs *regs,
					    u32 stack, u16 weight, const bool plain)
{
	const struct task_struct *task = current;
	const bool in_file = !plain && e->inode;
	u16 flags = (e->flags & FAULT_FLAG_WRITE ? FLT_EVENT_WRITE : 0) |
		    (e->flags & FAULT_FLAG_INSTRUCTION ? FLT_EVENT_EXEC : 0) |
		    (plain || e->flags & FAULT_FLAG_USER ? FLT_EVENT_USER : 0);
	u64 latency = ns;

	r->time = time;
	r->address = e->address;
	/* The faulting instruction, or the one after the system call. */
	r->ip = plain || regs ? instruction_pointer(regs) : 0;
	r->tgid = task->tgid;
	r->tid = task->pid;
	r->inode = in_file ? e->inode : 0;
	r->dev = in_file ? e->dev : 0;
	r->page = in_file ? e->page : 0;
	r->stack = stack;
	r->type = FLT_EVENT_FAULT;
	r->kind = e->kind;
	r->attempts = 1;
	r->result = result;
	r->weight = weight;
	if (unlikely(!plain && e->unusual)) {
		r->attempts = min_t(u32, e->attempts, U8_MAX);
		if (e->remote)
			flags |= FLT_EVENT_REMOTE;
	}
	if (unlikely(!plain && ns > U32_MAX)) {
		latency = min_t(u64, ns >> 10, U32_MAX);
		flags |= FLT_EVENT_LONG;
	}
	r->latency = latency;
	r->flags = flags;
}

#endif
