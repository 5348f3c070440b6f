/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * open - the fault that a thread has begun, see flt_task.open.
 *
 * Both probes open a fault on the slow path of entry by these functions. Preemption is off.
 */
#ifndef FLT_OPEN_H
#define FLT_OPEN_H

#include <linux/mm.h>
#include "account/task.h"
#include "mm/kind.h"
#include "stream/record.h"

/*
 * Return true if @mm belongs to another process: get_user_pages() for ptrace,
 * process_vm_readv(), vhost and so on. Return false for current's mm, and for the mm that
 * exec() is building for current.
 */
bool flt_open_is_remote(struct mm_struct *mm);

/* Return the slot of current with a row if there is room. Create the slot if @t is NULL. */
struct flt_task *flt_open_slot(struct flt_task *t);

/*
 * Count how the last fault of current ended. Return 0 if the call at hand begins a new fault.
 * If the call is another attempt of the last fault, return flt_task.open of the attempts before.
 */
u64 flt_open_end(struct flt_task *t, struct mm_struct *mm, unsigned long address, u32 flags);

/* Open the fault @e. @earlier: what flt_open_end() has returned. */
void flt_open_begin(struct flt_task *t, u64 earlier, const struct flt_event *e,
		    struct mm_struct *mm, unsigned long pfn);

/*
 * Return the kind that the first attempt has found, and *@pfn, as flt_kind_find() does. @earlier:
 * what flt_open_end() has returned.
 */
static inline u8 flt_open_first_kind(const struct flt_task *t, u64 earlier, unsigned long *pfn)
{
	if (!(earlier & FLT_OPEN_PROVISIONAL))
		return flt_open_kind(earlier);
	*pfn = t->open_pfn;
	return flt_open_kind(earlier) | FLT_KIND_PROVISIONAL;
}

/* Return the FAULT_FLAG_* of earlier attempts that matter. */
static inline u32 flt_open_earlier_flags(u64 open)
{
	return (open & FLT_OPEN_FLAGS) | (open & FLT_OPEN_HAD_VMA_LOCK ? FAULT_FLAG_VMA_LOCK : 0);
}

#endif
