/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_fault.h - a fault on a page of the region. */
#ifndef FLT_REC_PAGE_FAULT_H
#define FLT_REC_PAGE_FAULT_H

#include "unwind/backtrace.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_fault {
	uint64_t time;		/* when the fault was first seen */
	uint64_t asleep;	/* path B: when the server saw that its thread sleeps in it */
	uint64_t sample_time;	/* time of the perf sample of this fault, 0 = none */
	uintptr_t address;
	uint64_t ip;
	uint64_t sp;		/* 0 = not known */
	uint32_t tid;
	const struct rec_backtrace *backtrace;	/* NULL = not known */
	uint16_t cpu;
	uint8_t flags;		/* FLT_RING_F_* */
	uint8_t frames;		/* depth of the backtrace, at most 255 */
	bool probably_done;	/* do not record the fault if the page is there already */
	bool granted;		/* the kernel filled the page by itself */
	bool caller_wakes;	/* the caller wakes the waiters of the page */
	bool far;		/* set by the pager: came over the link, wake its waiters later */
};

/* Add a backtrace to a fault. truncated: the result of rec_backtrace_take() or its like. */
static inline void rec_fault_add_stack(struct rec_fault *f, const struct rec_backtrace *b,
				       uint8_t truncated)
{
	f->flags |= truncated;
	f->frames = (uint8_t)(b->count > 255 ? 255 : b->count);
	f->backtrace = b;
}

enum rec_outcome {
	FAULT_DONE,		/* the page is there and its waiters were woken */
	FAULT_RETRY,		/* the kernel or a freeze prevents it for now: try again later */
};

/* Bring in the page of a fault, evict if need be, and record the fault. Pager lock held. */
enum rec_outcome rec_fault_resolve(struct rec_fault *f);
/*
 * Fill the page at `address` for the owner of the pager lock, which sleeps in a fault on it. Count
 * the fault, without a record.
 * Only the server calls this, without the lock. Return false if the kernel refuses until the
 * message of a fork or mremap() is read.
 */
bool rec_fault_rescue(uintptr_t address);

#endif
