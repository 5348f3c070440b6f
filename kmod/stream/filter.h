/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter - decide which faults a session streams, before a record is built.
 *
 * There are two steps: flt_filter_fault() is cheap and decides for most faults. Then
 * flt_filter_thread() and flt_filter_file() check the thread and the file.
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
#include "mm/pidns.h"
#include "stream/record.h"

struct flt_filter {
	u32 kinds, results;		/* bit masks of enum flt_kind and enum flt_result */
	u64 latency;			/* minimum, ns */
	unsigned long address, length;	/* length 0: any address; then address is 0 */
	u64 inode;			/* 0: any file */
	u64 cgroup;			/* ID of a v2 cgroup; 0: any */
	u32 dev;
	u32 sample;			/* stream every Nth fault */
	bool by_uid, by_comm;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	const struct flt_pidns *reader;	/* processes that it does not see do not pass */
	/* Derived from the above by flt_filter_prepare(). */
	u32 kinds_of[FLT_RESULT_FAILED + __FLT_FAILURE_MAX];	/* by enum flt_result */
	bool by_thread, by_place;
};

/* Set the derived members. Call once, after all others are set. */
static inline void flt_filter_prepare(struct flt_filter *f)
{
	u32 result;

	for (result = 0; result < ARRAY_SIZE(f->kinds_of); result++)
		f->kinds_of[result] = f->results & BIT(min_t(u32, result, FLT_RESULT_FAILED)) ?
				      f->kinds : 0;
	f->by_place = f->length || f->inode;
	f->length = f->length ?: ~0ul;
	f->by_thread = f->by_uid || f->by_comm || f->cgroup || f->reader->ns;
}

/* Return true if flt_filter_fault() alone decides. */
static inline bool flt_filter_is_plain(const struct flt_filter *f)
{
	return !f->by_thread && !f->inode && f->sample == 1;
}

#define FLT_FILTER_ALL { .kinds = ~0u, .results = ~0u, .sample = 1 }

/* Check the address, and that the address is in a file if the filter names a file. */
static __always_inline bool flt_filter_place(const struct flt_filter *f, const struct flt_event *e)
{
	if (e->address - f->address >= f->length)
		return false;
	return !f->inode || e->inode || (e->vma && e->vma->vm_file);
}

static __always_inline bool flt_filter_fault(const struct flt_filter *f,
					     const struct flt_event *e, u32 result, u64 latency)
{
	if (latency < f->latency || !(f->kinds_of[result] & BIT(e->kind)))
		return false;
	return likely(!f->by_place) || flt_filter_place(f, e);
}

/*
 * Check a fault that has not ended and will be one of @kinds. Return false if it cannot
 * pass.
 */
static __always_inline bool flt_filter_early(const struct flt_filter *f,
					     const struct flt_event *e, u32 kinds)
{
	return f->kinds & kinds && (likely(!f->by_place) || flt_filter_place(f, e));
}

/* Check the file, which must be known. */
static inline bool flt_filter_file(const struct flt_filter *f, const struct flt_event *e)
{
	return !f->inode || (e->inode == f->inode && e->dev == f->dev);
}

/* Check current. Call if by_thread is set. */
static inline bool flt_filter_thread(const struct flt_filter *f)
{
	if (!flt_pidns_tgid(f->reader, current))
		return false;
	if (f->by_uid && !uid_eq(current_euid(), f->uid))
		return false;
	if (f->cgroup && !flt_cgroup_holds(f->cgroup, current))
		return false;
	return !f->by_comm || !strncmp(current->comm, f->comm, TASK_COMM_LEN);
}

#endif
