/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wss_round - the work of a tracker. A round
 *   - adds the processes that moved into the tracker's cgroup,
 *   - scans each process of the tracker and stores a sample,
 *   - frees slots of ended processes if slots are scarce,
 *   - queues the next round: an interval after this one was due, or later if the scans
 *     would otherwise exceed the budget.
 */
#ifndef FLT_WSS_ROUND_H
#define FLT_WSS_ROUND_H

struct flt_wss_tracker;

int flt_wss_round_init(void);
/* No tracker may be left. */
void flt_wss_round_exit(void);

/* Initialize the work of a new tracker. */
void flt_wss_round_prepare(struct flt_wss_tracker *tr);
/* Start the first round at once. */
void flt_wss_round_start(struct flt_wss_tracker *tr);

#endif
