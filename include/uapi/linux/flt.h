/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt.h - the generic netlink family "flt": state, asked for.
 *
 * Permission. Every command needs CAP_PERFMON or CAP_SYS_ADMIN in the initial
 * user namespace, held by the socket's opener and by the sender: -EPERM. The
 * family exists in the initial network namespace only.
 *
 * Validation is strict: unknown commands, attributes and NLM_F flags, wrong
 * lengths and out-of-range values are refused, with one errno per cause and an
 * extack sentence (and, where there is one, the offending attribute):
 *   -EPERM    capability missing
 *   -EINVAL   attribute missing, malformed, of another command, or contradictory
 *   -ERANGE   value outside its range
 *   -ESRCH    no such process, or it never faulted while accounting was on
 *   -ENOENT   no such session or tracker
 *   -EACCES   the session or tracker belongs to another socket
 *   -ENOSPC   all sessions, trackers or slots of trackers are taken
 *   -ENFILE   no row is left in the process table
 *   -EBUSY    that process is in a tracker already
 *   -EOPNOTSUPP  a dump asked of a command that has none, or the other way round;
 *             FOLLOW, INJECT, CGROUP, THP or NUMA on a kernel without what they need
 *
 * Numbers are u64 with padding (FLT_*_PAD) unless said otherwise; times are
 * CLOCK_MONOTONIC nanoseconds. A counter only grows while the module is loaded;
 * nothing resets it. An attribute whose value is 0 may be absent, and an
 * attribute that a reader does not know is to be skipped.
 *
 *   FLT_CMD_INFO_GET     do     ()                -> FLT_INFO_*
 *   FLT_CMD_HOOK_GET     dump   ()                -> FLT_HOOK_*    a message per hook
 *   FLT_CMD_TALLY_GET    do     ()                -> FLT_TALLY_*   the whole machine
 *   FLT_CMD_LATENCY_GET  dump   ([RETURNS])       -> FLT_LATENCY_* a message per kind and result,
 *                                                   or per bit that was returned
 *   FLT_CMD_PROC_GET     do     (TGID)            -> FLT_PROC_*
 *                        dump   ([SESSION], [KINDS]) -> FLT_PROC_* a message per process
 *   FLT_CMD_TASK_GET     dump   (TGID, [KINDS])   -> FLT_TASK_*    a message per live thread
 *   FLT_CMD_SESSION_NEW  do     ([TGID...], [FOLLOW], [THP], [NUMA], [STREAM,
 *                                [CHANNEL], [SUBBUF_SIZE], [SUBBUFS], [FILTER],
 *                                [NOTES, [AREAS]], [STACKS], [SLICE]])
 *                                                  -> FLT_SESSION_ID
 *   FLT_CMD_SESSION_GET  do     (ID, [KINDS])     -> FLT_SESSION_*
 *   FLT_CMD_SESSION_DEL  do     (ID)              -> ()
 *   FLT_CMD_WSS_TRACK    do     (TGID... or CGROUP, [FOLLOW], [INJECT], [INTERVAL],
 *                                [HISTORY], [BUDGET]) -> FLT_WSS_ID
 *   FLT_CMD_WSS_UNTRACK  do     (ID)              -> ()
 *   FLT_CMD_WSS_GET      do     (ID)              -> FLT_WSS_* the tracker
 *                        dump   (ID, [AFTER])     -> FLT_WSS_* a message per sample
 *   FLT_CMD_THP_GET      dump   ([SESSION])       -> FLT_LEDGER_*  see there
 *   FLT_CMD_NUMA_GET     dump   ([SESSION])       -> FLT_LEDGER_*
 *   FLT_CMD_SLOWEST_GET  dump   ()                -> FLT_SLOWEST_* a message per fault
 *   FLT_CMD_EVENTS       unasked                  -> FLT_EVENTS_*  see Streams
 *
 * A reply carries the command number of its request.
 *
 * Dumps. Rows come in the order of a table slot; a row's key is its FLT_PROC_ID
 * (FLT_TASK_TID for threads), never repeated within one dump. Rows created
 * during a dump may or may not be in it. NLM_F_DUMP_INTR is set if rows were
 * retired meanwhile: ask again, or take the sums from FLT_CMD_TALLY_GET, which
 * are whole at any time.
 *
 * Processes. One row is one thread group from its first counted fault (or from
 * fork(), in a following session) to its end: PID reuse makes a new row. Threads
 * are summed; fork makes a new row, exec and vfork do not merge or split one. A
 * fault is charged to the thread that ran, as the kernel's own min_flt and
 * maj_flt are, also when the memory belongs to another process (FLT_ACCOUNT_REMOTE
 * counts those). Rows of ended processes are kept while the table has room; the
 * oldest are then retired into FLT_TALLY_RETIRED, and faults of processes that
 * found the table full go to FLT_TALLY_OTHER. At any moment
 *     tally = sum of rows + retired + other
 * but for faults in progress.
 *
 * Missed faults. The probe may miss a call (instances exhausted, another probe
 * running on the CPU). Each thread's own min_flt and maj_flt tell what was
 * missed, so MINOR and MAJOR are right all the same; the difference is added to
 * them and to FLT_ACCOUNT_MISSED when the thread next faults or ends. Kind and
 * latency of missed faults are unknown (FLT_KIND_UNKNOWN, in no bucket).
 *
 * Slowest faults. Each CPU keeps the FLT_SLOWEST_MAX slowest that ended on it, failed
 * ones included, since the module was loaded; so the slowest FLT_SLOWEST_MAX of all
 * rows are those of the machine. Rows come in no order. For the file at an address
 * see /proc/TGID/maps, while it lasts.
 *
 * Sessions. A session lives as long as the socket that made it; closing the
 * socket ends it. While any session lives, accounting is on. A session with
 * TGIDs sums up those processes, and with FOLLOW also what they fork from now
 * on, ended ones included; FLT_SESSION_UNTRACKED counts descendants for which the
 * table had no row, whose faults are missing from the sum.
 *
 * Streams. With STREAM the session's faults, those of its TGIDs or, without any,
 * of all processes, flow as struct flt_event_record through relay files, one for each
 * CPU: /sys/kernel/debug/flt/session-ID/cpuN, for one reader. read(2) takes what there
 * is, in whole slots of 64 bytes; poll(2) waits for a full sub-buffer. A file is a row
 * of sub-buffers, each begun by a struct flt_subbuf. Nothing is overwritten: when all
 * sub-buffers are full new records are lost, and counted. FLT_SESSION_WRITTEN +
 * FLT_SESSION_LOST is what matched, and all that was written can be read. Needs
 * debugfs. With NOTES, what a reader needs to understand faults comes between them
 * (flt_event.h).
 *
 * With CHANNEL FLT_CHANNEL_NETLINK the same bytes are sent to the socket that made the
 * session, as FLT_CMD_EVENTS with sequence number 0, ten times a second or as fast as
 * it takes them; maybe before the answer to SESSION_NEW. Use a socket for nothing
 * else: when it is full the module's answers find no room, either. Bytes that find no
 * room stay in the buffers and are sent later, so a socket that overruns (ENOBUFS) has
 * lost nothing; what the buffers then cannot hold is lost, and counted, as above. It
 * takes no debugfs, but more time for each record. The module cannot be unloaded while
 * such a session lives.
 *
 * Stacks. With STACKS a fault names the stack of its thread (flt_event_record.stack,
 * struct flt_event_stack); with SLICE it comes with a copy of the stack's lower end
 * (struct flt_event_slice), for which SUBBUF_SIZE must have room. A fault that the
 * filter holds back is not looked at.
 *
 * Working sets. A tracker reads and clears the accessed bits of its processes' page
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
 *
 * Ledgers. While a session with THP or NUMA lives, what the kernel does with huge
 * pages, or to balance memory between nodes, is counted too: exactly, for the
 * machine and for the process that it concerns. That is the process that ran;
 * for collapses and for mappings that are split, the one whose memory it is
 * (known with CONFIG_MEMCG; else nobody). What concerns no process that could be
 * found, such as compaction, goes to nobody's row. These counts stand still
 * while no session wants them, and begin at 0 when the first one does.
 */
