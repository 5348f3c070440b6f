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
 * Working sets: flt_wss.h. Ledgers of huge pages and of NUMA balancing: flt_ledger.h.
 */
#ifndef _UAPI_LINUX_FLT_H
#define _UAPI_LINUX_FLT_H

#include <linux/flt_counter.h>
#include <linux/flt_event.h>
#include <linux/flt_ledger.h>
#include <linux/flt_wss.h>

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
 * FLT_TALLY_ALL, FLT_PROC_ACCOUNT and so on. FLT_ACCOUNT_MAX leaves room for counters
 * to come; flt_counter.h has the ones that exist.
 */
enum flt_account_attr {
#define FLT_COUNTER_ATTR(member, attribute, number, ...) FLT_ACCOUNT_##attribute = number,
	FLT_COUNTERS(FLT_COUNTER_ATTR)
#undef FLT_COUNTER_ATTR
	FLT_ACCOUNT_KIND = 12,	/* nest FLT_KIND_*, repeated, when KINDS was asked for */
	FLT_ACCOUNT_OCTAVES = 13,	/* nest, when KINDS was asked for: attribute i + 1 counts */
				/* the latencies in buckets 4i to 4i + 3; empty ones absent */
	FLT_ACCOUNT_PAD = 14,
	__FLT_ACCOUNT_LAST = 32
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
#define FLT_LOSS_ATTR(member, attribute, number, ...) FLT_TALLY_##attribute = number,
	FLT_TALLY_LOSSES(FLT_LOSS_ATTR)
#undef FLT_LOSS_ATTR
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

#endif
