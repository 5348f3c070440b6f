/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt_event.h - the fault: kinds, results, latency buckets, and records of a stream.
 *
 * Shared by the kernel module, fltctl and the tests. The bucket arithmetic compiles unchanged
 * in all of them.
 *
 * A call of handle_mm_fault() is counted by the rule of mm_account_fault() in mm/memory.c:
 *   - If it returns VM_FAULT_RETRY, the fault has not ended. The call is an *attempt*, and
 *     is only counted as "retried".
 *   - If it returns any bit of VM_FAULT_ERROR, the fault is "failed".
 *   - Otherwise the fault is "major" if the call returned VM_FAULT_MAJOR or had
 *     FAULT_FLAG_TRIED, else "minor".
 * So for every process calls = minor + major + failed + retried, if returns are probed and no
 * call was missed. While only entries are probed, failed is 0 (FLT_ACCOUNT_UNFINISHED).
 */
#ifndef _UAPI_LINUX_FLT_EVENT_H
#define _UAPI_LINUX_FLT_EVENT_H

#include <linux/types.h>

/* Version of these definitions. A reader refuses a different major (the high 16 bits). */
#define FLT_SCHEMA_VERSION 0x00010000

/*
 * Cause of a fault, derived from the VMA, the access and the page table at the first entry to
 * handle_mm_fault(). Another thread may change the page table before the kernel reads it, so
 * the kind may be out of date for a page that several threads fault on at once.
 */
enum flt_kind {
	FLT_KIND_UNKNOWN = 0,	/* missed by the probe, or not in this list */
	FLT_KIND_ANON,		/* first touch of an anonymous page: zero-fill */
	FLT_KIND_HUGE,		/* huge page for an empty PMD, or write to a huge page */
	FLT_KIND_FILE,		/* page of the page cache (read, exec, or private) */
	FLT_KIND_SHARED,	/* first write to a page of a shared file mapping */
	FLT_KIND_COW,		/* write to a page of a private mapping, which must be copied */
	FLT_KIND_WP,		/* write allowed without a copy: shared file, reuse, uffd-wp */
	FLT_KIND_SWAP,		/* page in swap or in the swap cache */
	FLT_KIND_NUMA,		/* NUMA balancing hint */
	FLT_KIND_MIGRATION,	/* waiting for a page under migration */
	FLT_KIND_UFFD,		/* missing page of a range registered with userfaultfd */
	FLT_KIND_HUGETLB,	/* any fault in a hugetlbfs mapping */
	FLT_KIND_DEVICE,	/* PFN map, device memory, hardware-poisoned entry */
	FLT_KIND_SPURIOUS,	/* page present and access allowed: another thread was first */
	__FLT_KIND_MAX
};
#define FLT_KIND_MAX (__FLT_KIND_MAX - 1)

/* How a fault failed: the first VM_FAULT_ERROR bit in this order. */
enum flt_failure {
	FLT_FAILURE_OOM = 0,
	FLT_FAILURE_SIGBUS,
	FLT_FAILURE_SIGSEGV,
	FLT_FAILURE_HWPOISON,
	FLT_FAILURE_OTHER,	/* only VM_FAULT_FALLBACK, which should not escape */
	__FLT_FAILURE_MAX
};
#define FLT_FAILURE_MAX (__FLT_FAILURE_MAX - 1)

/*
 * Bits returned by handle_mm_fault(), named like VM_FAULT_OOM and so on. A call may return
 * several; most return none.
 */
enum flt_return {
	FLT_RETURN_NONE = 0,
	FLT_RETURN_OOM,
	FLT_RETURN_SIGBUS,
	FLT_RETURN_MAJOR,
	FLT_RETURN_WRITE,	/* up to Linux 6.1 */
	FLT_RETURN_HWPOISON,
	FLT_RETURN_HWPOISON_LARGE,
	FLT_RETURN_SIGSEGV,
	FLT_RETURN_NOPAGE,	/* the handler installed the page or found it installed */
	FLT_RETURN_LOCKED,	/* the handler returned the page locked */
	FLT_RETURN_RETRY,	/* the fault has not ended; latency since its first attempt */
	FLT_RETURN_FALLBACK,
	FLT_RETURN_DONE_COW,
	FLT_RETURN_NEEDDSYNC,
	FLT_RETURN_COMPLETED,	/* ended, and released the lock */
	FLT_RETURN_OTHER,	/* bits not in this list */
	__FLT_RETURN_MAX
};
#define FLT_RETURN_MAX (__FLT_RETURN_MAX - 1)