#ifndef _UAPI_LINUX_FLT_H
#define _UAPI_LINUX_FLT_H

#include <linux/flt_event.h>

#define FLT_GENL_NAME "flt"
/* The talk: a client refuses a module whose major (the high 16 bits) differs. */
#define FLT_API_VERSION 0x00010000
#define FLT_GENL_VERSION 1

#define FLT_COMM_LEN 16
#define FLT_SYMBOL_LEN 64
#define FLT_SESSION_TGIDS_MAX 64

enum flt_cmd {
	FLT_CMD_INFO_GET = 1,
	FLT_CMD_HOOK_GET,
	FLT_CMD_TALLY_GET,
	FLT_CMD_LATENCY_GET,
	FLT_CMD_PROC_GET,
	FLT_CMD_TASK_GET,
	FLT_CMD_SESSION_NEW,
	FLT_CMD_SESSION_GET,
	FLT_CMD_SESSION_DEL,
	FLT_CMD_WSS_TRACK,
	FLT_CMD_WSS_UNTRACK,
	FLT_CMD_WSS_GET,
	FLT_CMD_THP_GET,
	FLT_CMD_NUMA_GET,
	FLT_CMD_SLOWEST_GET,
	FLT_CMD_EVENTS,		/* from the module only */
	__FLT_CMD_LAST
};
#define FLT_CMD_MAX (__FLT_CMD_LAST - 1)

