/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup - the v2 cgroup of a process, and whether a process is in a cgroup or below it.
 *
 * Cgroups are named by ID. IDs are never reused, so no reference is needed.
 */
#ifndef FLT_CGROUP_H
#define FLT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#ifdef CONFIG_CGROUPS
#define FLT_CGROUPS true
/* Return the ID of the cgroup of @task. */
static inline u64 flt_cgroup_of(struct task_struct *task)
{
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(task));
	rcu_read_unlock();
	return id;
}

static inline bool flt_cgroup_holds(u64 id, struct task_struct *task)
{
	struct cgroup *cgroup;

	rcu_read_lock();
	for (cgroup = task_dfl_cgroup(task); cgroup; cgroup = cgroup_parent(cgroup))
		if (cgroup_id(cgroup) == id)
			break;
	rcu_read_unlock();
	return cgroup;
}
#else
#define FLT_CGROUPS false
static inline u64 flt_cgroup_of(struct task_struct *task)
{
	return 0;
}

static inline bool flt_cgroup_holds(u64 id, struct task_struct *task)
{
	return false;
}
#endif

#endif
