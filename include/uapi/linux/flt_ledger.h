/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt_ledger.h - ledgers by generic netlink: huge pages and NUMA balancing.
 *
 * While a session with THP or NUMA exists, the module also counts what the kernel does with
 * huge pages, or to balance memory between nodes: for the machine, and for the process that
 * was running. Collapses and splits of mappings are counted for the owner of the memory,
 * who is known with CONFIG_MEMCG only. Events without a known process, such as
 * compaction, go to the row NOBODY. The counters start at 0 with the first session, and keep
 * their values while no session needs them.
 */
#ifndef _UAPI_LINUX_FLT_LEDGER_H
#define _UAPI_LINUX_FLT_LEDGER_H

/*
 * FLT_CMD_THP_GET and FLT_CMD_NUMA_GET return a message with WHOSE = MACHINE, one with
 * NOBODY, and one per process with counters other than 0, with keys and order of PROC_GET.
 * MACHINE includes retired rows. With SESSION the processes are all those of the session.
 *
 * Sections are nests of counters: attribute i + 1 is counter i. Counters that are 0 and empty
 * sections are absent. If the kernel lacks a hook (FLT_CMD_HOOK_GET), the counters that need
 * the hook are absent, too: their values are unknown, and UNKNOWN has their bits.
 */
enum flt_ledger_attr {
	FLT_LEDGER_WHOSE = 1,	/* u32: enum flt_ledger_whose */
	FLT_LEDGER_TGID,	/* u32 */
	FLT_LEDGER_ID,		/* as FLT_PROC_ID */
	FLT_LEDGER_COMM,	/* string */
	FLT_LEDGER_ENDED,	/* flag */
	FLT_LEDGER_FAULTS,	/* minor and major faults of the process or the machine */
	FLT_LEDGER_FAULT_NS,	/* nanoseconds in FAULTS, for comparison */
	FLT_LEDGER_COUNTS,	/* nest: enum flt_thp_count or enum flt_numa_count */
	FLT_LEDGER_OCTAVES,	/* nest: latencies of huge page fills, or of page moves, in */
				/* octaves as in FLT_ACCOUNT_OCTAVES */
	FLT_LEDGER_SCANS,	/* nest: scans for a collapse, by enum scan_result of the kernel; */
				/* the huge_memory tracepoints have the names. The last counter */
				/* also counts all higher values */
	FLT_LEDGER_SPLIT_MAPS,	/* nest: enum flt_split_cause; the sum is thp_split_pmd */
	FLT_LEDGER_SPLIT_PAGES,	/* nest: enum flt_split_cause; the sum is thp_split_page */
	FLT_LEDGER_MOVED,	/* nest: migrated pages, by enum migrate_reason of the kernel; */
				/* the migrate tracepoints have the names */
	FLT_LEDGER_NOT_MOVED,	/* nest: pages that could not be migrated, by reason */
	FLT_LEDGER_NODES,	/* u32: size of the matrix, at most FLT_NUMA_NODES */
	FLT_LEDGER_MATRIX,	/* u64[nodes][nodes]: hint faults, by node of the CPU (row) and */
				/* of the page (column); the last also counts higher nodes */
	FLT_LEDGER_SESSION,	/* u32, request: only rows of this session */
	FLT_LEDGER_PAD,
	FLT_LEDGER_UNKNOWN,	/* bits FLT_LEDGER_COUNTER and FLT_LEDGER_SECTION; absent: none */
	__FLT_LEDGER_LAST
};
#define FLT_LEDGER_MAX (__FLT_LEDGER_LAST - 1)

/* Bits of FLT_LEDGER_UNKNOWN and FLT_HOOK_UNKNOWN: a counter of COUNTS, or a whole section. */
#define FLT_LEDGER_COUNTER(number) (1ull << (number))
#define FLT_LEDGER_SECTION(attr) (1ull << (32 + (attr)))

enum flt_ledger_whose {
	FLT_LEDGER_PROCESS = 1,
	FLT_LEDGER_MACHINE,	/* sum of all, with retired processes and NOBODY */
	FLT_LEDGER_NOBODY,	/* events without a known process */
};

/*
 * Every counter of the section COUNTS of a ledger, one row each. The enums and the columns of
 * 'fltctl thp' and 'fltctl numa' in JSON and CSV, in this order, follow from the rows.
 *
 * The columns of a row:
 *   name    FLT_THP_<name> or FLT_NUMA_<name>
 *   number  of the counter, which never changes; the numbers have no gaps
 *   column  in JSON and CSV; NULL: the counter is only part of other columns
 */

/* Faults on anonymous memory where a huge page was possible, by outcome. */
#define FLT_THP_COUNTERS_FILLED(X)						\
	/* Got a huge page: thp_fault_alloc. */					\
	X(FILLED, 0, "huge")
