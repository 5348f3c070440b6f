/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup - which processes are in a cgroup of the v2 tree, or below it.
 *
 * By ID, which is never used again: nobody here holds a cgroup that was removed.
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
