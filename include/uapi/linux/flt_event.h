/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * flt_event.h - the vocabulary of a fault: kinds, results, latency buckets.
 *
 * Shared by the kernel module, fltctl and the tests; the bucket arithmetic at
 * the end compiles unchanged in all of them.
 *
 * A fault is counted by the rule of mm_account_fault() in mm/memory.c:
 *   - a call of handle_mm_fault() that returns VM_FAULT_RETRY is an *attempt*
 *     that has not ended; it is counted as "retried" and nothing else;
 *   - one that returns any bit of VM_FAULT_ERROR is "failed";
 *   - any other is "major" if it returned VM_FAULT_MAJOR or was called with
 *     FAULT_FLAG_TRIED, and "minor" if not.
 * So for every process calls = minor + major + failed + retried.
 */
#ifndef _UAPI_LINUX_FLT_EVENT_H
#define _UAPI_LINUX_FLT_EVENT_H

#include <linux/types.h>

/* Version of the vocabulary; a reader refuses another major (the high 16 bits). */
#define FLT_SCHEMA_VERSION 0x00010000

/*
 * What the fault was for, decided from the VMA, the access and the page table
 * when handle_mm_fault() is entered for the first time. Another thread may
 * change the page table between that look and the kernel's own, so a kind can
 * be one step stale on a page that several threads fault at once.
 */
enum flt_kind {
	FLT_KIND_UNKNOWN = 0,	/* missed by the probe, or a state not listed */
	FLT_KIND_ANON,		/* first touch of an anonymous page: zero-fill */
	FLT_KIND_HUGE,		/* huge-page sized fill of an empty PMD, or write to one */
	FLT_KIND_FILE,		/* page-cache page mapped (read, exec, or private) */
	FLT_KIND_SHARED,	/* write to a page of a shared mapping not yet mapped */
	FLT_KIND_COW,		/* write to a page of a private mapping that must be copied */
	FLT_KIND_WP,		/* write made legal without a copy: shared file, reuse, uffd-wp */
	FLT_KIND_SWAP,		/* page in swap, or in the swap cache */
	FLT_KIND_NUMA,		/* NUMA balancing hint */
	FLT_KIND_MIGRATION,	/* wait for a page under migration */
	FLT_KIND_UFFD,		/* missing page of a range registered with userfaultfd */
	FLT_KIND_HUGETLB,	/* any fault in a hugetlbfs mapping */
	FLT_KIND_DEVICE,	/* PFN map, device memory, hardware-poisoned entry */
	FLT_KIND_SPURIOUS,	/* page present and access allowed: another thread was first */
	__FLT_KIND_MAX
};
#define FLT_KIND_MAX (__FLT_KIND_MAX - 1)

/* How a failed fault failed; the first VM_FAULT_ERROR bit in this order. */
enum flt_failure {
	FLT_FAILURE_OOM = 0,
	FLT_FAILURE_SIGBUS,
	FLT_FAILURE_SIGSEGV,
	FLT_FAILURE_HWPOISON,
	FLT_FAILURE_OTHER,	/* VM_FAULT_FALLBACK escaping: never seen */
	__FLT_FAILURE_MAX
};
#define FLT_FAILURE_MAX (__FLT_FAILURE_MAX - 1)

/*
 * What handle_mm_fault() returned: the bits of vm_fault_t by the kernel's names,
 * VM_FAULT_OOM and so on. A call may return several; most return none.
 */
enum flt_return {
	FLT_RETURN_NONE = 0,
	FLT_RETURN_OOM,
	FLT_RETURN_SIGBUS,
	FLT_RETURN_MAJOR,
	FLT_RETURN_WRITE,	/* until Linux 6.1 */
	FLT_RETURN_HWPOISON,
	FLT_RETURN_HWPOISON_LARGE,
	FLT_RETURN_SIGSEGV,
	FLT_RETURN_NOPAGE,	/* the handler installed the page, or found it installed */
	FLT_RETURN_LOCKED,	/* the handler returned the page locked */
	FLT_RETURN_RETRY,	/* the fault has not ended; by the time since its first attempt */
	FLT_RETURN_FALLBACK,
	FLT_RETURN_DONE_COW,
	FLT_RETURN_NEEDDSYNC,
	FLT_RETURN_COMPLETED,	/* ended, with the lock given up meanwhile */
	FLT_RETURN_OTHER,	/* bits that have no name here */
	__FLT_RETURN_MAX
};
#define FLT_RETURN_MAX (__FLT_RETURN_MAX - 1)

