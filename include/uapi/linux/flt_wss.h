/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt_wss.h - working sets by generic netlink: trackers and their samples.
 *
 * A tracker reads and clears the accessed bits in the page tables of its processes every
 * INTERVAL. It keeps the last HISTORY samples of each process. With FOLLOW it also tracks
 * the children that the processes fork. The socket that made the tracker owns it; closing
 * the socket removes the tracker. A process can be in one tracker only.
 *
 * The first scan of a process only clears the bits and makes no sample, unless the
 * process was forked while it was tracked. Scans take at most BUDGET percent of one CPU. If
 * the interval is too short for that, it is stretched and the sample is marked
 * (FLT_WSS_STRETCHED); WINDOW is always the actual time. A dump returns samples process by
 * process. To read each sample once, request those AFTER the greatest KEY seen.
 *
 * What a sample contains:
 *   - A page has PAGE_SIZE bytes, or is the range of a huge PMD. It is referenced if a CPU
 *     accessed it through the page table of the process since the last scan, or if a fault
 *     mapped it (a fault in a file maps up to fault_around_bytes, which all count).
 *   - A sample does not contain: read(2) and write(2) of files, device DMA, secondary page
 *     tables (KVM; FLT_WSS_SECONDARY), hugetlb and PFN mappings (their size is reported),
 *     and pages whose accessed bit reclaim cleared first.
 *   - FIRST_TOUCH, REFAULT and MAJOR come from the faults of the process in the window.
 *     They are absent if accounting is off. FIRST_TOUCH is one page (or huge page) per fault
 *     of the kinds anon, huge, file, shared and cow. REFAULT is one page per swap-in or per
 *     major fault, whichever are more.
 *
 * With CGROUP a tracker has the processes of the cgroup and of its descendants, as far as
 * there are free slots. Each round adds the processes that have moved in and removes those
 * that have moved out. If the kernel allows to follow forks, children are added at fork.
 * UNTRACKED is then the largest number of processes that found no slot in one round.
 *
 * With INJECT accessed bits are not changed. Instead every page is made PROT_NONE, as NUMA
 * balancing does, so that its next use faults. A page that is present again at the next scan
 * was used. This is exact even while reclaim clears accessed bits, but each used page costs
 * the process one minor fault (FLT_KIND_NUMA) per window. Notes:
 *   - A fault on a page of a large folio makes the whole mapped part of the folio present.
 *   - LEFT is the size of pages that cannot be made PROT_NONE, so their use is unknown: KSM
 *     pages, shared or pinned copy-on-write pages, pages of userfaultfd ranges and of
 *     mappings without access.
 *   - On machines with several NUMA nodes the kernel may move a page to the node that uses
 *     it.
 *   - While kernel.numa_balancing is 1, pages that the kernel itself made PROT_NONE in the
 *     window may count as not used.
 *   - When the tracker ends or a process leaves the cgroup, all pages become accessible
 *     again. If that takes longer than a second, the kernel does it page by page, when the process
 *     uses a page, by one more fault (FLT_KIND_NUMA).
 */
#ifndef _UAPI_LINUX_FLT_WSS_H
#define _UAPI_LINUX_FLT_WSS_H

/* FLT_CMD_WSS_* */
enum flt_wss_attr {
	FLT_WSS_ID = 1,		/* u32, from 1 */
	FLT_WSS_TGID,		/* u32; in TRACK repeated, at most FLT_SESSION_TGIDS_MAX */
	FLT_WSS_FOLLOW,		/* flag: track children forked from now on */
	FLT_WSS_INTERVAL,	/* nanoseconds, 10 ms to 1 h (default 1 s) */
	FLT_WSS_HISTORY,	/* u32: samples kept per process, 1 to 1024 (default 256) */
	FLT_WSS_BUDGET,		/* u32: percent of one CPU, 1 to 100 (default 2) */
	FLT_WSS_AFTER,		/* request: only samples with a greater KEY */

