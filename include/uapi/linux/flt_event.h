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
 * A fault as it streams: the same 64 bytes in relay files, netlink and on the
 * way to a file. In the machine's byte order.
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

enum flt_event_type {
	FLT_EVENT_FAULT = 1,
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
	__u64 written;		/* records written before it */
	__u64 lost_full;	/* records lost before it: all sub-buffers were full */
	__u64 reserved[3];	/* 0 */
};
#define FLT_SUBBUF_MAGIC 0x31746c66u	/* "flt1" */

#endif
