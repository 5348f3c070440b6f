/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loss.h - why a result is incomplete: how often each cause occurred. */
#ifndef FLT_LOSS_H
#define FLT_LOSS_H

#include <stdint.h>

#include <linux/flt_counter.h>

/* observe/loss.c has the sentence for each member. */
struct flt_loss {
	/* Of the accounts. */
	uint64_t missed;	/* faults counted without kind and latency */
#define FLT_LOSS_MEMBER(member, ...) uint64_t member;
	FLT_TALLY_LOSSES(FLT_LOSS_MEMBER)
#undef FLT_LOSS_MEMBER
	uint64_t calls;		/* calls that the probe missed, for either reason */
	uint64_t hooks;		/* calls that the hooks of a ledger missed */
	uint64_t untracked;	/* processes of a session without a row */
	uint64_t vanished;	/* processes that ended between two snapshots, last faults unseen */
	uint64_t forgotten;	/* rows that left the table, maybe of this PID namespace */
	uint64_t unplaced;	/* processes of removed cgroups that --cgroup may have missed */
	uint64_t torn;		/* snapshots during which rows were retired */
	uint64_t threads;	/* reports without the threads of some processes */
	/* Of a stream. */
	uint64_t faults, of;	/* lost for lack of room in buffers, and of how many */
	uint64_t streamed;	/* the same without buffers that the user can enlarge */
	uint64_t slow;		/* the same, of a stream of slow faults */
	uint64_t unseen;	/* faults that the probe missed */
	uint64_t notes;		/* names, stacks or mappings lost */
	/* Of working sets. */
	uint64_t samples;	/* overwritten unread */
	uint64_t untraced;	/* processes for which the tracker had no room */
	uint64_t unreadable;	/* children that must not be read */
	uint64_t childless;	/* 1: the kernel does not list children */
	/* Of recordings. */
	uint64_t recorded;	/* faults or stacks that are not in the file */
	uint64_t stacks;	/* stacks truncated because there were too many */
	uint64_t uncovered;	/* 1: less than half of the memory was under the limit */
	uint64_t unlimited;	/* processes that ran without limit and recorder */
	uint64_t unfollowed;	/* processes whose perf events ended at an exec */
	uint64_t reuse;		/* faults of which it is unknown whether they are refaults */
};

#endif
