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
 * sections are absent.
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
	__FLT_LEDGER_LAST
};
#define FLT_LEDGER_MAX (__FLT_LEDGER_LAST - 1)

enum flt_ledger_whose {
	FLT_LEDGER_PROCESS = 1,
	FLT_LEDGER_MACHINE,	/* sum of all, with retired processes and NOBODY */
	FLT_LEDGER_NOBODY,	/* events without a known process */
};

/* Faults on anonymous memory where a huge page was possible, by outcome; then collapses. */
enum flt_thp_count {
	FLT_THP_FILLED = 0,	/* got a huge page: thp_fault_alloc */
	FLT_THP_ZERO,		/* read fault, got the huge zero page; nothing was allocated */
	FLT_THP_NO_PAGE,	/* fallback: no huge page was free or could be freed quickly */
	FLT_THP_NO_CHARGE,	/* fallback: limit of the memory cgroup. Equals */
				/* thp_fault_fallback_charge; plus NO_PAGE: thp_fault_fallback */
	FLT_THP_UNFIT,		/* the mapping does not contain the whole huge page; the kernel */
				/* does not count this as a fallback */
	FLT_THP_LATE,		/* another thread filled the range first */
	FLT_THP_ERROR,		/* out of memory, or another error */
	FLT_THP_FILL_NS,	/* nanoseconds in FILLED */
	FLT_THP_FALLBACK_NS,	/* nanoseconds in NO_PAGE and NO_CHARGE, before the fallback */
	FLT_THP_COLLAPSED,	/* anonymous memory collapsed by khugepaged */
	FLT_THP_COLLAPSED_CALL,	/* anonymous memory collapsed by madvise(MADV_COLLAPSE) */
	FLT_THP_COLLAPSED_FILE,	/* page cache or shmem collapsed, by either */
	FLT_THP_COLLAPSE_TRIED,	/* attempts to collapse, of all three sorts. Minus those that */
				/* ended in SCAN_ALLOC_HUGE_PAGE_FAIL: thp_collapse_alloc */
	FLT_THP_SPLIT_FAILED,	/* huge pages that could not be split */
	__FLT_THP_COUNTS
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

enum flt_numa_count {
	FLT_NUMA_HINTS = 0,	/* numa_hint_faults; the sum of the matrix */
	FLT_NUMA_LOCAL,		/* part of HINTS, on the CPU's own node: numa_hint_faults_local */
	FLT_NUMA_WANTED,	/* the page should move; some are refused before a move is tried */
	FLT_NUMA_TRIED,		/* moves of pages that were started */
	FLT_NUMA_FAILED,	/* part of TRIED that failed */
	FLT_NUMA_MOVE_NS,	/* nanoseconds in TRIED */
	FLT_NUMA_TASK_MOVED,	/* the thread was moved to the node of its memory */
	FLT_NUMA_TASK_STUCK,	/* no CPU was free to move the thread to */
	FLT_NUMA_TASK_SWAPPED,	/* the thread was swapped with another one */
	__FLT_NUMA_COUNTS
};

#define FLT_SCAN_RESULTS 48
#define FLT_MOVE_REASONS 16
#define FLT_NUMA_NODES 16

#endif
