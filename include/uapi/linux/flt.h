/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt.h - the generic netlink family "flt": query and control the module.
 *
 * Permission. FLT_CMD_WSS_TRACK and FLT_CMD_WSS_UNTRACK change page tables of other processes
 * and need CAP_SYS_ADMIN. Every other command needs CAP_PERFMON or CAP_SYS_ADMIN. The opener
 * of the socket and the sender must have the capability in the initial user namespace. The
 * network namespace does not matter.
 *
 * PID namespaces. A sender in a PID namespace other than the initial one sees the processes of
 * its namespace and of those nested in it, and no others. PIDs in its requests, in replies and
 * in its streams are those of its namespace. It finds only the sessions and trackers that were
 * opened in its namespace. TALLY_GET returns the sum of the rows that it sees, and
 * FLT_TALLY_FORGOTTEN. Sums of ledgers are sums of these rows as well. SLOWEST_GET and LATENCY_GET
 * without SESSION know the machine only, and are refused. So are namespaces nested deeper than 4.
 *
 * Validation. Unknown commands, attributes and NLM_F flags, wrong lengths and values out of
 * range are refused. The reply contains an extack message and, if there is one, the
 * attribute at fault. Errors:
 *   -EPERM    capability missing
 *   -EINVAL   attribute missing, malformed, of another command, or contradictory
 *   -ERANGE   value out of range
 *   -ESRCH    no such process, or the process never faulted while accounting was on
 *   -ENOENT   no such session or tracker
 *   -EACCES   the session or tracker belongs to another socket
 *   -ENOSPC   all sessions, trackers or slots of trackers are in use
 *   -ENFILE   as many processes have rows as the parameters allow (max_live)
 *   -ENOMEM   out of memory
 *   -EDQUOT   the buffers and histograms of all sessions would exceed max_buffers
 *   -EBUSY    the process is in a tracker already, or sysctl kernel.ftrace_enabled is 0
 *   -ENODEV   the module is being unloaded
 *   -EOPNOTSUPP  dump request for a command without dump, or do request for one without do;
 *             FOLLOW, INJECT, CGROUP, THP, NUMA, stacks, causes or histograms of cgroups are
 *             not supported by this kernel; relay files without debugfs; or the PID
 *             namespace of the sender is not served, see PID namespaces
 * SESSION_NEW and WSS_TRACK also return what the kernel returns when it arms a probe.
 *
 * Numbers are u64 with padding (FLT_*_PAD) unless stated otherwise. Times are CLOCK_MONOTONIC
 * nanoseconds. Counters increase while the module is loaded; nothing resets them. An
 * attribute with the value 0 may be absent. Readers must skip unknown attributes.
 *
 *   FLT_CMD_INFO_GET     do     ()                -> FLT_INFO_*
 *   FLT_CMD_HOOK_GET     dump   ()                -> FLT_HOOK_*    a message per hook
 *   FLT_CMD_TALLY_GET    do     ()                -> FLT_TALLY_*   the whole machine
 *   FLT_CMD_LATENCY_GET  dump   ([SESSION], [RETURNS or PROCS or CAUSES]) -> FLT_LATENCY_* a
 *                                                   message per kind and result, per bit that
 *                                                   was returned, or per process or cause of
 *                                                   the session
 *   FLT_CMD_PROC_GET     do     (TGID)            -> FLT_PROC_*
 *                        dump   ([SESSION], [KINDS]) -> FLT_PROC_* a message per process
 *                        dump   (SESSION, NAMES, [KINDS]) -> FLT_PROC_* a message per name
 *   FLT_CMD_TASK_GET     dump   (TGID, [KINDS])   -> FLT_TASK_*    a message per live thread
 *   FLT_CMD_SESSION_NEW  do     ([TGID...], [FOLLOW], [COUNTS])  -> FLT_SESSION_ID
 *                        do     ([TGID...], [FOLLOW], [THP], [NUMA],
 *                                [HIST], [CAUSES], [HIST_CGROUP],
 *                                [STREAM,
 *                                [CHANNEL], [SUBBUF_SIZE], [SUBBUFS], [FILTER],
 *                                [NOTES, [AREAS]], [STACKS], [SLICE],
 *                                [EVENT_CAUSES]])
 *                                                  -> FLT_SESSION_ID
 *   FLT_CMD_SESSION_GET  do     (ID, [KINDS])     -> FLT_SESSION_*
 *   FLT_CMD_SESSION_DEL  do     (ID)              -> ()
 *   FLT_CMD_WSS_TRACK    do     (TGID... or CGROUP, [FOLLOW], [INJECT], [INTERVAL],
 *                                [HISTORY], [BUDGET]) -> FLT_WSS_ID
 *   FLT_CMD_WSS_UNTRACK  do     (ID)              -> ()
 *   FLT_CMD_WSS_GET      do     (ID)              -> FLT_WSS_* the tracker
 *                        dump   (ID, [AFTER])     -> FLT_WSS_* a message per sample
 *   FLT_CMD_THP_GET      dump   ([SESSION])       -> FLT_LEDGER_*  see flt_ledger.h
 *   FLT_CMD_NUMA_GET     dump   ([SESSION])       -> FLT_LEDGER_*
 *   FLT_CMD_SLOWEST_GET  dump   ([SESSION])       -> FLT_SLOWEST_* a message per fault
 *   FLT_CMD_EVENTS       dump   (SESSION)         -> FLT_EVENTS_*  see Streams
 *
 * A reply has the command number of its request.
 *
 * Dumps. Threads come in the order in which they were created. A row is identified by
 * FLT_PROC_ID (threads: FLT_TASK_TID), which is unique within a dump. Rows created during a
 * dump may be missing. If rows were retired during the dump, NLM_F_DUMP_INTR is set: repeat
 * the dump, or use FLT_CMD_TALLY_GET, whose sums are always complete.
 *
 * Processes. A row is one thread group, from fork() to its exit, or from its first counted
 * fault if it is older than accounting. A reused PID gets a new row. A row is the sum of its
 * threads. fork creates a new row; exec and vfork do not. A fault is charged to the thread that
 * faulted, like min_flt and maj_flt in the kernel, even if the memory belongs to another
 * process (counted in FLT_ACCOUNT_REMOTE). Each live process has a row. FLT_INFO_PROCS_MAX rows
 * of ended processes are kept. Then rows without faults, and after them the oldest rows, are
 * added to FLT_TALLY_RETIRED and removed. Faults of processes without a row, because there was
 * no memory for it at their fork, are in FLT_TALLY_OTHER. At any time
 *     tally = sum of rows + retired + other
 * except for faults in progress.
 *
 * Accounting. With accounting=counts (the default) only entries of handle_mm_fault() are probed.
 * How a fault ended is learned from min_flt and maj_flt of the thread, at its next fault, at its
 * exit, or when a reader asks. So MINOR, MAJOR, KIND, REMOTE, STITCHED and MISSED are exact, and
 * a fault in progress is not counted yet. A fault that neither counter shows has failed or was
 * given up: FLT_ACCOUNT_UNFINISHED. FAILED, DROPPED, latencies, slowest faults and returned
 * values are not counted, and RETRIED does not count an attempt after which the fault was given
 * up. A kind that depends on the end of the fault (huge page or small one, copy or reuse) is
 * read from the page table at the thread's next fault; if the page was unmapped or moved in the
 * meantime, and for the last fault of a thread, it is the kind that the entry suggested. While a
 * session without COUNTS is open, and always with accounting=latency, returns are probed, too
 * (FLT_INFO_RETURNS), and everything is counted. Faults of a thread without a slot (LOST_TASK)
 * are counted for its process while returns are probed; while only entries are, they are
 * missing. So are faults in exit_mm() from 6.16 on.
 *
 * Missed faults. The probe may miss a call, because too many calls were in progress or another
 * probe was running on the CPU. The number of missed faults follows from min_flt and maj_flt of
 * the thread. It is added to MINOR, MAJOR and FLT_ACCOUNT_MISSED when the thread next faults
 * or exits. So MINOR and MAJOR are exact. The kind of missed faults is FLT_KIND_UNKNOWN; their
 * latency is in no bucket.
 *
 * Slowest faults. Each CPU keeps the FLT_SLOWEST_MAX slowest faults that ended on it since
 * the module was loaded, including failed ones. So the slowest FLT_SLOWEST_MAX of all rows are
 * those of the machine. The rows are not sorted. To find the file at an address, read
 * /proc/TGID/maps while the process exists.
 *
 * Sessions. A session is owned by the socket that created it, and ends after the socket is
 * closed, in any network namespace: before the next answer to FLT_CMD_INFO_GET or
 * FLT_CMD_SESSION_NEW. Accounting is on while any session exists. A session with TGIDs returns
 * the sum of those processes, including ended ones, and with FOLLOW also of the children that
 * they fork from now on. FLT_SESSION_UNTRACKED counts descendants that found no row; their
 * faults are not in the sum. To open a session without COUNTS, a kernel thread runs on each CPU
 * once. So the request waits while a real-time task occupies a CPU without a pause.
 *
 * Histograms. With HIST the session keeps histograms, in buckets of a quarter octave, of the
 * faults that end while the session is open: by kind and result, by returned bit, and of as
 * many processes as HIST says, each from its first fault. Further processes share the histogram
 * without FLT_LATENCY_PROC. Without TGIDs they are the faults of all processes, or with
 * HIST_CGROUP those of threads in this cgroup and below. LATENCY_GET with SESSION reads them.
 * For processes that started while the session was open, the sum over kinds and the sum over
 * processes are MINOR + MAJOR - MISSED of FLT_SESSION_ACCOUNT.
 *
 * Causes. With CAUSES the session sums up what its faults spent their time on (enum flt_cause), and
 * each CPU keeps the FLT_SLOWEST_MAX slowest of them with their parts. The faults are the same as
 * those of HIST, which is not needed for CAUSES. Without HIST, the causes of all faults cost less;
 * LATENCY_GET without SESSION has the histograms of the machine. LATENCY_GET with CAUSES has a
 * message per cause, in which BUCKETS are nanoseconds that faults of a bucket spent on the cause;
 * those of the first FLT_CAUSE_PARTS causes add up to the latencies of these faults. SLOWEST_GET
 * with SESSION reads the slowest faults. Delay accounting
 * must be on (sysctl kernel.task_delayacct). A thread has delay accounting if it was on when the
 * thread was created. A fault in progress when the session was opened is UNMEASURED.
 *
 * Streams. With STREAM the faults of the TGIDs, or of all processes if there are no TGIDs, are
 * written as struct flt_event_record to one relay file per CPU,
 * /sys/kernel/debug/flt/session-ID/cpuN, which needs debugfs. Each file has one reader.
 * read(2) returns available data in whole slots of 64 bytes; poll(2) waits for a full
 * sub-buffer. A file is a sequence of sub-buffers, each of which starts with a struct
 * flt_subbuf. Nothing is overwritten: when all sub-buffers are full, new records are lost and
 * counted. The number of faults that passed the filter is FLT_SESSION_WRITTEN +
 * FLT_SESSION_LOST, and all that were written can be read. With NOTES, records that explain
 * the faults are inserted (flt_event.h).
 *
 * With CHANNEL FLT_CHANNEL_NETLINK, the reader takes the same bytes by FLT_CMD_EVENTS dumps,
 * for example ten times a second. Only the socket that opened the session may ask (-EACCES).
 * The answer goes to that socket during its own recvmsg(). A dump sends all that was in the
 * buffers when it began. Bytes that nobody asks for stay in the buffers, and new records
 * are lost, and counted, when the buffers are full. This channel takes no debugfs, but
 * more time for each record. The module cannot be unloaded while such a session lives.
 *
 * The last message of an FLT_CMD_EVENTS dump has SESSION and HORIZON alone. No fault that
 * ended before HORIZON is written to the buffers after the dump began. So a reader that
 * takes all buffers after that (by the same dump, or by reading all relay files) can sort the
 * faults that ended before HORIZON. A reader of relay files asks for the horizon, too, and
 * gets nothing else. A first HORIZON may be 0, which is before all faults.
 *
 * Stacks. With STACKS a fault has the ID of the user stack of its thread
 * (flt_event_record.stack, struct flt_event_stack). With SLICE a copy of the lower end of the
 * stack precedes the fault (struct flt_event_slice); SUBBUF_SIZE must have room for it. No
 * stack is taken of faults that do not pass the filter. With EVENT_CAUSES the causes of a fault
 * precede the fault (struct flt_event_causes); see Causes.
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
/* Protocol version. A client refuses a different major version (the high 16 bits). */
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
	FLT_CMD_EVENTS,
	__FLT_CMD_LAST
};
#define FLT_CMD_MAX (__FLT_CMD_LAST - 1)

