/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_sample.h - registers of a thread's latest page faults, from its perf ring. */
#ifndef FLT_REC_PERF_SAMPLE_H
#define FLT_REC_PERF_SAMPLE_H

#include "thread.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_perf_sample {
	struct rec_regs regs;
	uint64_t time, address;
	uint16_t cpu;
	bool in_kernel;		/* raised in a system call; regs are from its entry */
};

/*
 * Map a perf ring of a thread's page faults. Return NULL on error. The kernel writes the samples of
 * all events of a fault from the same data, beginning with the youngest event. So this event must
 * be younger than one that samples more, or its samples do not have the size that is expected.
 */
void *rec_perf_sample_open(uint32_t tid);
void rec_perf_sample_close(void *ring);
/*
 * Give a thread a ring. An older one stays in perf_before, because the thread may sleep in a fault
 * whose sample is there. Return false on error. The caller holds the pager lock, or the thread has
 * no ring yet.
 */
bool rec_perf_sample_renew(struct rec_thread *t);
/* Close the older ring, if there is one: the thread's fault is described. */
void rec_perf_sample_close_older(struct rec_thread *t);
/*
 * Find the sample of the fault on `page` in which the thread sleeps. Return false if there is
 * none. t may be NULL.
 */
bool rec_perf_sample_find(const struct rec_thread *t, uintptr_t page, struct rec_perf_sample *s);
/*
 * Get the sample of the thread's latest user-mode fault in the region. Return false if that
 * fault was not raised by the instruction at ip, or was resolved before.
 */
bool rec_perf_sample_last(const struct rec_thread *t, uint64_t ip, struct rec_perf_sample *s);
/* Return the address of the thread's latest fault, or 0. */
uintptr_t rec_perf_sample_address(const struct rec_thread *t);

#endif
