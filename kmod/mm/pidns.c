// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include "mm/pidns.h"

const struct flt_pidns flt_pidns_initial;

void flt_pidns_get(struct flt_pidns *reader)
{
	struct pid_namespace *ns = task_active_pid_ns(current);

	memset(reader, 0, sizeof(*reader));
	if (ns == &init_pid_ns)
		return;
	reader->ns = get_pid_ns(ns);
	/*
	 * The first process of the namespace is not reaped before current, see
	 * zap_pid_ns_processes(). It may have changed its reaping thread, but not its leader.
	 */
	rcu_read_lock();
	reader->since = READ_ONCE(ns->child_reaper)->group_leader->start_boottime;
	rcu_read_unlock();
}

void flt_pidns_put(struct flt_pidns *reader)
{
	if (reader->ns)
		put_pid_ns(reader->ns);
	reader->ns = NULL;
}

struct task_struct *flt_pidns_find(const struct flt_pidns *reader, pid_t tgid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(tgid, reader->ns ?: &init_pid_ns), PIDTYPE_TGID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

void flt_pidns_record(struct flt_pidns_ids *ids, struct task_struct *leader)
{
	const struct pid *pid;
	u32 i;

	memset(ids, 0, sizeof(*ids));
	rcu_read_lock();
	pid = task_tgid(leader);
	for (i = 0; pid && i < min_t(u32, pid->level, FLT_PIDNS_LEVELS); i++) {
		ids->level[i].inum = pid->numbers[i + 1].ns->ns.inum;
		ids->level[i].tgid = pid->numbers[i + 1].nr;
	}
	rcu_read_unlock();
}
