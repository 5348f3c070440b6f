/* SPDX-License-Identifier: GPL-2.0-only */
/* cause - split the latency of a fault by what the fault waited for. */
#ifndef FLT_CAUSE_H
#define FLT_CAUSE_H

#include "account/delays.h"
#include "account/task.h"
#include "stream/record.h"

/* Out of line part of flt_cause_begin(). */
int flt_cause_read(const struct flt_event *e);

/*
 * Begin to measure a fault of a thread that has a slot, at its first attempt, after its clock has
 * started. Return 0, so that a probe can call this last.
 */
static __always_inline int flt_cause_begin(const struct flt_event *e)
{
	return static_branch_unlikely(&flt_delays_on) ? flt_cause_read(e) : 0;
}

/*
 * Return what the rest of a fault is. A kernel that does not measure copies has no such cause.
 * @measured: as flt_delays_total() has it.
 */
static __always_inline enum flt_cause flt_cause_rest(u8 kind, bool measured)
{
	if (unlikely(kind == FLT_KIND_UFFD))
		return FLT_CAUSE_USERFAULTFD;
	if (unlikely(!measured))
		return FLT_CAUSE_UNMEASURED;
	return FLT_HAVE_DELAY_WPCOPY && (kind == FLT_KIND_HUGE || kind == FLT_KIND_HUGETLB) ?
	       FLT_CAUSE_COPY : FLT_CAUSE_OTHER;
}

/*
 * Return true if the fault waited for nothing that is measured. Set the cause on which it spent
 * its time.
 */
static __always_inline bool flt_cause_is_plain(const struct flt_event *e, u32 *cause)
{
	bool measured;

	/* A fault that began before the session, or that has no slot, was not measured. */
	if (unlikely(!e->task || e->task->delays.start != e->start)) {
		*cause = flt_cause_rest(e->kind, false);
		return true;
	}
	if (unlikely(flt_delays_total(&measured) != e->task->delays.total))
		return false;
	*cause = flt_cause_rest(e->kind, measured);
	return true;
}

/* Set the parts of @ns, which add up to it, and the wait before, of a fault that is not plain. */
void flt_cause_split(const struct flt_event *e, u64 ns, u64 part[__FLT_CAUSE_MAX]);
/* Set the parts of @ns, which add up to it, of any fault. */
void flt_cause_parts(const struct flt_event *e, u64 ns, u64 part[__FLT_CAUSE_MAX]);

#endif
