// SPDX-License-Identifier: GPL-2.0-only
#include <linux/binfmts.h>
#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "fault/life.h"
#include "account/proc.h"
#include "stream/stream.h"
#include "account/task.h"
#include "wss/wss.h"

static u32 following;

/* Streams with notes that want those of @task's process. */
static u32 noting(struct task_struct *task)
{
	return flt_stream_wanted(flt_proc_sessions(task)) & READ_ONCE(flt_stream_notes);
}

void flt_life_follow(u32 sessions)
{
	WRITE_ONCE(following, sessions);
}

/* Runs after exit_mm(): the thread has taken its last fault. */
static void on_exit(void *data, struct task_struct *task)
{
	flt_hook_hit(FLT_HOOK_ID_EXIT);
	if (task != current)
		return;
	if (static_branch_unlikely(&flt_stream_noting)) {
		struct flt_event_life life = {
			.what = FLT_LIFE_EXIT,
			/* wait4() gives the process what its last thread sets it to. */
			.code = task->signal->flags & SIGNAL_GROUP_EXIT ?
				task->signal->group_exit_code : task->exit_code,
		};

		flt_stream_note_life(&life, task, NULL, noting(task));
	}
	flt_task_end();
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid,
		    struct linux_binprm *bprm)
{
	flt_hook_hit(FLT_HOOK_ID_EXEC);
	flt_proc_rename(task);
	if (static_branch_unlikely(&flt_stream_noting)) {
		struct flt_event_life life = { .what = FLT_LIFE_EXEC };

		flt_stream_note_life(&life, task, bprm->file, noting(task));
	}
}

/* In the parent, before the child runs: nothing of the child can be missed. */
static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	u32 sessions = READ_ONCE(following);

	flt_hook_hit(FLT_HOOK_ID_FORK);
	if (child->tgid != parent->tgid) {
		if (sessions)
			flt_proc_inherit(parent, child, sessions);
		flt_wss_fork(parent, child);
	}
	if (static_branch_unlikely(&flt_stream_noting)) {
		struct flt_event_life life = {
			.what = FLT_LIFE_FORK,
			.parent_tgid = parent->tgid,
			.parent_tid = parent->pid,
		};

		flt_stream_note_life(&life, child, NULL, noting(parent));
	}
}

/* Of every new mapping and every change of protection, under mmap_lock for writing. */
static int on_map(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)flt_hook_arg(regs, 0);

	flt_hook_hit(FLT_HOOK_ID_MAP);
	if (vma->vm_flags & VM_EXEC && vma->vm_mm == current->mm)
		flt_stream_note_made(vma, noting(current));
	/* Its return is of no interest. */
	return 1;
}
NOKPROBE_SYMBOL(on_map);

struct flt_hook flt_life_exit = {
	.name = "exit",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_EXIT,
	.feature = FLT_FEATURE_EXIT,
	.required = true,
	.symbol = { "sched_process_exit" },
	.probe = on_exit,
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
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_MAP,
	.feature = FLT_FEATURE_NOTES,
	.symbol = { "perf_event_mmap" },
	.enter = on_map,
};