/* FLT_CMD_INFO_GET */
enum flt_info_attr {
	FLT_INFO_API = 1,	/* u32: FLT_API_VERSION of the module */
	FLT_INFO_SCHEMA,	/* u32: FLT_SCHEMA_VERSION of the module */
	FLT_INFO_VERSION,	/* string: module version */
	FLT_INFO_FEATURES,	/* u32: FLT_FEATURE_* supported on this kernel */
	FLT_INFO_ACCOUNTING,	/* u32: 1 while faults are counted */
	FLT_INFO_SINCE,		/* start of accounting; absent if accounting is off */
	FLT_INFO_NOW,		/* time of this reply */
	FLT_INFO_PROCS,		/* u32: rows in use, ended processes included */
	FLT_INFO_PROCS_MAX,	/* u32: rows of ended processes that are kept (max_procs) */
	FLT_INFO_TASKS,		/* u32: threads with counters of their own */
	FLT_INFO_TASKS_MAX,	/* u32: their limit */
	FLT_INFO_MEMORY,	/* bytes of rows, threads, tables, return instances and buffers */
	FLT_INFO_SESSIONS,	/* u32: sessions open */
	FLT_INFO_SESSIONS_MAX,	/* u32 */
	FLT_INFO_MAXACTIVE,	/* u32: limit of faults in progress while returns are probed; grows
				 * when it is hit, unless the parameter maxactive fixes it */
	FLT_INFO_CLOCK,		/* string: clock used for latencies */
	FLT_INFO_PAD,
	FLT_INFO_RETURNS,	/* flag: returns are probed, so latencies and results are known */
	FLT_INFO_PIDNS,		/* flag: the reader is in a PID namespace, see PID namespaces */
	FLT_INFO_CAUSES,	/* u32: bits of enum flt_cause that this kernel tells apart */
	__FLT_INFO_LAST
};
#define FLT_INFO_MAX (__FLT_INFO_LAST - 1)