/*
 * Latency buckets, in nanoseconds: below 2^FLT_BUCKET_SHIFT one each; above,
 * 2^FLT_BUCKET_SHIFT to the octave, so a bucket is at most a quarter of its
 * lower edge wide. The last bucket is open upwards, from 16 minutes on.
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

/* The smallest latency that falls into bucket i. */
static inline __u64 flt_bucket_floor(__u32 i)
{
	__u32 octave = i >> FLT_BUCKET_SHIFT;
	__u64 step = i & ((1u << FLT_BUCKET_SHIFT) - 1);

	if (!octave)
		return i;
	return ((1u << FLT_BUCKET_SHIFT) + step) << (octave - 1);
}

/*
 * Records stream as slots of 64 bytes, the same in relay files, netlink and on the
 * way to a file, in the machine's byte order. In every first slot the byte at
 * offset 56 is its type; records other than faults say at offset 62 how many slots
 * follow that belong to them (bytes, padded with 0). A reader skips types that it
 * does not know.
 *
 * A fault. What it was for, who ran, where.
 */
struct flt_event_record {
	__u64 time;		/* CLOCK_MONOTONIC ns at which the first attempt began */
	__u64 address;
	__u64 ip;		/* user instruction; 0: none, the kernel faulted for itself */
	__u64 inode;		/* with dev: the file mapped there; 0: none */
	__u32 latency;		/* ns, first attempt to last; FLT_EVENT_LONG: in units of 1024 ns */
	__u32 tgid, tid;	/* who ran, in the initial PID namespace */
	__u32 dev;		/* as in st_dev: major in bits 8-19, minor in the others */
	__u32 page;		/* offset of the page in the file, in pages, modulo 2^32 */
	__u32 stack;		/* 0: none taken */
	__u8 type;		/* FLT_EVENT_FAULT */
	__u8 kind;		/* enum flt_kind */
	__u8 attempts;		/* 255: or more */
	__u8 result;		/* enum flt_result */
	__u16 flags;		/* FLT_EVENT_* */
	__u16 weight;		/* faults that this one stands for: 1 without sampling */
};

/* All but faults are *notes*: what a reader needs to understand faults. */
enum flt_event_type {
	FLT_EVENT_FAULT = 1,
	FLT_EVENT_PATH,		/* struct flt_event_path: the name of a file */
	FLT_EVENT_AREA,		/* struct flt_event_area: a mapping */
	FLT_EVENT_LIFE,		/* struct flt_event_life: fork, exec, exit */
	FLT_EVENT_STACK,	/* struct flt_event_stack: the frames of a stack ID */
	FLT_EVENT_SLICE,	/* struct flt_event_slice: registers and a copy of the stack */
};

enum flt_result {
	FLT_RESULT_MINOR = 0,
	FLT_RESULT_MAJOR,
	FLT_RESULT_FAILED,	/* + enum flt_failure */
};

#define FLT_EVENT_WRITE (1u << 0)	/* a write; else a read, or */
#define FLT_EVENT_EXEC (1u << 1)	/* an instruction fetch */
#define FLT_EVENT_USER (1u << 2)	/* user mode; else the kernel on its behalf */
#define FLT_EVENT_REMOTE (1u << 3)	/* memory of another process */
#define FLT_EVENT_LONG (1u << 4)	/* unit of latency */

/*
 * The name of a file, sent once for each file and session, before the first fault
 * in it on that CPU: in time order by its own time. Bytes as d_path() gives them,
 * from the root of the process that faulted; not terminated. "//anon_hugepage",
 * "/memfd:NAME" and the like are names as the kernel makes them.
 */
struct flt_event_path {
	__u64 time;
	__u64 reserved[2];
	__u64 inode;
	__u32 length;		/* bytes of the name in the slots that follow */
	__u32 tgid, tid;	/* whose root it is seen from */
	__u32 dev;
	__u32 reserved2[2];
	__u8 type;		/* FLT_EVENT_PATH */
	__u8 reserved3[3];
	__u16 flags;		/* FLT_PATH_* */
	__u16 more;
};
#define FLT_PATH_DELETED (1u << 0)	/* no name any more; " (deleted)" is not part of the bytes */
#define FLT_PATH_CUT (1u << 1)		/* longer than PATH_MAX or not to be had */

