/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist - histograms of the faults of a session: by kind, by returned value and by process. A
 * session may have causes (causes.h) as well or instead.
 *
 * A session has one bit, in flt_proc.sessions and in the masks below. Each CPU counts in its
 * own memory, with preemption off, so plain additions are enough. A fault is counted here and
 * in its account by the same call, for the same row. So for processes that start while the
 * session is open,
 *     sum over kinds = sum over processes = minor + major - missed
 * A process takes one of the session's slots at its first fault. Processes that find no slot
 * share a histogram.
 */
#ifndef FLT_HIST_H
#define FLT_HIST_H

#include <linux/compiler.h>
#include <linux/flt_event.h>
#include <linux/jump_label.h>
#include <linux/types.h>

#define FLT_HIST_PROCS_MAX 1024

struct flt_causes;
struct flt_pidns;
struct flt_slow;

struct flt_hist_config {
	bool everybody;			/* all processes, not only those of the session */
	u32 procs;			/* slots for processes; 0: no histograms, only causes */
	u64 cgroup;			/* ID: only threads in this cgroup or below; 0: any */
	const struct flt_pidns *reader;	/* lives longer than the histograms */
	bool causes;			/* causes and the slowest faults, see causes.h */
};

/* Enabled while a session has histograms or causes. Without one, a fault executes a no-op. */
DECLARE_STATIC_KEY_FALSE(flt_hist_on);

/*
 * Open and close run under the lock of the sessions and may sleep. Open returns 0, -ENOMEM, or
 * -EDQUOT if the memory of all sessions would exceed its budget.
 */
int flt_hist_open(u32 bit, const struct flt_hist_config *config);
/* Wait until no handler uses the histograms, and free them. A bit without any is allowed. */
void flt_hist_close(u32 bit);

/*
 * The causes of the only session with histograms or causes, if this session wants the causes of
 * all faults and nothing else; otherwise NULL. A common fault is counted there without the
 * functions below.
 */
extern struct flt_causes __rcu *flt_hist_sole_causes;

extern u32 flt_hist_all, flt_hist_own;
/* Return the sessions that may count a fault of a process that is in these @sessions. */
static __always_inline u32 flt_hist_mask(u32 sessions)
{
	return READ_ONCE(flt_hist_all) | (sessions & READ_ONCE(flt_hist_own));
}

/* The functions below run with preemption off. @mask is a mask of sessions, not 0. */

/*
 * Count a minor or major fault of current. @proc: flt_proc.id of its row; 0: none. Return the
 * sessions that have counted the fault and want its causes.
 */
u32 flt_hist_fault(unsigned long mask, u64 proc, bool major, u8 kind, u32 bucket, u64 ns);
/*
 * Count that a fault of current, which took @ns, spent @part of it on a cause. @mask: what
 * flt_hist_fault() has returned. Return the sessions in which the fault is one of the slowest.
 */
u32 flt_hist_cause(unsigned long mask, u32 bucket, u64 ns, u32 cause, u64 part);
/* Add a fault of current to the slowest. @mask: what flt_hist_cause() has returned. */
void flt_hist_slow(unsigned long mask, const struct flt_slow *fault);
/* Count a call that returned the @names, a mask of enum flt_return. */
void flt_hist_return(unsigned long mask, unsigned long names, u32 bucket, u64 ns);

enum flt_hist_group {
	FLT_HIST_KINDS,		/* index: 2 * enum flt_kind + major */
	FLT_HIST_RETURNS,	/* index: enum flt_return */
	FLT_HIST_PROCS,		/* index 0: processes without a slot; slots follow */
	FLT_HIST_CAUSES,	/* index: enum flt_cause */
};

struct flt_hist_report {
	u64 proc;			/* of FLT_HIST_PROCS: flt_proc.id; 0: without a slot */
	u64 sum, max;			/* ns; max 0: unknown */
	u64 bucket[FLT_BUCKETS];	/* faults; of FLT_HIST_CAUSES: ns */
};

/*
 * Sum up one histogram over all CPUs. Return 0, -ENODATA if it is empty, or -ENOENT if the
 * session has no histograms of this group or the index is too large. The session must not close
 * meanwhile.
 */
int flt_hist_read(u32 bit, enum flt_hist_group group, u32 index, struct flt_hist_report *r);
/*
 * Copy one of the FLT_SLOWEST_MAX slowest faults that a CPU has seen. Return 0, or -ENOENT if the
 * session has no causes. The session must not close meanwhile.
 */
int flt_hist_slowest(u32 bit, int cpu, u32 slot, struct flt_slow *fault);

#endif