/* FLT_CMD_INFO_GET */
enum flt_info_attr {
	FLT_INFO_API = 1,	/* u32: FLT_API_VERSION of the module */
	FLT_INFO_SCHEMA,	/* u32: FLT_SCHEMA_VERSION of the module */
	FLT_INFO_VERSION,	/* string: module version */
	FLT_INFO_FEATURES,	/* u32: FLT_FEATURE_* that this kernel gives */
	FLT_INFO_ACCOUNTING,	/* u32: 1 while faults are counted */
	FLT_INFO_SINCE,		/* when counting last began; absent when off */
	FLT_INFO_NOW,		/* when this reply was made */
	FLT_INFO_PROCS,		/* u32: rows in use, ended processes included */
	FLT_INFO_PROCS_MAX,	/* u32: bound of the process table */
	FLT_INFO_TASKS,		/* u32: threads in use */
	FLT_INFO_TASKS_MAX,	/* u32: bound of the thread table */
	FLT_INFO_MEMORY,	/* bytes the module's tables take, fixed at load */
	FLT_INFO_SESSIONS,	/* u32: sessions open */
	FLT_INFO_SESSIONS_MAX,	/* u32 */
	FLT_INFO_MAXACTIVE,	/* u32: faults that can be in progress at once */
	FLT_INFO_CLOCK,		/* string: clock that latencies come from */
	FLT_INFO_PAD,
	__FLT_INFO_LAST
};
#define FLT_INFO_MAX (__FLT_INFO_LAST - 1)

