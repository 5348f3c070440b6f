/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampling.h - --sample: which faults are recorded. Callers hold the pager lock. */
#ifndef FLT_REC_SAMPLING_H
#define FLT_REC_SAMPLING_H

#include <flt_ring.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Get one record for all faults of one kind that were skipped before `now` in a window that has
 * ended. Return false if there are none, or no more.
 */
bool rec_sampling_rest(uint64_t now, struct flt_ring_fault *f);
/*
 * Return the number of faults that a record of this one represents, or 0 to skip it. now: when the
 * fault was resolved. Call rec_sampling_rest() first.
 */
uint32_t rec_sampling_weight(const struct flt_ring_fault *f, uint64_t now);
/* Get one record for all skipped faults of one kind. Return false if there are none. */
bool rec_sampling_flush(struct flt_ring_fault *f);
/* Forget skipped faults, in a forked child, because the parent records them. */
void rec_sampling_reset(void);

#endif
