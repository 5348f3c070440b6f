/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt_wss.h - working sets by generic netlink: trackers and their samples.
 *
 * A tracker reads and clears the accessed bits of its processes' page
 * tables every INTERVAL and keeps the last HISTORY samples of each; with FOLLOW also
 * those of what they fork. It lives as long as the socket that made it. The first
 * scan of a process that was there before only clears, and makes no sample. At most
 * BUDGET per cent of one CPU go into scanning: the interval is stretched instead, and
 * the sample says so; its WINDOW is always the true one. Samples come process by
 * process; ask for those AFTER the greatest KEY seen, and nothing comes twice. A
 * process is in one tracker at a time. What a sample knows:
 *   - a page is 4 KiB, or what a huge PMD maps; it counts if a CPU loaded or stored
 *     through this process's page table since the scan before, or if it was mapped by
 *     a fault since (a file fault maps up to 16 pages, all of which count);
 *   - not seen: read(2) and write(2) of files, device DMA, secondary page tables (KVM;
 *     FLT_WSS_SECONDARY), hugetlb and PFN maps (bytes given), and a page whose bit
 *     reclaim took first;
 *   - FIRST_TOUCH and REFAULT are from the faults of the process in the window and need
 *     accounting: absent without it. FIRST_TOUCH is a page (2 MiB for a huge one) per
 *     fault of the kinds anon, huge, file, shared and cow. REFAULT is swap-ins, or major
 *     faults where there were more of those.
 *
 * With CGROUP a tracker has the processes of that cgroup, and of those below it, at
 * most as many as there are slots for: each round takes in those that have come, and
 * their children at birth where forks can be followed, and lets go of those that have
 * gone elsewhere. UNTRACKED is then the most that one round found no place for.
 *
 * With INJECT no accessed bit is touched. Every page is made to fault, as NUMA balancing
 * does it, and one that is found present again was used. That is exact, also for what
 * reclaim looks at meanwhile, but costs the process a minor fault (FLT_KIND_NUMA) for each
 * page used and window. A page of a large folio brings back all of the folio that is
 * mapped around it. LEFT are bytes of pages that cannot be so treated, of which it is
 * unknown whether they were used: KSM's, those shared for copy-on-write or pinned,
 * those of userfaultfd and of mappings without access. With several NUMA nodes the kernel may
 * move such a page to the node that uses it. While kernel.numa_balancing is on, what the
 * kernel itself withholds in the window may count as not used. At the end of the
 * tracker, or when a process leaves its cgroup, what is still withheld is given back.
 */
#ifndef _UAPI_LINUX_FLT_WSS_H
#define _UAPI_LINUX_FLT_WSS_H

/* FLT_CMD_WSS_* */
enum flt_wss_attr {
	FLT_WSS_ID = 1,		/* u32, from 1 */
	FLT_WSS_TGID,		/* u32; in TRACK repeated, at most FLT_SESSION_TGIDS_MAX */
	FLT_WSS_FOLLOW,		/* flag: and what they fork from now on */
	FLT_WSS_INTERVAL,	/* nanoseconds, 10 ms to 1 h (1 s) */
	FLT_WSS_HISTORY,	/* u32: samples kept of each process, 1 to 1024 (256) */
	FLT_WSS_BUDGET,		/* u32: per cent of one CPU, 1 to 100 (2) */
	FLT_WSS_AFTER,		/* request: only samples with a greater KEY */

	/* Of a tracker. */
	FLT_WSS_TARGETS,	/* u32: processes with samples, ended ones included */
	FLT_WSS_LIVE,		/* u32: of those, not ended */
	FLT_WSS_UNTRACKED,	/* descendants that no slot was left for */
	FLT_WSS_SAMPLES,	/* ever made */
	FLT_WSS_OVERWRITTEN,	/* of those, no longer there */
	FLT_WSS_BUSY,		/* nanoseconds that scans took */

	/* Of a sample, beside TGID. Bytes unless said otherwise. */
	FLT_WSS_KEY,		/* rises within a tracker */
	FLT_WSS_INDEX,		/* of the process, from 1: a gap was overwritten */
	FLT_WSS_START,		/* as FLT_PROC_START */
	FLT_WSS_COMM,		/* string */
	FLT_WSS_ENDED,		/* flag: the process has ended */
	FLT_WSS_FLAGS,		/* u32: FLT_WSS_BEGUN .. */
	FLT_WSS_TIME,		/* when the scan began */
	FLT_WSS_WINDOW,		/* nanoseconds since the scan before began */
	FLT_WSS_DURATION,	/* nanoseconds the scan took, waiting included */
	FLT_WSS_HELD,		/* of those, under mmap_lock */
	FLT_WSS_HELD_MAX,	/* nanoseconds, the longest slice under mmap_lock */
	FLT_WSS_SLICES,		/* u32: times it was taken */
	FLT_WSS_PAGES,		/* entries with a page that were looked at */
	FLT_WSS_SPECIAL,	/* entries passed over: zero page, devices */
	FLT_WSS_HUGETLB,	/* mappings passed over */
	FLT_WSS_DEVICE,		/* the same: PFN maps */
	FLT_WSS_RSS,		/* mapped, seen by the scan */
	FLT_WSS_HUGE,		/* of that, by huge PMDs */
	FLT_WSS_ANON,		/* referenced: anonymous, copied file pages included */
	FLT_WSS_FILE,		/* referenced: page cache */
	FLT_WSS_SHMEM,		/* referenced: tmpfs, memfd, shared anonymous */
	FLT_WSS_AREA,		/* nest: attribute i + 1 is referenced in areas of enum flt_area i */
	FLT_WSS_NODE,		/* nest: attribute i + 1 is referenced on node i, 15: or above */
	FLT_WSS_FIRST_TOUCH,
	FLT_WSS_REFAULT,
	FLT_WSS_MAJOR,		/* a page for each major fault */
	FLT_WSS_PAD,

	FLT_WSS_CGROUP,		/* u64: ID of a cgroup of the v2 tree, as in FLT_FILTER_CGROUP */
	FLT_WSS_INJECT,		/* flag: make pages fault, in place of accessed bits */
	FLT_WSS_LEFT,		/* of a sample: mapped, but left as it was by INJECT */
	FLT_WSS_ROUND,		/* u64: of a tracker, rounds that are over; of a sample, its round, */
				/* from 1 */
	FLT_WSS_HOLDS,		/* nest, of a tracker: attribute i + 1 counts times that mmap_lock */
				/* was held so long, in buckets of <linux/flt_event.h> */
	__FLT_WSS_LAST
};
#define FLT_WSS_MAX (__FLT_WSS_LAST - 1)

#define FLT_WSS_BEGUN (1u << 0)	/* forked or executed in the window, which is then shorter */
#define FLT_WSS_STRETCHED (1u << 1)	/* longer than asked for: by the budget, or waiting for a lock */
#define FLT_WSS_CUT (1u << 2)	/* not scanned to the end: it ended, or held its lock for too long */
#define FLT_WSS_UNFLUSHED (1u << 3)	/* cached translations may hide pages in constant use */
#define FLT_WSS_SECONDARY (1u << 4)	/* has secondary page tables, which are not looked at */
#define FLT_WSS_MARKED (1u << 5)	/* reclaim was told by marking pages accessed: no young flag */

#endif
