/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record - one fault as its producer knows it, and the 64 bytes that a session
 * gets of it. Those are written where the session's channel wants them, once
 * the session's filter has let the fault pass: nothing is built to be thrown away.
 */
#ifndef FLT_RECORD_H
#define FLT_RECORD_H

#include <linux/flt_event.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

struct flt_task;

struct flt_event {
	struct flt_task *task;	/* NULL: the thread has no slot */
	u64 start;		/* flt_clock_read() at the first attempt */
	unsigned long address;
	u32 attempts;
	u8 kind;		/* enum flt_kind */
	u8 access;		/* FLT_EVENT_WRITE, _EXEC, _USER */
	bool remote;		/* memory of another process */
	bool unusual;		/* remote, stitched, or a thread without a slot */
	/* The mapping; taken only while flt_stream_on, else stale: see flt_stream_record(). */
	u64 inode;		/* 0: no file */
	u32 dev, page;
};

/* Of current, where it left user space; NULL: it has none. */
static __always_inline struct pt_regs *flt_record_user(void)
{
	struct task_struct *task = current;

	return likely(task->mm && !(task->flags & PF_KTHREAD)) ? task_pt_regs(task) : NULL;
}

/*
 * @result: enum flt_result; the fault began at @time and took @ns nanoseconds;
 * @regs: flt_record_user().
 */
static __always_inline void flt_record_fill(struct flt_event_record *r, const struct flt_event *e,
					    u8 result, u64 ns, u64 time,
					    struct pt_regs *regs)
{
	const struct task_struct *task = current;
	u16 flags = e->access;
	u32 latency = ns;

	if (unlikely(ns > U32_MAX)) {
		latency = min_t(u64, ns >> 10, U32_MAX);
		flags |= FLT_EVENT_LONG;
	}
	if (unlikely(e->remote))
		flags |= FLT_EVENT_REMOTE;
	*r = (struct flt_event_record) {
		.time = time,
		.address = e->address,
		/* The faulting instruction, or that behind the system call. */
		.ip = regs ? instruction_pointer(regs) : 0,
		.inode = e->inode,
		.latency = latency,
		.tgid = task->tgid,
		.tid = task->pid,
		.dev = e->dev,
		.page = e->inode ? e->page : 0,
		.type = FLT_EVENT_FAULT,
		.kind = e->kind,
		.attempts = min_t(u32, e->attempts, U8_MAX),
		.result = result,
		.flags = flags,
		.weight = 1,
	};
}

#endif
