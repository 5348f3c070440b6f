// SPDX-License-Identifier: GPL-2.0-only
#include <linux/binfmts.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include "life.h"
#include "proc.h"
#include "task.h"
#include "wss.h"

static u32 following;

void flt_life_follow(u32 sessions)
{
	WRITE_ONCE(following, sessions);
}

/* Runs after exit_mm(): the thread has taken its last fault. */
static void on_exit(void *data, struct task_struct *task)
{
	flt_hook_hit(FLT_HOOK_ID_EXIT);
	if (task == current)
		flt_task_end();
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid,
		    struct linux_binprm *bprm)
{
	flt_hook_hit(FLT_HOOK_ID_EXEC);
	flt_proc_rename(task);
}

/* In the parent, before the child runs: nothing of the child can be missed. */
static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	u32 sessions = READ_ONCE(following);

	flt_hook_hit(FLT_HOOK_ID_FORK);
	if (child->tgid == parent->tgid)
		return;
	if (sessions)
		flt_proc_inherit(parent, child, sessions);
	flt_wss_fork(parent, child);
}

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