#define FLT_FEATURE_FAULTS (1u << 0)	/* handle_mm_fault is probed */
#define FLT_FEATURE_EXIT (1u << 1)	/* process ends are seen at once */
#define FLT_FEATURE_FOLLOW (1u << 2)	/* forks can be followed */
#define FLT_FEATURE_EXEC (1u << 3)	/* names follow exec */
#define FLT_FEATURE_THP (1u << 4)	/* what becomes of huge pages can be counted */
#define FLT_FEATURE_NUMA (1u << 5)	/* and what NUMA balancing does */
#define FLT_FEATURE_WSS (1u << 6)	/* working sets by accessed bits */
#define FLT_FEATURE_INJECT (1u << 7)	/* and by pages that are made to fault */
#define FLT_FEATURE_NOTES (1u << 8)	/* code mapped while a session has notes is seen */
#define FLT_FEATURE_STACKS (1u << 9)	/* streams can have user stacks */
#define __FLT_FEATURE_ALL 0x3ffu

/* FLT_CMD_HOOK_GET */
enum flt_hook_attr {
	FLT_HOOK_NAME = 1,	/* string: what it is for */
	FLT_HOOK_SYMBOL,	/* string: the kernel symbol or tracepoint taken */
	FLT_HOOK_TYPE,		/* u32: enum flt_hook_type */
	FLT_HOOK_STATE,		/* u32: enum flt_hook_state */
	FLT_HOOK_ERROR,		/* u32: positive errno, when the state is ABSENT */
	FLT_HOOK_REQUIRED,	/* flag: the module does not load without it */
	FLT_HOOK_FTRACE,	/* flag: placed on an ftrace site */
	FLT_HOOK_HITS,		/* times the enter handler ran since load */
	FLT_HOOK_MISSED_BUSY,	/* entries missed: another probe ran on the CPU */
	FLT_HOOK_MISSED_FULL,	/* entries missed: more than maxactive in progress */
	FLT_HOOK_PAD,
	__FLT_HOOK_LAST
};
#define FLT_HOOK_MAX (__FLT_HOOK_LAST - 1)

enum flt_hook_type {
	FLT_HOOK_TYPE_KRETPROBE = 1,
	FLT_HOOK_TYPE_TRACEPOINT,
	FLT_HOOK_TYPE_KPROBE,		/* on entry only */
};

enum flt_hook_state {
	FLT_HOOK_STATE_IDLE = 1,	/* could be armed; nobody needs it */
	FLT_HOOK_STATE_ARMED,
	FLT_HOOK_STATE_DISARMED,	/* armed, but not even the asker's own faults were seen: */
					/* debugfs kprobes/enabled or kernel.ftrace_enabled is 0 */
	FLT_HOOK_STATE_ABSENT,		/* not on this kernel */
};

/*
 * The counts of a process, a thread, a session or the machine: the payload of
 * FLT_TALLY_ALL, FLT_PROC_ACCOUNT and so on.
 */
enum flt_account_attr {
	FLT_ACCOUNT_MINOR = 1,
	FLT_ACCOUNT_MAJOR,
	FLT_ACCOUNT_FAILED,
	FLT_ACCOUNT_RETRIED,	/* calls that ended in RETRY */
	FLT_ACCOUNT_MISSED,	/* faults in MINOR and MAJOR that the probe missed */
	FLT_ACCOUNT_REMOTE,	/* faults in another process's memory */
	FLT_ACCOUNT_STITCHED,	/* faults that took more than one attempt */
	FLT_ACCOUNT_ATTEMPTS,	/* u32: most attempts one fault took */
	FLT_ACCOUNT_DROPPED,	/* retried faults given up: the thread faulted elsewhere next */
	FLT_ACCOUNT_LATENCY_SUM,	/* nanoseconds in faults that ended */
	FLT_ACCOUNT_LATENCY_MAX,	/* nanoseconds of the slowest */
	FLT_ACCOUNT_KIND,	/* nest FLT_KIND_*, repeated, when KINDS was asked for */
	FLT_ACCOUNT_OCTAVES,	/* nest, when KINDS was asked for: attribute i + 1 counts the */
				/* latencies in buckets 4i to 4i + 3; empty ones absent */
	FLT_ACCOUNT_PAD,
	__FLT_ACCOUNT_LAST
};
#define FLT_ACCOUNT_MAX (__FLT_ACCOUNT_LAST - 1)

