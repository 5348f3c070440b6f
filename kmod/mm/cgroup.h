/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup - test whether a process is in a v2 cgroup or in one of its descendants.
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
static inline bool flt_cgroup_holds(u64 id, struct task_struct *task)
{
	return false;
}
#endif

#endif