/*
 * What a fault spent its time on. The parts of a fault add up to its latency. They come from the
 * kernel's delay accounting of the thread (Documentation/accounting/delay-accounting.rst) and
 * its waits for a CPU (sched_info.run_delay), read at both ends of the fault. Delays can contain
 * each other, and the kernel keeps only their sums. So each part is limited to what the parts
 * before it in the order of flt_cause_split() have left.
 */
enum flt_cause {
	FLT_CAUSE_OTHER = 0,	/* the rest */
	FLT_CAUSE_IO,		/* waits for a device, but those of SWAP and THRASHING */
	FLT_CAUSE_SWAP,		/* reading a page of swap: submission and wait */
	FLT_CAUSE_RECLAIM,	/* direct reclaim */
	FLT_CAUSE_COMPACTION,	/* direct compaction */
	FLT_CAUSE_THRASHING,	/* waits for a page that was evicted from the working set */
	FLT_CAUSE_COPY,		/* copying a page, and the rest of a fault that fills a huge page */
	FLT_CAUSE_QUEUE,	/* ready to run, but waiting for a CPU */
	FLT_CAUSE_USERFAULTFD,	/* the rest of a fault that a userfaultfd handler served */
	FLT_CAUSE_UNMEASURED,	/* the rest, if the thread has no delay accounting */
	/*
	 * Not a part of the latency: the wait for mmap_lock before it. If one wait precedes several
	 * faults, it is that of the first one.
	 */
	FLT_CAUSE_LOCK,
	__FLT_CAUSE_MAX
};
#define FLT_CAUSE_MAX (__FLT_CAUSE_MAX - 1)
#define FLT_CAUSE_PARTS FLT_CAUSE_LOCK	/* number of parts, which are the first causes */

/*
 * Latency buckets, in nanoseconds. Below 2^FLT_BUCKET_SHIFT each value has a bucket of its
 * own. Above, each octave has 2^FLT_BUCKET_SHIFT buckets, so the width of a bucket is at most
 * a quarter of its lower edge. The last bucket has no upper limit; it starts at 16 minutes.
 */
#define FLT_BUCKET_SHIFT 2
#define FLT_BUCKET_OCTAVES 40
#define FLT_BUCKETS ((FLT_BUCKET_OCTAVES - FLT_BUCKET_SHIFT + 1) << FLT_BUCKET_SHIFT)

static inline __u32 flt_bucket_of(__u64 ns)
{
	__u32 top;

	if (ns < (1u << FLT_BUCKET_SHIFT))
		return (__u32)ns;
	top = 63 ^ (__u32)__builtin_clzll(ns);
	if (top >= FLT_BUCKET_OCTAVES)
		return FLT_BUCKETS - 1;
	return ((top - FLT_BUCKET_SHIFT) << FLT_BUCKET_SHIFT) +
	       (__u32)(ns >> (top - FLT_BUCKET_SHIFT));
}

/* Return the smallest latency in bucket i. */
static inline __u64 flt_bucket_floor(__u32 i)
{
	__u32 octave = i >> FLT_BUCKET_SHIFT;
	__u64 step = i & ((1u << FLT_BUCKET_SHIFT) - 1);

	if (!octave)
		return i;
	return ((1u << FLT_BUCKET_SHIFT) + step) << (octave - 1);
}

/*
 * A stream is a sequence of slots of 64 bytes in the byte order of the machine, in relay files
 * and netlink messages alike. The byte at offset 56 of the first slot of a record is its
 * type. Records other than faults have at offset 62 the number of further slots, which contain
 * bytes padded with 0. Readers skip unknown types.
 *
 * This is the record of a fault.
 */
struct flt_event_record {
	__u64 time;		/* CLOCK_MONOTONIC ns at the start of the first attempt */
	__u64 address;
	__u64 ip;		/* user instruction; 0: none, fault of a kernel thread */
	__u64 inode;		/* with dev: the mapped file; 0: none */
	__u32 latency;		/* ns from first attempt to end; in 1024 ns with FLT_EVENT_LONG */
	__u32 tgid, tid;	/* thread that faulted, in the PID namespace of the reader */
	__u32 dev;		/* as st_dev: major in bits 8-19, minor in the other bits */
	__u32 page;		/* offset of the page in the file, in pages, modulo 2^32 */
	__u32 stack;		/* stack ID; 0: no stack */
	__u8 type;		/* FLT_EVENT_FAULT */
	__u8 kind;		/* enum flt_kind */
	__u8 attempts;		/* 255: 255 or more */
	__u8 result;		/* enum flt_result */
	__u16 flags;		/* FLT_EVENT_* */
	__u16 weight;		/* number of faults represented: 1 without sampling */
};

