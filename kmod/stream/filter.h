/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter - which faults a session wants streamed. Asked before a record is built, in
 * two steps: of the fault, which is cheap and answers for most, then of its thread
 * and of the very file.
 */
#ifndef FLT_FILTER_H
#define FLT_FILTER_H

#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include "mm/cgroup.h"
#include "stream/record.h"

struct flt_filter {
	u32 kinds, results;		/* bits that pass */
	u64 latency;			/* ns at least */
	unsigned long address, length;	/* length 0: any address, with address 0 */
	u64 inode;			/* 0: any file */
	u64 cgroup;			/* ID of v2; 0: any */
	u32 dev;
	u32 sample;			/* one in so many */
	bool by_uid, by_comm;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	/* Of what is above, by flt_filter_settle(): */
	u32 wanted[FLT_RESULT_FAILED + __FLT_FAILURE_MAX];	/* kinds, by enum flt_result */
	bool by_thread, by_place;
};

static inline void flt_filter_settle(struct flt_filter *f)
{
	u32 result;

	for (result = 0; result < ARRAY_SIZE(f->wanted); result++)
		f->wanted[result] = f->results & BIT(min_t(u32, result, FLT_RESULT_FAILED)) ?
				    f->kinds : 0;
	f->by_place = f->length || f->inode;
	f->length = f->length ?: ~0ul;
	f->by_thread = f->by_uid || f->by_comm || f->cgroup;
}

/* Asks nothing of a fault that flt_filter_fault() has let pass. */
static inline bool flt_filter_is_plain(const struct flt_filter *f)
{
	return !f->by_thread && !f->inode && f->sample == 1;
}

#define FLT_FILTER_ALL { .kinds = ~0u, .results = ~0u, .sample = 1 }

/* Its address, and whether it is in a file at all. */
static __always_inline bool flt_filter_place(const struct flt_filter *f, const struct flt_event *e)
{
	if (e->address - f->address >= f->length)
		return false;
	return !f->inode || e->inode || (e->vma && e->vma->vm_file);
}

static __always_inline bool flt_filter_fault(const struct flt_filter *f,
					     const struct flt_event *e, u32 result, u64 latency)
{
	if (latency < f->latency || !(f->wanted[result] & BIT(e->kind)))
		return false;
	return likely(!f->by_place) || flt_filter_place(f, e);
}

/* Before it has ended: false if it will surely not pass, whichever of @kinds it is. */
static __always_inline bool flt_filter_early(const struct flt_filter *f,
					     const struct flt_event *e, u32 kinds)
{
	return f->kinds & kinds && (likely(!f->by_place) || flt_filter_place(f, e));
}

/* Once its file is known. */
static inline bool flt_filter_file(const struct flt_filter *f, const struct flt_event *e)
{
	return !f->inode || (e->inode == f->inode && e->dev == f->dev);
}

/* Of current; to be asked if by_thread. */
static inline bool flt_filter_thread(const struct flt_filter *f)
{
	if (f->by_uid && !uid_eq(current_euid(), f->uid))
		return false;
	if (f->cgroup && !flt_cgroup_holds(f->cgroup, current))
		return false;
	return !f->by_comm || !strncmp(current->comm, f->comm, TASK_COMM_LEN);
}

#endif