#define FLT_THP_COUNTERS_FAULT(X)						\
	/* Fallback: no huge page was free or could be freed quickly. Also all */	\
	/* fallbacks of threads without counters of their own: kernel threads. */	\
	X(NO_PAGE, 2, "fallback_no_page")					\
	/* Fallback: limit of the memory cgroup. Equals thp_fault_fallback_charge; */	\
	/* plus NO_PAGE: thp_fault_fallback. */					\
	X(NO_CHARGE, 3, "fallback_cgroup")					\
	/* The mapping does not contain the whole huge page. The kernel does not */	\
	/* count this as a fallback. */						\
	X(UNFIT, 4, "unfit")							\
	/* Another thread filled the range first. */				\
	X(LATE, 5, "late")							\
	/* Out of memory, or another error. */					\
	X(ERROR, 6, "error")							\
	/* Read fault, got the huge zero page; nothing was allocated. */	\
	X(ZERO, 1, "zero")							\
	/* Nanoseconds in FILLED. */						\
	X(FILL_NS, 7, NULL)							\
	/* Nanoseconds in NO_PAGE and NO_CHARGE, before the fallback. */	\
	X(FALLBACK_NS, 8, NULL)
/* Collapses and splits. */
#define FLT_THP_COUNTERS_COLLAPSE(X)						\
	/* Anonymous memory collapsed by khugepaged. */				\
	X(COLLAPSED, 9, NULL)							\
	/* Anonymous memory collapsed by madvise(MADV_COLLAPSE). */		\
	X(COLLAPSED_CALL, 10, "collapsed_by_call")				\
	/* Page cache or shmem collapsed, by either. */				\
	X(COLLAPSED_FILE, 11, "collapsed_of_file")				\
	/* Attempts to collapse, of all three sorts. Minus those that ended in */	\
	/* SCAN_ALLOC_HUGE_PAGE_FAIL: thp_collapse_alloc. */			\
	X(COLLAPSE_TRIED, 12, "collapse_tried")
#define FLT_THP_COUNTERS_SPLIT(X)						\
	/* Huge pages that could not be split. */				\
	X(SPLIT_FAILED, 13, "split_failed")

#define FLT_THP_COUNTERS(X)							\
	FLT_THP_COUNTERS_FILLED(X) FLT_THP_COUNTERS_FAULT(X)			\
	FLT_THP_COUNTERS_COLLAPSE(X) FLT_THP_COUNTERS_SPLIT(X)

#define FLT_THP_COUNTER_NUMBER(name, number, ...) FLT_THP_##name = number,
#define FLT_LEDGER_ONE(...) + 1
enum flt_thp_count {
	FLT_THP_COUNTERS(FLT_THP_COUNTER_NUMBER)
	__FLT_THP_COUNTS = 0 FLT_THP_COUNTERS(FLT_LEDGER_ONE)
};

/* What a process was doing when a huge page, or the mapping of one, was split. */
enum flt_split_cause {
	FLT_SPLIT_OTHER = 0,
	FLT_SPLIT_FAULT,	/* write to a shared huge page or to the huge zero page */
	FLT_SPLIT_UNMAP,	/* munmap, mremap, mmap or brk of a part */
	FLT_SPLIT_PROTECT,	/* mprotect of a part */
	FLT_SPLIT_ADVISE,	/* madvise of a part */
	FLT_SPLIT_MIGRATE,	/* mbind, move_pages, migrate_pages */
	FLT_SPLIT_LOCK,		/* mlock, munlock */
	FLT_SPLIT_RECLAIM,	/* memory reclaim */
	FLT_SPLIT_KERNEL,	/* a kernel thread: compaction, khugepaged, KSM */
	FLT_SPLIT_PAGE,		/* of a mapping: its page was being split or migrated */
	__FLT_SPLIT_CAUSES
};

#define FLT_NUMA_COUNTERS_HINT(X)						\
	/* numa_hint_faults; the sum of the matrix. */				\
	X(HINTS, 0, NULL)							\
	/* Part of HINTS, on the CPU's own node: numa_hint_faults_local. */	\
	X(LOCAL, 1, NULL)							\
	/* The page should move; some are refused before a move is tried. */	\
	X(WANTED, 2, NULL)							\
	/* Nanoseconds in TRIED. */						\
	X(MOVE_NS, 5, NULL)
#define FLT_NUMA_COUNTERS_MOVE(X)						\
	/* Moves of pages that were started. */					\
	X(TRIED, 3, "moves_tried")						\
	/* Part of TRIED that failed. */					\
	X(FAILED, 4, "moves_failed")
#define FLT_NUMA_COUNTERS_TASK(X)						\
	/* The thread was moved to the node of its memory. */			\
	X(TASK_MOVED, 6, "threads_moved")					\
	/* No CPU was free to move the thread to. */				\
	X(TASK_STUCK, 7, "threads_stuck")					\
	/* The thread was swapped with another one. */				\
	X(TASK_SWAPPED, 8, "threads_swapped")

#define FLT_NUMA_COUNTERS(X)							\
	FLT_NUMA_COUNTERS_HINT(X) FLT_NUMA_COUNTERS_MOVE(X) FLT_NUMA_COUNTERS_TASK(X)

#define FLT_NUMA_COUNTER_NUMBER(name, number, ...) FLT_NUMA_##name = number,
enum flt_numa_count {
	FLT_NUMA_COUNTERS(FLT_NUMA_COUNTER_NUMBER)
	__FLT_NUMA_COUNTS = 0 FLT_NUMA_COUNTERS(FLT_LEDGER_ONE)
};

#define FLT_SCAN_RESULTS 48
#define FLT_MOVE_REASONS 16
#define FLT_NUMA_NODES 16

#endif