#define FLT_FEATURE_FAULTS (1u << 0)	/* handle_mm_fault is probed */
#define FLT_FEATURE_EXIT (1u << 1)	/* ends of processes are seen at once */
#define FLT_FEATURE_FOLLOW (1u << 2)	/* forks can be followed */
#define FLT_FEATURE_EXEC (1u << 3)	/* names are updated at exec */
#define FLT_FEATURE_THP (1u << 4)	/* the ledger of huge pages is supported */
#define FLT_FEATURE_NUMA (1u << 5)	/* the ledger of NUMA balancing is supported */
#define FLT_FEATURE_WSS (1u << 6)	/* working sets by accessed bits */
#define FLT_FEATURE_INJECT (1u << 7)	/* working sets by pages that are made to fault */
#define FLT_FEATURE_NOTES (1u << 8)	/* NOTES include an AREA when code is mapped */
#define FLT_FEATURE_STACKS (1u << 9)	/* streams can have user stacks */
#define FLT_FEATURE_PIDNS (1u << 10)	/* readers in PID namespaces are served */
#define FLT_FEATURE_HIST (1u << 11)	/* sessions can have histograms */
#define FLT_FEATURE_CAUSES (1u << 12)	/* sessions can have causes */
#define FLT_FEATURE_MOVES (1u << 13)	/* AREAS include a MOVE when pages are moved */
#define __FLT_FEATURE_ALL 0x3fffu

