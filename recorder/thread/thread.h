/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread.h - the table of the program's threads. */
#ifndef FLT_REC_THREAD_H
#define FLT_REC_THREAD_H

#include "unwind/backtrace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_THREADS 4096u	/* slots: open addressing by tid; a power of two */

struct rec_thread {
	uint32_t tid;		/* 0 = free slot */
	bool watched;		/* counted in rec_threads.watched */
	bool in_chain;		/* slot was used before; lookups must not stop here */
	void *perf;		/* mapped perf ring of its page faults, or NULL */
	void *perf_before;	/* an older one, with the sample of a fault that lasts, or NULL */
	void *touches;		/* mapped perf ring of its touches of granted pages, or NULL */
	size_t last_touch;	/* page of its last first touch that is known, plus 1; 0 = none */
	bool too_deep;		/* its stack is larger than the copies in that ring */
	uint64_t fault_time;	/* time of the last resolved fault; older samples belong to
				 * earlier faults */
	uint64_t sample_time;	/* time of the perf sample that belongs to that fault */
	uint64_t armed;		/* when path A was armed: it has no signal of earlier faults */
	uint64_t last_running;	/* last time the thread was seen running (path A only) */
	struct rec_stack stack;
	/* Path A. All NULL if the server serves the thread. */
	void *user_event, *kernel_event;	/* mappings that keep the perf events alive */
	void *altstack;
	struct rec_backtrace *backtrace;	/* buffer of the signal handler */
	uintptr_t ejected;	/* address of the last fault, if its page is not limited; else 0 */
};

struct rec_threads {
	struct rec_thread slot[REC_THREADS];
	bool inlined;		/* path A is on: threads resolve their user-mode faults */
	uint32_t handling;	/* threads in the signal handler */
	int filter;		/* path A: BPF program of the perf events, or -errno */
	uint32_t watched;	/* threads without path A; if > 0, the server polls the uffd */
	uint32_t solo;		/* the only thread, or 0: see solo.h */
	bool begun;		/* a thread has begun */
};
extern struct rec_threads rec_threads __attribute__((visibility("hidden")));

/* Return the slot of a thread, or NULL. */
struct rec_thread *rec_thread_find(uint32_t tid);
/* Return the slot of the calling thread, allocated if need be. NULL: the table is full. */
struct rec_thread *rec_thread_add(uint32_t tid);
/* Free a slot. The caller unmaps its mappings. */
void rec_thread_remove(struct rec_thread *t);
/* Note that a fault of a thread was resolved. Times as in struct rec_thread. */
void rec_thread_resolved(uint32_t tid, uint64_t fault_time, uint64_t sample_time);
/* Let the server resolve the faults of a thread, or no more. The caller wakes the server. */
void rec_thread_watch(struct rec_thread *t);
void rec_thread_unwatch(struct rec_thread *t);
/* Forget all threads, in a forked child. Fork did not copy their perf rings. */
void rec_thread_reset(void);

#endif