/* Records other than faults are *notes*, which explain faults. */
enum flt_event_type {
	FLT_EVENT_FAULT = 1,
	FLT_EVENT_PATH,		/* struct flt_event_path: the name of a file */
	FLT_EVENT_AREA,		/* struct flt_event_area: a mapping */
	FLT_EVENT_LIFE,		/* struct flt_event_life: fork, exec, exit */
	FLT_EVENT_STACK,	/* struct flt_event_stack: the frames of a stack ID */
	FLT_EVENT_SLICE,	/* struct flt_event_slice: registers and a copy of the stack */
	FLT_EVENT_CAUSES,	/* struct flt_event_causes: what a fault spent its time on */
	FLT_EVENT_MOVE,		/* struct flt_event_move: mremap() */
};

enum flt_result {
	FLT_RESULT_MINOR = 0,
	FLT_RESULT_MAJOR,
	FLT_RESULT_FAILED,	/* FLT_RESULT_FAILED + enum flt_failure */
};

#define FLT_EVENT_WRITE (1u << 0)	/* neither WRITE nor EXEC: a read */
#define FLT_EVENT_EXEC (1u << 1)	/* instruction fetch */
#define FLT_EVENT_USER (1u << 2)	/* user mode; else kernel mode in a system call */
#define FLT_EVENT_REMOTE (1u << 3)	/* memory of another process */
#define FLT_EVENT_LONG (1u << 4)	/* latency is in units of 1024 ns */

/*
 * The name of a file. Sent once per file and session, before the first fault in the file on
 * that CPU; its time is that of the fault. The bytes are those of d_path(), seen from the
 * root directory of the process that faulted, without a terminator. Names such as
 * "//anon_hugepage" and "/memfd:NAME" are made by the kernel.
 */
struct flt_event_path {
	__u64 time;
	__u64 reserved[2];
	__u64 inode;
	__u32 length;		/* bytes of the name, in the following slots */
	__u32 tgid, tid;	/* thread whose root directory was used */
	__u32 dev;
	__u32 reserved2[2];
	__u8 type;		/* FLT_EVENT_PATH */
	__u8 reserved3[3];
	__u16 flags;		/* FLT_PATH_* */
	__u16 more;
};
#define FLT_PATH_DELETED (1u << 0)	/* file was deleted; the bytes lack " (deleted)" */
/*
 * No name: it is longer than PATH_MAX, or the thread is exiting. On PREEMPT_RT also files of a
 * dma-buf, and all files if the module cannot find mount_lock.
 */
#define FLT_PATH_CUT (1u << 1)

/*
 * A mapping. Sent when a mapping becomes executable (in a session with NOTES), and when a
 * mapping is first faulted in (in a session with AREAS; again if its extent changes). The
 * following slots contain its anonymous name (PR_SET_VMA_ANON_NAME), if it has one.
 */
struct flt_event_area {
	__u64 time;
	__u64 start, end;
	__u64 inode;		/* with dev: see struct flt_event_path; 0: anonymous */
	__u32 length;		/* bytes of the anonymous name */
	__u32 tgid, tid;
	__u32 dev;
	__u32 page;		/* offset of start in the file, in pages, modulo 2^32 */
	__u32 reserved;
	__u8 type;		/* FLT_EVENT_AREA */
	__u8 of;		/* enum flt_area */
	__u8 protection;	/* 1 read, 2 write, 4 exec, as PROT_* */
	__u8 reserved2;
	__u16 flags;		/* FLT_AREA_* */
	__u16 more;
};

enum flt_area {
	FLT_AREA_ANON = 0,
	FLT_AREA_HEAP,
	FLT_AREA_STACK,		/* stack of the main thread */
	FLT_AREA_FILE,
	FLT_AREA_SHMEM,		/* tmpfs, memfd, System V, shared anonymous */
	FLT_AREA_HUGETLB,
	FLT_AREA_VDSO,		/* vdso or vvar */
	FLT_AREA_DEVICE,
	__FLT_AREA_MAX
};
#define FLT_AREA_SHARED (1u << 0)
#define FLT_AREA_LOCKED (1u << 1)	/* mlock()ed */
#define FLT_AREA_MADE (1u << 2)		/* was just mapped or made executable */

/* Fork, exec or exit of a thread, in a session with NOTES. */
struct flt_event_life {
	__u64 time;
	__u64 reserved[2];
	__u64 inode;		/* EXEC: with dev, the program; see struct flt_event_path */
	__u32 code;		/* EXIT: status as in wait4(); FORK: 0 */
	__u32 tgid, tid;	/* FORK: the new thread */
	__u32 dev;
	__u32 parent_tgid, parent_tid;	/* FORK: the thread that called fork */
	__u8 type;		/* FLT_EVENT_LIFE */
	__u8 what;		/* enum flt_life */
	__u8 reserved2[2];
	__u16 flags;		/* 0 */
	__u16 more;		/* 1: one slot with the name (comm), 16 bytes and padding */
};