/* FLT_CMD_HOOK_GET */
enum flt_hook_attr {
	FLT_HOOK_NAME = 1,	/* string: purpose */
	FLT_HOOK_SYMBOL,	/* string: probed kernel symbol or tracepoint */
	FLT_HOOK_TYPE,		/* u32: enum flt_hook_type */
	FLT_HOOK_STATE,		/* u32: enum flt_hook_state */
	FLT_HOOK_ERROR,		/* u32: positive errno, when the state is ABSENT */
	FLT_HOOK_REQUIRED,	/* flag: the module does not load without it */
	FLT_HOOK_FTRACE,	/* flag: placed on an ftrace site */
	FLT_HOOK_HITS,		/* times the enter handler ran since load */
	FLT_HOOK_MISSED_BUSY,	/* entries missed: another probe ran on the CPU */
	FLT_HOOK_MISSED_FULL,	/* entries missed: too many in progress, see FLT_INFO_MAXACTIVE */
	FLT_HOOK_PAD,
	FLT_HOOK_UNKNOWN,	/* counters that need the hook: bits as in FLT_LEDGER_UNKNOWN */
	__FLT_HOOK_LAST
};
#define FLT_HOOK_MAX (__FLT_HOOK_LAST - 1)

enum flt_hook_type {
	FLT_HOOK_TYPE_KRETPROBE = 1,
	FLT_HOOK_TYPE_TRACEPOINT,
	FLT_HOOK_TYPE_KPROBE,		/* on entry only */
	FLT_HOOK_TYPE_FTRACE,		/* on entry only, called without a breakpoint or kprobe */
};

