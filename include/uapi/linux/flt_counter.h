/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt_counter.h - every counter of an account, one row each.
 *
 * Whatever lists counters expands these rows: the attributes FLT_ACCOUNT_* and
 * FLT_TALLY_*, the accounts of module and fltctl, the netlink policy, encoder and
 * decoder, the files in debugfs, sums and differences, the columns of 'fltctl stats'
 * and the list in its manual page.
 *
 * The columns of a row:
 *   member     in struct flt_account, there and here
 *   attribute  FLT_ACCOUNT_<attribute>, with its number, which never changes
 *   bits       width in a message; in memory a counter always has 64
 *   fold       FLT_FOLD_<fold>: how two accounts become one
 *   presence   FLT_PRESENCE_<presence>: on which kernels the module can count it
 *   file       in /sys/kernel/debug/flt, or NULL
 *   column     of 'fltctl stats --json' and '--csv', or NULL
 *   meaning    for the manual page
 */
#ifndef _UAPI_LINUX_FLT_COUNTER_H
#define _UAPI_LINUX_FLT_COUNTER_H

enum flt_counter_fold {
	FLT_FOLD_SUM,
	FLT_FOLD_MAX,
};

/*
 * If the module cannot count on this kernel, the attribute is absent from all replies
 * and the value is unknown. A counter that is always present is 0 when its attribute
 * is absent.
 */
enum flt_counter_presence {
	FLT_PRESENCE_ALWAYS,
	FLT_PRESENCE_VMA_LOCK,	/* CONFIG_PER_VMA_LOCK, from 6.4 */
};

/* How calls of handle_mm_fault() ended. */
#define FLT_COUNTERS_ENDED(X)								\
	X(minor, MINOR, 1, 64, SUM, ALWAYS, "faults_minor", "minor",			\
	  "minor faults, by the kernel's rule")						\
	X(major, MAJOR, 2, 64, SUM, ALWAYS, "faults_major", "major",			\
	  "major faults, by the kernel's rule")						\
	X(failed, FAILED, 3, 64, SUM, ALWAYS, "faults_failed", "failed",		\
	  "faults that ended in an error, such as SIGBUS")				\
	X(retried, RETRIED, 4, 64, SUM, ALWAYS, "faults_retried", "retries",		\
	  "attempts that the kernel had to repeat")

/* More about the same faults. */
#define FLT_COUNTERS_DETAIL(X)								\
	X(missed, MISSED, 5, 64, SUM, ALWAYS, "faults_missed", "missed",		\
	  "minor and major faults that the probe missed: kind and latency are unknown")	\
	X(remote, REMOTE, 6, 64, SUM, ALWAYS, "faults_remote", "remote",		\
	  "faults in another process's memory")						\
	X(stitched, STITCHED, 7, 64, SUM, ALWAYS, "faults_stitched", "stitched",	\
	  "faults that took more than one attempt")					\
	X(dropped, DROPPED, 9, 64, SUM, ALWAYS, "faults_dropped", NULL,		\
	  "faults given up after an attempt: the thread faulted elsewhere next")	\
	X(unfinished, UNFINISHED, 17, 64, SUM, ALWAYS, "faults_unfinished", "unfinished",\
	  "faults that failed or were given up: while only entries are probed, nobody "	\
	  "can tell which")								\
	X(latency_sum, LATENCY_SUM, 10, 64, SUM, ALWAYS, "latency_sum_ns", "latency_ns",	\
	  "nanoseconds spent in minor and major faults")				\
	X(latency_max, LATENCY_MAX, 11, 64, MAX, ALWAYS, "latency_max_ns", "latency_max_ns",	\
	  "nanoseconds of the slowest, never of an interval alone")			\
	X(attempts, ATTEMPTS, 8, 32, MAX, ALWAYS, NULL, "attempts_max",			\
	  "most attempts that one fault took, never of an interval alone")		\
	X(under_vma_lock, UNDER_VMA_LOCK, 15, 64, SUM, VMA_LOCK,			\
	  "faults_under_vma_lock", "under_vma_lock",					\
	  "faults, failed ones included, whose last attempt held the lock of the "	\
	  "mapping alone; without faults that the probe missed")			\
	X(fell_back, FELL_BACK, 16, 64, SUM, VMA_LOCK, "faults_fell_back", "fell_back",	\
	  "faults, failed ones included, that were tried under the lock of the mapping "	\
	  "and ended under mmap_lock. A fault that could not take the lock of the "	\
	  "mapping at all is in neither count")

#define FLT_COUNTERS(X) FLT_COUNTERS_ENDED(X) FLT_COUNTERS_DETAIL(X)

/*
 * What the machine's tally lost. Columns: member, attribute FLT_TALLY_<attribute>, its
 * number, column of 'fltctl stats --json' and '--csv' or NULL. The file in debugfs has the
 * name of the member.
 */
#define FLT_TALLY_LOSSES(X)								\
	/* Faults without a row: process table full. */					\
	X(lost_proc, LOST_PROC, 11, "lost_process")					\
	/* Faults without their thread's own counts: thread table full. */		\
	X(lost_task, LOST_TASK, 12, "lost_thread")					\
	/* Calls missed: another probe ran on the CPU. */				\
	X(lost_busy, LOST_BUSY, 13, "lost_busy")					\
	/* Calls missed: more than maxactive in progress. */				\
	X(lost_full, LOST_FULL, 14, "lost_full")					\
	/* Latencies set to 0: the clock went backwards. */				\
	X(clock_back, CLOCK_BACK, 15, NULL)

#endif
