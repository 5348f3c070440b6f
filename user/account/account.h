/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h - counts of faults, from any source.
 *
 * Sources fill these structs; models and commands read them. They are the netlink contract
 * of <linux/flt.h> without its encoding; sources of /proc fill the same structs. Times are
 * CLOCK_MONOTONIC nanoseconds unless noted. Strings are terminated and contain the bytes of
 * the kernel: escape them before printing.
 */
#ifndef FLT_ACCOUNT_H
#define FLT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/flt.h>

#include "account/loss.h"

#define FLT_TEXT_LEN 64
#define FLT_OCTAVES (FLT_BUCKETS >> FLT_BUCKET_SHIFT)

/* The counters are the rows of <linux/flt_counter.h>; counter.h loops over them. */
struct flt_account {
#define FLT_COUNTER_MEMBER(member, ...) uint64_t member;
	FLT_COUNTERS(FLT_COUNTER_MEMBER)
#undef FLT_COUNTER_MEMBER
	uint32_t unknown;	/* bit 1 << FLT_ACCOUNT_*: this kernel's module cannot count it */
	uint64_t kinds[__FLT_KIND_MAX];	/* 0 unless requested */
	uint64_t kinds_beyond;	/* of kinds newer than this program */
	/* Latencies, by bucket >> FLT_BUCKET_SHIFT; 0 unless requested. */
	uint64_t octaves[FLT_OCTAVES];
};

/* A process, or a thread if tid is not 0. */
struct flt_row {
	uint64_t id;		/* never reused; matches rows of two snapshots */
	uint32_t tgid;
	uint32_t tid;
	char comm[FLT_COMM_LEN + 1];
	bool ended;
	bool whole;		/* counted since its birth */
	uint32_t threads;
	uint32_t processes;	/* in the sum of a name; 0: the row is one process */
	uint64_t start;		/* CLOCK_BOOTTIME ns */
	uint64_t first;
	uint64_t cgroup;	/* inode number of its cgroup2 directory; 0: unknown */
	struct flt_account account;
};

/* Free with flt_rows_free(). */
struct flt_rows {
	struct flt_row *row;
	size_t count;
	size_t room;
};

int flt_rows_add(struct flt_rows *rows, const struct flt_row *row);
void flt_rows_free(struct flt_rows *rows);

struct flt_tally {
	struct flt_account all;
	struct flt_account retired;
	struct flt_account other;
	uint64_t failures[__FLT_FAILURE_MAX];
	uint64_t procs_seen;
	uint64_t procs_retired;
#define FLT_LOSS_MEMBER(member, ...) uint64_t member;
	FLT_TALLY_LOSSES(FLT_LOSS_MEMBER)
#undef FLT_LOSS_MEMBER
	uint64_t now;
	uint64_t forgotten;	/* in a PID namespace: rows that may be missing in @all */
};

struct flt_info {
	uint32_t api;
	uint32_t schema;
	char version[FLT_TEXT_LEN];
	char clock[FLT_TEXT_LEN];
	uint32_t features;
	uint32_t causes;	/* bits of enum flt_cause that the kernel tells apart */
	bool accounting;
	uint64_t since;
	bool returns;		/* latencies and results are counted now */
	bool inner;		/* fltctl sees only the processes of its PID namespace */
	uint64_t now;
	uint32_t procs, procs_max;
	uint32_t tasks, tasks_max;
	uint32_t sessions, sessions_max;
	uint32_t maxactive;
	uint64_t memory;	/* bytes */
};

struct flt_hook {
	char name[FLT_TEXT_LEN];
	char symbol[FLT_SYMBOL_LEN + 1];
	uint32_t type;		/* enum flt_hook_type */
	uint32_t state;		/* enum flt_hook_state */
	uint32_t error;		/* positive errno */
	bool required;
	bool ftrace;
	uint64_t unknown;	/* counters that need the hook, as in struct flt_ledger_line */
	uint64_t hits;
	uint64_t missed_busy;
	uint64_t missed_full;
};

struct flt_hooks {
	struct flt_hook *hook;
	size_t count;
};

struct flt_session {
	uint32_t id;
	uint32_t procs;
	uint32_t live;
	uint64_t untracked;
	uint64_t written, lost, lost_notes;	/* by the session's stream */
	uint32_t stacks;
	uint64_t stacks_once;
	struct flt_account account;
};

/*
 * A histogram of one kind, minor or major, of one return value of handle_mm_fault(), or of one
 * process of a session. Or the time that the faults of each bucket spent on one cause.
 */
struct flt_latency {
	uint32_t kind;
	bool major;
	uint32_t returned;	/* enum flt_return, if requested */
	uint64_t proc;		/* flt_row.id, if requested; 0: processes beyond the limit */
	uint32_t cause;		/* enum flt_cause, if requested */
	uint64_t sum, max;	/* ns; 0: unknown */
	uint64_t buckets[FLT_BUCKETS];	/* faults; of a cause: ns */
};

struct flt_latencies {
	struct flt_latency *latency;
	size_t count;
};

/* A fault among the slowest. */
struct flt_slow {
	uint64_t ns;
	uint64_t time;		/* when it ended */
	uint64_t address;
	uint32_t tgid, tid;
	uint32_t kind;		/* enum flt_kind */
	uint32_t result;	/* enum flt_result */
	uint32_t attempts;
	bool remote;
	char comm[FLT_COMM_LEN + 1];
	uint64_t cause[__FLT_CAUSE_MAX];	/* ns; all 0: unknown */
};

struct flt_slows {
	struct flt_slow *slow;
	size_t count;
};

/* A snapshot of all accounts. */
struct flt_snapshot {
	uint64_t now;
	struct flt_rows rows;
	uint32_t processes;		/* of a session, with or without rows */
	struct flt_account total;	/* of the whole request, with or without rows */
	struct flt_loss loss;
};

/* Return a name of one word: "anon", "cow"; "unknown" for an invalid kind. */
const char *flt_kind_name(uint32_t kind);
/* Return a name of one word: "io", "userfaultfd"; "other" for an invalid cause. */
const char *flt_cause_name(uint32_t cause);
/*
 * Write the largest part of a latency of so many ns, such as "io 93%". Return text, or NULL if all
 * parts are 0: unknown.
 */
#define FLT_CAUSE_TEXT 24
const char *flt_cause_main(const uint64_t part[__FLT_CAUSE_MAX], uint64_t ns,
			   char text[FLT_CAUSE_TEXT]);
const char *flt_failure_name(uint32_t failure);
/* Return "minor", "major", or the name of the failure. */
const char *flt_result_name(uint32_t result);
/* Return the kernel's name without VM_FAULT_: "NOPAGE"; "0" for no bit. */
const char *flt_return_name(uint32_t returned);

#endif