/*
 * A mapping: made executable (always, in a session with NOTES), or first faulted
 * in (in a session with AREAS, once for each extent that it has had). What the
 * slots hold is its anonymous name (PR_SET_VMA_ANON_NAME), if it has one.
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
	FLT_AREA_STACK,		/* of the main thread */
	FLT_AREA_FILE,
	FLT_AREA_SHMEM,		/* tmpfs, memfd, System V, shared anonymous */
	FLT_AREA_HUGETLB,
	FLT_AREA_VDSO,		/* and vvar */
	FLT_AREA_DEVICE,
	__FLT_AREA_MAX
};
#define FLT_AREA_SHARED (1u << 0)
#define FLT_AREA_LOCKED (1u << 1)	/* mlock()ed */
#define FLT_AREA_MADE (1u << 2)		/* has just been mapped or made executable */

/* What became of a thread, in a session with NOTES. */
struct flt_event_life {
	__u64 time;
	__u64 reserved[2];
	__u64 inode;		/* EXEC: with dev, the program; see struct flt_event_path */
	__u32 code;		/* EXIT: as wait4() has it; FORK: 0 */
	__u32 tgid, tid;	/* FORK: the new one */
	__u32 dev;
	__u32 parent_tgid, parent_tid;	/* FORK: who made it */
	__u8 type;		/* FLT_EVENT_LIFE */
	__u8 what;		/* enum flt_life */
	__u8 reserved2[2];
	__u16 flags;		/* 0 */
	__u16 more;		/* 1 more slot: the name (comm), 16 bytes and padding */
};

enum flt_life {
	FLT_LIFE_FORK = 1,	/* or clone(): a thread when tid is not tgid */
	FLT_LIFE_EXEC,
	FLT_LIFE_EXIT,
};

/*
 * The frames of a stack ID, innermost first: user addresses, the first is the
 * instruction. Sent once for each ID and session, before the first fault with it;
 * again if it was lost, or if two CPUs were first. An ID keeps its meaning for all
 * of a session, so that a note says it for faults on other CPUs, whatever the times.
 */
struct flt_event_stack {
	__u64 time;
	__u64 reserved[3];
	__u32 depth;		/* addresses in the slots that follow */
	__u32 tgid, tid;
	__u32 reserved2[2];
	__u32 stack;		/* the ID, from 1 */
	__u8 type;		/* FLT_EVENT_STACK */
	__u8 cut;		/* enum flt_cut: why it ends where it does */
	__u8 reserved3[2];
	__u16 flags;		/* FLT_STACK_ONCE */
	__u16 more;
};
#define FLT_STACK_ONCE (1u << 0)	/* no room left to remember it: good for the next fault only */

enum flt_cut {
	FLT_CUT_NONE = 0,	/* a frame pointer of 0: the end, as it should be */
	FLT_CUT_DEPTH,		/* deeper than asked for */
	FLT_CUT_MEMORY,		/* a frame that is not in memory */
	FLT_CUT_ORDER,		/* a frame pointer that goes down: no frame pointers there */
	FLT_CUT_MODE,		/* 32-bit code: only the instruction is known */
};

/*
 * A copy of the stack of the fault that follows on the same CPU with the same
 * time and tid, for unwinding later: in the slots first struct flt_event_registers,
 * then length bytes from sp upwards.
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

/* In the order of x86-64's DWARF numbers: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip. */
struct flt_event_registers {
	__u64 dwarf[17];
	__u64 reserved[7];	/* to three slots */
};

/*
 * Head of a relay sub-buffer; records follow without gaps. Counts are since the
 * session began, on this CPU, up to the head: so a reader knows that what is
 * missing was lost before the first record here, and how much. What was lost
 * after the last head is in FLT_CMD_SESSION_GET.
 */
struct flt_subbuf {
	__u32 magic;		/* FLT_SUBBUF_MAGIC */
	__u32 cpu;
	__u64 sequence;		/* from 0, of this CPU */
	__u64 time;		/* CLOCK_MONOTONIC ns when the sub-buffer was begun */
	__u64 written;		/* faults written before it */
	__u64 lost_full;	/* faults lost before it: all sub-buffers were full */
	__u64 lost_notes;	/* records of other types lost before it */
	__u64 reserved[2];	/* 0 */
};
#define FLT_SUBBUF_MAGIC 0x31746c66u	/* "flt1" */

#endif