enum flt_life {
	FLT_LIFE_FORK = 1,	/* or clone(); a new thread if tid is not tgid */
	FLT_LIFE_EXEC,
	FLT_LIFE_EXIT,
};

/*
 * The frames of a stack ID: user addresses, innermost first, the first is the instruction. Sent
 * once per ID and session, before the first fault with the ID; sent again if the note was
 * lost, or if two CPUs used the ID at the same time. An ID keeps its meaning for the whole
 * session, so a note is valid for faults on all CPUs, whatever their times.
 */
struct flt_event_stack {
	__u64 time;
	__u64 reserved[3];
	__u32 depth;		/* number of addresses, in the following slots */
	__u32 tgid, tid;
	__u32 reserved2[2];
	__u32 stack;		/* stack ID, from 1 */
	__u8 type;		/* FLT_EVENT_STACK */
	__u8 cut;		/* enum flt_cut: why the stack ends */
	__u8 reserved3[2];
	__u16 flags;		/* FLT_STACK_ONCE */
	__u16 more;
};
#define FLT_STACK_ONCE (1u << 0)	/* the table is full: the ID is valid for one fault only */

enum flt_cut {
	FLT_CUT_NONE = 0,	/* complete: ends with a frame pointer of 0 */
	FLT_CUT_DEPTH,		/* truncated: more frames than requested */
	FLT_CUT_MEMORY,		/* truncated: a frame is not in memory */
	FLT_CUT_ORDER,		/* truncated: a frame pointer below the previous one */
	FLT_CUT_MODE,		/* 32-bit code: only the instruction is known */
};

/*
 * A copy of the user stack, for unwinding later. It belongs to the next fault on the same CPU,
 * which has the same time and tid. The following slots contain struct flt_event_registers, then
 * length bytes from sp upwards.
 */
struct flt_event_slice {
	__u64 time;
	__u64 sp;
	__u64 reserved[2];
	__u32 length;
	__u32 tgid, tid;
	__u32 reserved2[3];
	__u8 type;		/* FLT_EVENT_SLICE */
	__u8 reserved3[3];
	__u16 flags;		/* 0 */
	__u16 more;
};

/*
 * Numbered as in DWARF. x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip. arm64: x0..x30 sp,
 * then pc.
 */
#ifdef __aarch64__
#define FLT_EVENT_REGISTERS 33
#else
#define FLT_EVENT_REGISTERS 17
#endif
struct flt_event_registers {
	__u64 dwarf[FLT_EVENT_REGISTERS];
	__u64 reserved[7];	/* pads to whole slots: three, or five on arm64 */
};

/*
 * What a fault spent its time on. It belongs to the next fault on the same CPU, which has the same
 * time and tid. The first FLT_CAUSE_PARTS parts add up to the latency of the fault. With
 * FLT_EVENT_LONG each part is rounded down.
 */
struct flt_event_causes {
	__u64 time;
	__u32 part[11];		/* ns, or 1024 ns with FLT_EVENT_LONG; by enum flt_cause */
	__u32 tid;
	__u8 type;		/* FLT_EVENT_CAUSES */
	__u8 reserved[3];
	__u16 flags;		/* FLT_EVENT_LONG */
	__u16 more;		/* 0 */
};

/*
 * The pages of [from, from + length) were moved to another address (mremap()), where whatever was
 * mapped before is gone. In a session with AREAS.
 */
struct flt_event_move {
	__u64 time;
	__u64 from, to, length;
	__u32 reserved;
	__u32 tgid, tid;
	__u32 reserved2[3];
	__u8 type;		/* FLT_EVENT_MOVE */
	__u8 reserved3[3];
	__u16 flags;		/* 0 */
	__u16 more;		/* 0 */
};

/*
 * Header of a sub-buffer; records follow without gaps. The counts are for this CPU, from the
 * start of the session to this header. So a reader knows how many records were lost before
 * the first record of the sub-buffer. Losses after the last header are only in
 * FLT_CMD_SESSION_GET.
 */
struct flt_subbuf {
	__u32 magic;		/* FLT_SUBBUF_MAGIC */
	__u32 cpu;
	__u64 sequence;		/* per CPU, from 0 */
	__u64 time;		/* CLOCK_MONOTONIC ns at the start of the sub-buffer */
	__u64 written;		/* faults written before this header */
	__u64 lost_full;	/* faults lost before this header: all sub-buffers were full */
	__u64 lost_notes;	/* notes lost before this header */
	__u64 reserved[2];	/* 0 */
};
#define FLT_SUBBUF_MAGIC 0x31746c66u	/* "flt1" */

#endif
