// SPDX-License-Identifier: GPL-2.0-only
#include <linux/binfmts.h>
#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>
#include "fault/life.h"
#include "account/proc.h"
#include "stream/stream.h"
#include "account/task.h"
#include "wss/wss.h"

static u32 following;		/* sessions, as bits of flt_proc.sessions */

/* Return the streams that get notes about @task's process. */
static u32 note_mask(struct task_struct *task)
{
	return flt_stream_mask(flt_proc_sessions(task)) & READ_ONCE(flt_stream_notes);
}

void flt_life_follow(u32 sessions)
{
	WRITE_ONCE(following, sessions);
}

/* Runs after exit_mm(), so the thread cannot fault any more. */
static void end_current(struct task_struct *task)
{
	if (static_branch_unlikely(&flt_stream_noting)) {
		struct flt_event_life life = {
			.what = FLT_LIFE_EXIT,
			/* The exit status of the process, as wait4() returns it. */
			.code = task->signal->flags & SIGNAL_GROUP_EXIT ?
				task->signal->group_exit_code : task->exit_code,
		};

		flt_stream_note_life(&life, task, NULL, note_mask(task));
	}
	flt_task_end();
}

/*
 * do_exit() calls exit_files() after exit_mm(). The tracepoint sched_process_exit comes before
 * exit_mm() since 6.16, and threads fault there (exit_robust_list()). A fork that fails calls
 * exit_files() for the child.
 */
static __always_inline void on_exit(unsigned long task_arg, unsigned long unused1,
				    unsigned long unused2)
{
	struct task_struct *task = (void *)task_arg;

	flt_hook_hit(FLT_HOOK_ID_EXIT);
	if (task == current && task->flags & PF_EXITING)
		end_current(task);
}

FLT_HOOK_CALL(exit, on_exit);

static void on_exec(void *data, struct task_struct *task, pid_t old_pid,
		    struct linux_binprm *bprm)
{
	flt_hook_begin(FLT_HOOK_ID_EXEC);
	flt_proc_rename(task);
	if (static_branch_unlikely(&flt_stream_noting)) {
		struct flt_event_life life = { .what = FLT_LIFE_EXEC };

		flt_stream_note_life(&life, task, bprm->file, note_mask(task));
	}
	flt_hook_end();
}

/* Runs in the parent before the child runs, so no fault of the child comes earlier. */
static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	flt_hook_begin(FLT_HOOK_ID_FORK);
	/* Reads the sessions with preemption off, so that close_bit() can wait for the fork. */
	flt_task_fork(parent, child, READ_ONCE(following));
	if (child->tgid != parent->tgid)
		flt_wss_fork(parent, child);
	if (static_branch_unlikely(&flt_stream_noting)) {
		struct flt_event_life life = { .what = FLT_LIFE_FORK };

		flt_stream_note_life(&life, child, NULL, note_mask(parent));
	}
	flt_hook_end();
}

static void note_map(struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_EXEC && vma->vm_mm == current->mm)
		flt_stream_note_exec(vma, note_mask(current));
}

/*
 * perf_event_mmap() is called for every new mapping and every mprotect(), with mmap_lock
 * held for writing.
 */
#ifdef CONFIG_PREEMPT_RT

/*
 * The name of the file is read under locks (flt_path_name()). The handler of a breakpoint runs as
 * in an NMI, where the locks of RT may not be taken. Kernel 5.10 does not compile
 * perf_event_mmap() for ftrace, so a kprobe is a breakpoint there. The handler of a return is not.
 */
struct map {
	struct vm_area_struct *vma;
};

static void enter_map(struct map *m, struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_MAP);
	m->vma = (void *)flt_hook_arg(regs, 0);
}
NOKPROBE_SYMBOL(enter_map);

static void leave_map(struct map *m, unsigned long value)
{
	note_map(m->vma);
}
NOKPROBE_SYMBOL(leave_map);

FLT_HOOK_RETURN(map, struct map, enter_map, leave_map);

#define MAP_HANDLERS							\
	.type = FLT_HOOK_TYPE_KRETPROBE,				\
	.enter = map_enter,						\
	.leave = map_leave,						\
	.data_size = sizeof(struct map)

#else

static void on_map(struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_MAP);
	note_map((void *)flt_hook_arg(regs, 0));
}
NOKPROBE_SYMBOL(on_map);

FLT_HOOK_ENTRY(map, on_map);

#define MAP_HANDLERS .type = FLT_HOOK_TYPE_KPROBE, .entry = map_entry

#endif

/*
 * mremap() calls this function when it is done, with or without a userfaultfd, and without locks.
 * @to is that of the mapping if it did not move. Until 6.16, @to is the error if it failed.
 */
static void on_move(struct pt_regs *regs)
{
	unsigned long from = flt_hook_arg(regs, 1), to = flt_hook_arg(regs, 2);

	flt_hook_hit(FLT_HOOK_ID_MOVE);
	if (from != to && !offset_in_page(to) && current->mm)
		flt_stream_note_move(from, to, flt_hook_arg(regs, 3), note_mask(current));
}
NOKPROBE_SYMBOL(on_move);

FLT_HOOK_ENTRY(move, on_move);

struct flt_hook flt_life_exit = {
	.name = "exit",
	.id = FLT_HOOK_ID_EXIT,
	.feature = FLT_FEATURE_EXIT,
	.required = true,
	.symbol = { "exit_files", "exit_fs" },
	FLT_HOOK_CALLED(exit),
};

struct flt_hook flt_life_exec = {
	.name = "exec",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_EXEC,
	.feature = FLT_FEATURE_EXEC,
	.symbol = { "sched_process_exec" },
	.probe = on_exec,
};

struct flt_hook flt_life_fork = {
	.name = "fork",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_FORK,
	.feature = FLT_FEATURE_FOLLOW,
	.symbol = { "sched_process_fork" },
	.probe = on_fork,
};

struct flt_hook flt_life_map = {
	.name = "map",
	.id = FLT_HOOK_ID_MAP,
	.feature = FLT_FEATURE_NOTES,
	.symbol = { "perf_event_mmap" },
	MAP_HANDLERS,
};

struct flt_hook flt_life_move = {
	.name = "move",
	.type = FLT_HOOK_TYPE_KPROBE,
	.id = FLT_HOOK_ID_MOVE,
	.feature = FLT_FEATURE_MOVES,
	.symbol = { "mremap_userfaultfd_complete" },
	.entry = move_entry,
};

void __init flt_life_init(void)
{
	check_trace_callback_type_sched_process_exec(on_exec);
	check_trace_callback_type_sched_process_fork(on_fork);
	flt_hook_add(&flt_life_exit);
	flt_hook_add(&flt_life_exec);
	flt_hook_add(&flt_life_fork);
	flt_hook_add(&flt_life_map);
	flt_hook_add(&flt_life_move);
}