enum flt_hook_state {
	FLT_HOOK_STATE_IDLE = 1,	/* can be armed, but is not needed */
	FLT_HOOK_STATE_ARMED,
	FLT_HOOK_STATE_DISARMED,	/* armed, but the faults of the requester were not seen: */
					/* debugfs kprobes/enabled or kernel.ftrace_enabled is 0 */
	FLT_HOOK_STATE_ABSENT,		/* not on this kernel */
};

/*
 * Counters of a process, a thread, a session or the machine, in FLT_TALLY_ALL,
 * FLT_PROC_ACCOUNT and so on. flt_counter.h defines them. FLT_ACCOUNT_MAX leaves room for
 * more.
 */
enum flt_account_attr {
#define FLT_COUNTER_ATTR(member, attribute, number, ...) FLT_ACCOUNT_##attribute = number,
	FLT_COUNTERS(FLT_COUNTER_ATTR)
#undef FLT_COUNTER_ATTR
	FLT_ACCOUNT_KIND = 12,	/* nest FLT_KIND_*, repeated, when KINDS was asked for */
	FLT_ACCOUNT_OCTAVES = 13,	/* nest, if KINDS was requested: attribute i + 1 counts */
				/* latencies in buckets 4i to 4i + 3; empty ones are absent */
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
	FLT_TALLY_RETIRED,	/* nest FLT_ACCOUNT_*: rows of ended processes not kept */
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
	FLT_TALLY_FORGOTTEN,	/* in a PID namespace: rows of the machine that were retired; */
				/* those of the namespace are missing in ALL */
	__FLT_TALLY_LAST
};
#define FLT_TALLY_MAX (__FLT_TALLY_LAST - 1)

/* FLT_CMD_LATENCY_GET */
enum flt_latency_attr {
	FLT_LATENCY_KIND = 1,	/* u32: enum flt_kind */
	FLT_LATENCY_MAJOR,	/* flag */
	FLT_LATENCY_BUCKETS,	/* nest: attribute i + 1 counts bucket i; empty ones absent */
	FLT_LATENCY_PAD,
	FLT_LATENCY_RETURNS,	/* flag, request: one row per returned bit instead */
	FLT_LATENCY_RETURN,	/* u32: enum flt_return; a call may be in several rows */
	FLT_LATENCY_SESSION,	/* u32, request: histograms of this session, see Histograms */
	FLT_LATENCY_PROCS,	/* flag, request, with SESSION: one row per process instead */
	FLT_LATENCY_SUM,	/* of a session: ns of these faults */
	FLT_LATENCY_MAXIMUM,	/* of a session: ns of the slowest; absent: unknown */
	FLT_LATENCY_PROC,	/* its FLT_PROC_ID; absent: processes beyond the limit */
	FLT_LATENCY_CAUSES,	/* flag, request, with SESSION: one row per cause instead */
	FLT_LATENCY_CAUSE,	/* u32: enum flt_cause */
	__FLT_LATENCY_LAST
};
#define FLT_LATENCY_MAX (__FLT_LATENCY_LAST - 1)