enum flt_kind_attr {
	FLT_KIND_ATTR_ID = 1,	/* u32: enum flt_kind */
	FLT_KIND_ATTR_COUNT,	/* minor and major together */
	FLT_KIND_ATTR_PAD,
	__FLT_KIND_ATTR_LAST
};
#define FLT_KIND_ATTR_MAX (__FLT_KIND_ATTR_LAST - 1)

/* FLT_CMD_TALLY_GET */
enum flt_tally_attr {
	FLT_TALLY_ALL = 1,	/* nest FLT_ACCOUNT_*, with kinds: every fault counted */
	FLT_TALLY_RETIRED,	/* nest FLT_ACCOUNT_*: rows retired to make room */
	FLT_TALLY_OTHER,	/* nest FLT_ACCOUNT_*: faults that found no row */
	FLT_TALLY_FAILED_OOM,
	FLT_TALLY_FAILED_SIGBUS,
	FLT_TALLY_FAILED_SIGSEGV,
	FLT_TALLY_FAILED_HWPOISON,
	FLT_TALLY_FAILED_OTHER,
	FLT_TALLY_PROCS_SEEN,	/* rows ever made */
	FLT_TALLY_PROCS_RETIRED,	/* of those, retired */
	FLT_TALLY_LOST_PROC,	/* faults without a row: process table full */
	FLT_TALLY_LOST_TASK,	/* faults without a thread's own counts: thread table full */
	FLT_TALLY_LOST_BUSY,	/* calls missed: another probe ran on the CPU */
	FLT_TALLY_LOST_FULL,	/* calls missed: more than maxactive in progress */
	FLT_TALLY_CLOCK_BACK,	/* latencies cut to 0: the clock went backwards */
	FLT_TALLY_NOW,		/* when this reply was made */
	FLT_TALLY_PAD,
	__FLT_TALLY_LAST
};
#define FLT_TALLY_MAX (__FLT_TALLY_LAST - 1)

/* FLT_CMD_LATENCY_GET */
enum flt_latency_attr {
	FLT_LATENCY_KIND = 1,	/* u32: enum flt_kind */
	FLT_LATENCY_MAJOR,	/* flag */
	FLT_LATENCY_BUCKETS,	/* nest: attribute i + 1 counts bucket i; empty ones absent */
	FLT_LATENCY_PAD,
	FLT_LATENCY_RETURNS,	/* flag, request: by what was returned, instead */
	FLT_LATENCY_RETURN,	/* u32: enum flt_return; a call with several is in several rows */
	__FLT_LATENCY_LAST
};
#define FLT_LATENCY_MAX (__FLT_LATENCY_LAST - 1)

/* FLT_CMD_SLOWEST_GET */
enum flt_slowest_attr {
	FLT_SLOWEST_LATENCY = 1,	/* ns */
	FLT_SLOWEST_TIME,	/* when it ended */
	FLT_SLOWEST_ADDRESS,
	FLT_SLOWEST_TGID,	/* u32: who ran */
	FLT_SLOWEST_TID,	/* u32 */
	FLT_SLOWEST_COMM,	/* string: of the thread, when it ended */
	FLT_SLOWEST_KIND,	/* u32: enum flt_kind */
	FLT_SLOWEST_RESULT,	/* u32: enum flt_result */
	FLT_SLOWEST_ATTEMPTS,	/* u32 */
	FLT_SLOWEST_REMOTE,	/* flag: in memory of another process */
	FLT_SLOWEST_PAD,
	__FLT_SLOWEST_LAST
};
#define FLT_SLOWEST_ATTR_MAX (__FLT_SLOWEST_LAST - 1)
#define FLT_SLOWEST_MAX 8

