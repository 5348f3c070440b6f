/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter - which faults a session wants streamed. Asked before a record is built,
 * cheapest question first; what a session left open costs one test.
 */
#ifndef FLT_FILTER_H
#define FLT_FILTER_H

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include "cgroup.h"
#include "record.h"

struct flt_filter {
	u32 kinds, results;		/* bits that pass */
	u64 latency;			/* ns at least */
	unsigned long address, length;	/* length 0: any address */
	u64 inode;			/* 0: any file */
	u64 cgroup;			/* ID of v2; 0: any */
	u32 dev;
	u32 sample;			/* one in so many */
	bool by_uid, by_comm;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
};

#define FLT_FILTER_ALL { .kinds = ~0u, .results = ~0u, .sample = 1 }

static __always_inline bool flt_filter_passes(const struct flt_filter *f,
					      const struct flt_event *e, u8 result, u64 latency)
{
	result = min_t(u8, result, FLT_RESULT_FAILED);
	if (!(f->kinds & BIT(e->kind)) || !(f->results & BIT(result)) || latency < f->latency)
		return false;
	if (f->length && e->address - f->address >= f->length)
		return false;
	if (f->inode && (e->inode != f->inode || e->dev != f->dev))
		return false;
	if (f->by_uid && !uid_eq(current_euid(), f->uid))
		return false;
	if (f->cgroup && !flt_cgroup_holds(f->cgroup, current))
		return false;
	return !f->by_comm || !strncmp(current->comm, f->comm, TASK_COMM_LEN);
}

#endif