/* FLT_CMD_SLOWEST_GET */
enum flt_slowest_attr {
	FLT_SLOWEST_LATENCY = 1,	/* ns */
	FLT_SLOWEST_TIME,	/* when it ended */
	FLT_SLOWEST_ADDRESS,
	FLT_SLOWEST_TGID,	/* u32: process of the thread that faulted */
	FLT_SLOWEST_TID,	/* u32 */
	FLT_SLOWEST_COMM,	/* string: of the thread, when it ended */
	FLT_SLOWEST_KIND,	/* u32: enum flt_kind */
	FLT_SLOWEST_RESULT,	/* u32: enum flt_result */
	FLT_SLOWEST_ATTEMPTS,	/* u32 */
	FLT_SLOWEST_REMOTE,	/* flag: in memory of another process */
	FLT_SLOWEST_PAD,
	FLT_SLOWEST_SESSION,	/* u32, request: those of this session, see Causes */
	FLT_SLOWEST_CAUSES,	/* nest, with SESSION: attribute i + 1 is the time spent on */
				/* enum flt_cause i; absent: 0 */
	__FLT_SLOWEST_LAST
};
#define FLT_SLOWEST_ATTR_MAX (__FLT_SLOWEST_LAST - 1)
#define FLT_SLOWEST_MAX 8