/* FLT_CMD_PROC_GET */
enum flt_proc_attr {
	FLT_PROC_TGID = 1,	/* u32: in the initial PID namespace */
	FLT_PROC_ID,		/* serial number of the row, never reused */
	FLT_PROC_START,		/* CLOCK_BOOTTIME nanoseconds, as /proc/PID/stat field 22 */
	FLT_PROC_COMM,		/* string: of the group leader; bytes as the kernel has them */
	FLT_PROC_ENDED,		/* flag: the process has ended, or accounting was switched off */
	FLT_PROC_WHOLE,		/* flag: counted from its birth */
	FLT_PROC_THREADS,	/* u32: live threads that have faulted */
	FLT_PROC_ACCOUNT,	/* nest FLT_ACCOUNT_* */
	FLT_PROC_FIRST,		/* when the row was made */
	FLT_PROC_SESSION,	/* u32, request: only rows of this session */
	FLT_PROC_KINDS,		/* flag, request: with FLT_ACCOUNT_KIND */
	FLT_PROC_PAD,
	__FLT_PROC_LAST
};
#define FLT_PROC_MAX (__FLT_PROC_LAST - 1)

/* FLT_CMD_TASK_GET */
enum flt_task_attr {
	FLT_TASK_TGID = 1,	/* u32, request and reply */
	FLT_TASK_TID,		/* u32 */
	FLT_TASK_COMM,		/* string */
	FLT_TASK_ACCOUNT,	/* nest FLT_ACCOUNT_* */
	FLT_TASK_KINDS,		/* flag, request */
	FLT_TASK_PAD,
	__FLT_TASK_LAST
};
#define FLT_TASK_MAX (__FLT_TASK_LAST - 1)

/* Which faults are streamed; all that are given must hold. */
enum flt_filter_attr {
	FLT_FILTER_KINDS = 1,	/* u32: bit 1 << enum flt_kind */
	FLT_FILTER_RESULTS,	/* u32: bit 1 << enum flt_result; any failure is FLT_RESULT_FAILED */
	FLT_FILTER_LATENCY,	/* u64: at least as many nanoseconds */
	FLT_FILTER_ADDRESS,	/* u64: this address, or the first of a range */
	FLT_FILTER_ADDRESS_END,	/* u64: first address past the range */
	FLT_FILTER_DEV,		/* u32, with INODE: as in struct flt_event_record */
	FLT_FILTER_INODE,	/* u64 */
	FLT_FILTER_UID,		/* u32: effective user, in the initial user namespace */
	FLT_FILTER_COMM,	/* string: of the thread, whole */
	FLT_FILTER_SAMPLE,	/* u32: one in as many, per CPU, with that weight; 1 to 65535 */
	FLT_FILTER_CGROUP,	/* u64: this cgroup of the v2 tree, or one below: its ID, which is */
				/* the inode number of its directory */
	FLT_FILTER_PAD,
	__FLT_FILTER_LAST
};
#define FLT_FILTER_MAX (__FLT_FILTER_LAST - 1)