	/* Of a tracker. */
	FLT_WSS_TARGETS,	/* u32: processes with samples, ended ones included */
	FLT_WSS_LIVE,		/* u32: part of TARGETS that has not ended */
	FLT_WSS_UNTRACKED,	/* forked children that found no free slot */
	FLT_WSS_SAMPLES,	/* samples ever made */
	FLT_WSS_OVERWRITTEN,	/* part of SAMPLES that was overwritten */
	FLT_WSS_BUSY,		/* nanoseconds that scans held mmap_lock */

	/* Of a sample, beside TGID. Bytes unless said otherwise. */
	FLT_WSS_KEY,		/* increases within a tracker */
	FLT_WSS_INDEX,		/* number in its process, from 1; gaps were overwritten */
	FLT_WSS_START,		/* as FLT_PROC_START */
	FLT_WSS_COMM,		/* string */
	FLT_WSS_ENDED,		/* flag: the process has ended */
	FLT_WSS_FLAGS,		/* u32: FLT_WSS_BEGUN .. */
	FLT_WSS_TIME,		/* start of the scan */
	FLT_WSS_WINDOW,		/* nanoseconds since the start of the previous scan */
	FLT_WSS_DURATION,	/* nanoseconds of the scan, with waiting */
	FLT_WSS_HELD,		/* part of DURATION with mmap_lock held */
	FLT_WSS_HELD_MAX,	/* nanoseconds of the longest hold of mmap_lock */
	FLT_WSS_SLICES,		/* u32: number of holds of mmap_lock */
	FLT_WSS_PAGES,		/* number of entries with a page */
	FLT_WSS_SPECIAL,	/* number of entries that were skipped: zero page, devices */
	FLT_WSS_HUGETLB,	/* hugetlb mappings, which are skipped */
	FLT_WSS_DEVICE,		/* PFN mappings, which are skipped */
	FLT_WSS_RSS,		/* mapped pages that the scan visited */
	FLT_WSS_HUGE,		/* part of RSS that is mapped by huge PMDs */
	FLT_WSS_ANON,		/* referenced: anonymous memory and private copies of file pages */
	FLT_WSS_FILE,		/* referenced: page cache */
	FLT_WSS_SHMEM,		/* referenced: tmpfs, memfd, shared anonymous */
	FLT_WSS_AREA,		/* nest: attribute i + 1: referenced in areas of enum flt_area i */
	FLT_WSS_NODE,		/* nest: attribute i + 1: referenced on node i (15: 15 and up) */
	FLT_WSS_FIRST_TOUCH,	/* see above */
	FLT_WSS_REFAULT,	/* see above */
	FLT_WSS_MAJOR,		/* one page per major fault */
	FLT_WSS_PAD,

	FLT_WSS_CGROUP,		/* u64: ID of a v2 cgroup, as in FLT_FILTER_CGROUP */
	FLT_WSS_INJECT,		/* flag: make pages fault instead of reading accessed bits */
	FLT_WSS_LEFT,		/* of a sample: mapped pages that INJECT could not change */
	FLT_WSS_ROUND,		/* u64: of a tracker, completed rounds; of a sample, its round, */
				/* from 1 */
	FLT_WSS_HOLDS,		/* nest, of a tracker: histogram of the ns that mmap_lock was */
				/* held; attribute i + 1 counts bucket i of <linux/flt_event.h> */
	__FLT_WSS_LAST
};
#define FLT_WSS_MAX (__FLT_WSS_LAST - 1)

#define FLT_WSS_BEGUN (1u << 0)	/* fork or exec in the window; the address space is newer */
#define FLT_WSS_STRETCHED (1u << 1)	/* WINDOW exceeds INTERVAL: budget, or lock contention */
#define FLT_WSS_CUT (1u << 2)	/* scan stopped early: process ended, or mmap_lock was not free */
#define FLT_WSS_UNFLUSHED (1u << 3)	/* TLB not flushed: pages in constant use may be missed */
#define FLT_WSS_SECONDARY (1u << 4)	/* secondary page tables exist; they are not scanned */
#define FLT_WSS_MARKED (1u << 5)	/* reclaim was told of accesses by marking pages accessed */

#endif