/* FLT_CMD_PROC_GET */
enum flt_proc_attr {
	FLT_PROC_TGID = 1,	/* u32: in the PID namespace of the reader */
	FLT_PROC_ID,		/* serial number of the row, never reused */
	FLT_PROC_START,		/* CLOCK_BOOTTIME nanoseconds, as /proc/PID/stat field 22 */
	FLT_PROC_COMM,		/* string: of the group leader; bytes as the kernel has them */
	FLT_PROC_ENDED,		/* flag: the process has ended, or accounting was turned off */
	FLT_PROC_WHOLE,		/* flag: counted since its start */
	FLT_PROC_THREADS,	/* u32: live threads with counters of their own */
	FLT_PROC_ACCOUNT,	/* nest FLT_ACCOUNT_* */
	FLT_PROC_FIRST,		/* when the row was made */
	FLT_PROC_SESSION,	/* u32, request: only rows of this session */
	FLT_PROC_KINDS,		/* flag, request: with FLT_ACCOUNT_KIND */
	FLT_PROC_PAD,
	FLT_PROC_NAMES,		/* flag, request, with SESSION: its retired rows, summed by name */
	FLT_PROC_PROCESSES,	/* u32, reply to NAMES: so many processes had this COMM */
	FLT_PROC_CGROUP,	/* ID of its v2 cgroup (inode number of the directory), or of the */
				/* last one; absent: unknown */
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

/* Filters for a stream. A fault must match all filters that are present. */
enum flt_filter_attr {
	FLT_FILTER_KINDS = 1,	/* u32: bit 1 << enum flt_kind */
	FLT_FILTER_RESULTS,	/* u32: bit 1 << enum flt_result; FLT_RESULT_FAILED: any failure */
	FLT_FILTER_LATENCY,	/* u64: minimum latency, nanoseconds */
	FLT_FILTER_ADDRESS,	/* u64: a single address, or the start of a range */
	FLT_FILTER_ADDRESS_END,	/* u64: end of the range, exclusive */
	FLT_FILTER_DEV,		/* u32, with INODE: as in struct flt_event_record */
	FLT_FILTER_INODE,	/* u64 */
	FLT_FILTER_UID,		/* u32: effective user, in the initial user namespace */
	FLT_FILTER_COMM,	/* string: name of the thread, exact match */
	FLT_FILTER_SAMPLE,	/* u32: every Nth fault per CPU, with weight N; 1 to 65535 */
	FLT_FILTER_CGROUP,	/* u64: ID of a v2 cgroup (inode number of its directory); */
				/* includes its descendants */
	FLT_FILTER_PAD,
	__FLT_FILTER_LAST
};
#define FLT_FILTER_MAX (__FLT_FILTER_LAST - 1)

/* FLT_CMD_SESSION_* */
enum flt_session_attr {
	FLT_SESSION_ID = 1,	/* u32, from 1 */
	FLT_SESSION_TGID,	/* u32, repeated, at most FLT_SESSION_TGIDS_MAX */
	FLT_SESSION_FOLLOW,	/* flag: include children forked from now on */
	FLT_SESSION_ACCOUNT,	/* nest FLT_ACCOUNT_* */
	FLT_SESSION_PROCS,	/* u32: processes in the sum, ended ones included */
	FLT_SESSION_LIVE,	/* u32: part of PROCS that has not ended */
	FLT_SESSION_UNTRACKED,	/* descendants without a row */
	FLT_SESSION_KINDS,	/* flag, request */
	FLT_SESSION_STREAM,	/* flag: stream the faults as records */
	FLT_SESSION_SUBBUF_SIZE,	/* u32: a power of two, 4 KiB to 1 MiB (default 256 KiB) */
	FLT_SESSION_SUBBUFS,	/* u32: per CPU, 2 to 64 (default 8) */
	FLT_SESSION_FILTER,	/* nest FLT_FILTER_*; an absent filter matches all faults */
	FLT_SESSION_WRITTEN,	/* faults written, sum of all CPUs */
	FLT_SESSION_LOST,	/* faults lost: all sub-buffers were full */
	FLT_SESSION_PAD,
	FLT_SESSION_NOTES,	/* flag: send PATH and LIFE notes, and AREA notes of new code */
	FLT_SESSION_AREAS,	/* flag, with NOTES: an AREA for each mapping faulted in */
	FLT_SESSION_LOST_NOTES,	/* notes lost: sub-buffers were full, the note was
				 * too large, or (PREEMPT_RT) names were being changed */
	FLT_SESSION_THP,	/* flag: count in the ledger of huge pages */
	FLT_SESSION_NUMA,	/* flag: count in the ledger of NUMA balancing */
	FLT_SESSION_CHANNEL,	/* u32, with STREAM: enum flt_channel (default FLT_CHANNEL_RELAY) */
	FLT_SESSION_STACKS,	/* u32: record user stacks of at most 1 to 127 addresses */
	FLT_SESSION_SLICE,	/* u32: bytes of stack to copy with each fault, 64 to 16384 */
	FLT_SESSION_STACKS_USED,	/* u32, reply: stacks in the shared table */
	FLT_SESSION_STACKS_ONCE,	/* faults whose stack was sent again: no room for it */
	FLT_SESSION_COUNTS,	/* flag: counts are enough, see Accounting */
	FLT_SESSION_HIST,	/* u32: keep histograms, of 1 to 1024 processes */
	FLT_SESSION_HIST_CGROUP,	/* u64, with HIST or CAUSES: ID of a v2 cgroup */
	FLT_SESSION_CAUSES,	/* flag: keep causes of latencies, see Causes */
	FLT_SESSION_EVENT_CAUSES,	/* flag, with STREAM: causes of each fault, see Streams */
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
 * FLT_CMD_EVENTS: the next bytes of one CPU, as its relay file would have them; or SESSION and
 * HORIZON alone, at the end of the dump.
 */
enum flt_events_attr {
	FLT_EVENTS_SESSION = 1,	/* u32, request and reply */
	FLT_EVENTS_CPU,		/* u32 */
	FLT_EVENTS_SLOTS,	/* slots of 64 bytes; a note may continue in the next message */
	FLT_EVENTS_HORIZON,	/* CLOCK_MONOTONIC nanoseconds */
	FLT_EVENTS_PAD,
	__FLT_EVENTS_LAST
};
#define FLT_EVENTS_MAX (__FLT_EVENTS_LAST - 1)

#endif
