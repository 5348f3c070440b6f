/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt_ledger.h - huge pages and NUMA balancing by generic netlink: what the kernel did.
 *
 * While a session with THP or NUMA lives, what the kernel does with huge
 * pages, or to balance memory between nodes, is counted too: exactly, for the
 * machine and for the process that it concerns. That is the process that ran;
 * for collapses and for mappings that are split, the one whose memory it is
 * (known with CONFIG_MEMCG; else nobody). What concerns no process that could be
 * found, such as compaction, goes to nobody's row. These counts stand still
 * while no session wants them, and begin at 0 when the first one does.
 */
#ifndef _UAPI_LINUX_FLT_LEDGER_H
#define _UAPI_LINUX_FLT_LEDGER_H

/*
 * FLT_CMD_THP_GET, FLT_CMD_NUMA_GET: first a message WHOSE = MACHINE, then NOBODY,
 * then one for each process that has anything to say, keyed and ordered as
 * those of PROC_GET. Rows that were retired are in MACHINE alone. With SESSION
 * only the session's processes follow, and all of them.
 *
 * Sections are nests of counters: attribute i + 1 is counter i; those that are 0
 * are absent, and so are empty sections.
 */
enum flt_ledger_attr {
	FLT_LEDGER_WHOSE = 1,	/* u32: enum flt_ledger_whose */
	FLT_LEDGER_TGID,	/* u32 */
	FLT_LEDGER_ID,		/* as FLT_PROC_ID */
	FLT_LEDGER_COMM,	/* string */
	FLT_LEDGER_ENDED,	/* flag */
	FLT_LEDGER_FAULTS,	/* minor and major faults of process or machine, and the */
	FLT_LEDGER_FAULT_NS,	/* nanoseconds spent in them: what to compare with */
	FLT_LEDGER_COUNTS,	/* nest: enum flt_thp_count or enum flt_numa_count */
	FLT_LEDGER_OCTAVES,	/* nest: latencies of huge fills, or of page moves, in octaves */
				/* as FLT_ACCOUNT_OCTAVES */
	FLT_LEDGER_SCANS,	/* nest: scans for a collapse, by the kernel's enum scan_result, */
				/* the last for all beyond; names: huge_memory tracepoints */
	FLT_LEDGER_SPLIT_MAPS,	/* nest: enum flt_split_cause; sum: thp_split_pmd */
	FLT_LEDGER_SPLIT_PAGES,	/* nest: enum flt_split_cause; sum: thp_split_page */
	FLT_LEDGER_MOVED,	/* nest: pages migrated, by the kernel's enum migrate_reason; */
	FLT_LEDGER_NOT_MOVED,	/* nest: pages not; names: migrate tracepoints */
	FLT_LEDGER_NODES,	/* u32: of the matrix, at most FLT_NUMA_NODES */
	FLT_LEDGER_MATRIX,	/* u64[nodes][nodes]: hint faults from the CPUs of a node (row) */
				/* on the memory of one (column); the last for all beyond */
	FLT_LEDGER_SESSION,	/* u32, request: only rows of this session */
	FLT_LEDGER_PAD,
	__FLT_LEDGER_LAST
};
#define FLT_LEDGER_MAX (__FLT_LEDGER_LAST - 1)

enum flt_ledger_whose {
	FLT_LEDGER_PROCESS = 1,
	FLT_LEDGER_MACHINE,	/* the sum of all, processes retired since included */
	FLT_LEDGER_NOBODY,	/* what no process could be charged with */
};

/* Faults on an anonymous region where a huge page may come, and what came. */
enum flt_thp_count {
	FLT_THP_FILLED = 0,	/* a huge page: thp_fault_alloc */
	FLT_THP_ZERO,		/* the huge zero page: read, nothing allocated */
	FLT_THP_NO_PAGE,	/* small ones: no huge page was free or quickly made free */
	FLT_THP_NO_CHARGE,	/* small ones: the memory cgroup was at its limit. Equals */
				/* thp_fault_fallback_charge, with NO_PAGE thp_fault_fallback */
	FLT_THP_UNFIT,		/* small ones: the region does not hold a whole huge page there; */
				/* no fallback to the kernel */
	FLT_THP_LATE,		/* another thread was first */
	FLT_THP_ERROR,		/* out of memory, or the fault ended otherwise */
	FLT_THP_FILL_NS,	/* in FILLED */
	FLT_THP_FALLBACK_NS,	/* spent in vain in NO_PAGE and NO_CHARGE */
	FLT_THP_COLLAPSED,	/* small pages made one huge page by khugepaged */
	FLT_THP_COLLAPSED_CALL,	/* and by madvise(MADV_COLLAPSE) */
	FLT_THP_COLLAPSED_FILE,	/* of page cache or shmem, by either */
	FLT_THP_COLLAPSE_TRIED,	/* the scan had no objection; all three sorts. Without those that */
				/* ended in SCAN_ALLOC_HUGE_PAGE_FAIL: thp_collapse_alloc */
	FLT_THP_SPLIT_FAILED,	/* huge pages that could not be split */
	__FLT_THP_COUNTS
};

/* What a process was doing when a huge page, or the mapping of one, was split. */
enum flt_split_cause {
	FLT_SPLIT_OTHER = 0,
	FLT_SPLIT_FAULT,	/* wrote to a page that is shared, or to the huge zero page */
	FLT_SPLIT_UNMAP,	/* munmap, mremap, mmap, brk of a part */
	FLT_SPLIT_PROTECT,	/* mprotect of a part */
	FLT_SPLIT_ADVISE,	/* madvise of a part */
	FLT_SPLIT_MIGRATE,	/* mbind, move_pages, migrate_pages */
	FLT_SPLIT_LOCK,		/* mlock, munlock */
	FLT_SPLIT_RECLAIM,	/* memory was short */
	FLT_SPLIT_KERNEL,	/* a kernel thread: compaction, khugepaged, KSM */
	FLT_SPLIT_PAGE,		/* a mapping, since its page was being split or moved */
	__FLT_SPLIT_CAUSES
};

enum flt_numa_count {
	FLT_NUMA_HINTS = 0,	/* numa_hint_faults; the sum of the matrix */
	FLT_NUMA_LOCAL,		/* of those, on the node that faulted: numa_hint_faults_local */
	FLT_NUMA_WANTED,	/* the page was to be moved; some are refused before it is tried */
	FLT_NUMA_TRIED,		/* moves begun */
	FLT_NUMA_FAILED,	/* of those, failed */
	FLT_NUMA_MOVE_NS,	/* in moves begun */
	FLT_NUMA_TASK_MOVED,	/* the thread went to the node of its memory */
	FLT_NUMA_TASK_STUCK,	/* it should have, but there was no room */
	FLT_NUMA_TASK_SWAPPED,	/* it changed places with another */
	__FLT_NUMA_COUNTS
};

#define FLT_SCAN_RESULTS 48
#define FLT_MOVE_REASONS 16
#define FLT_NUMA_NODES 16

#endif