/* FLT_CMD_SESSION_* */
enum flt_session_attr {
	FLT_SESSION_ID = 1,	/* u32, from 1 */
	FLT_SESSION_TGID,	/* u32, repeated, at most FLT_SESSION_TGIDS_MAX */
	FLT_SESSION_FOLLOW,	/* flag: and what they fork from now on */
	FLT_SESSION_ACCOUNT,	/* nest FLT_ACCOUNT_* */
	FLT_SESSION_PROCS,	/* u32: processes in the sum, ended ones included */
	FLT_SESSION_LIVE,	/* u32: of those, not ended */
	FLT_SESSION_UNTRACKED,	/* descendants without a row */
	FLT_SESSION_KINDS,	/* flag, request */
	FLT_SESSION_STREAM,	/* flag: faults as records, too */
	FLT_SESSION_SUBBUF_SIZE,	/* u32: bytes, a power of two, 4 KiB to 1 MiB (256 KiB) */
	FLT_SESSION_SUBBUFS,	/* u32: for each CPU, 2 to 64 (8) */
	FLT_SESSION_FILTER,	/* nest FLT_FILTER_*: what is absent lets all pass */
	FLT_SESSION_WRITTEN,	/* faults written, all CPUs */
	FLT_SESSION_LOST,	/* faults lost: all sub-buffers were full */
	FLT_SESSION_PAD,
	FLT_SESSION_NOTES,	/* flag: with PATH and LIFE notes, and AREAs of code made */
	FLT_SESSION_AREAS,	/* flag, with NOTES: an AREA for each mapping that is faulted in */
	FLT_SESSION_LOST_NOTES,	/* notes lost, for the same reason or for their size */
	FLT_SESSION_THP,	/* flag: count in the ledger of huge pages, too */
	FLT_SESSION_NUMA,	/* flag: and in that of NUMA balancing */
	FLT_SESSION_CHANNEL,	/* u32, with STREAM: enum flt_channel (FLT_CHANNEL_RELAY) */
	FLT_SESSION_STACKS,	/* u32: user stacks of up to so many addresses, 1 to 127 */
	FLT_SESSION_SLICE,	/* u32: so many bytes of stack with each fault, 64 to 16384 */
	FLT_SESSION_STACKS_USED,	/* u32, reply: stacks in the table that sessions share */
	FLT_SESSION_STACKS_ONCE,	/* faults whose stack found it full: sent with each of them */
	__FLT_SESSION_LAST
};
#define FLT_SESSION_MAX (__FLT_SESSION_LAST - 1)

enum flt_channel {
	FLT_CHANNEL_RELAY = 0,
	FLT_CHANNEL_NETLINK,
	__FLT_CHANNEL_LAST
};
#define FLT_CHANNEL_MAX (__FLT_CHANNEL_LAST - 1)

/*
 * FLT_CMD_EVENTS: what comes next of one CPU, as its relay file would have it; or, with
 * SESSION and HORIZON alone, what can be put in order. No fault is still to come that
 * ended before HORIZON, of a CPU of which nothing came since the last such message; of
 * the others none that ended before their last, give or take 2 us: as near as faults of
 * one CPU are in order.
 */
enum flt_events_attr {
	FLT_EVENTS_SESSION = 1,	/* u32 */
	FLT_EVENTS_CPU,		/* u32 */
	FLT_EVENTS_SLOTS,	/* bytes: slots of 64; a note may go on in the next message */
	FLT_EVENTS_HORIZON,	/* CLOCK_MONOTONIC nanoseconds */
	FLT_EVENTS_PAD,
	__FLT_EVENTS_LAST
};
#define FLT_EVENTS_MAX (__FLT_EVENTS_LAST - 1)

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
	__FLT_WSS_LAST
};
#define FLT_WSS_MAX (__FLT_WSS_LAST - 1)

#define FLT_WSS_BEGUN (1u << 0)	/* forked or executed in the window, which is then shorter */
#define FLT_WSS_STRETCHED (1u << 1)	/* the budget made the window longer than asked for */
#define FLT_WSS_CUT (1u << 2)	/* not scanned to the end: it ended, or held its lock for too long */
#define FLT_WSS_UNFLUSHED (1u << 3)	/* cached translations may hide pages in constant use */
#define FLT_WSS_SECONDARY (1u << 4)	/* has secondary page tables, which are not looked at */
#define FLT_WSS_MARKED (1u << 5)	/* reclaim was told by marking pages accessed: no young flag */

/*
 * FLT_CMD_THP_GET, FLT_CMD_NUMA_GET: first a message WHOSE = MACHINE, then NOBODY,
 * then one for each process that has anything to say, keyed and ordered as
 * those of PROC_GET. Rows that were retired are in MACHINE alone. With SESSION
 * only the session's processes follow.
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
	FLT_LEDGER_FAULTS,	/* minor and major faults of the process, and the */
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
