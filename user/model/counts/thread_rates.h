/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread_rates.h - what the threads of processes did between two snapshots.
 *
 * Snapshots of threads are taken for some processes at a time. Changes of a thread are known only
 * if the previous snapshot of its process is known, or if the process started since then.
 */
#ifndef FLT_MODEL_THREAD_RATES_H
#define FLT_MODEL_THREAD_RATES_H

#include "account/account.h"

struct flt_process_threads {
	uint64_t id;		/* of the process */
	struct flt_rows threads;	/* the last snapshot */
};

/* A struct that is all zero is empty and ready for use. */
struct flt_thread_rates {
	struct flt_process_threads *process;	/* by id */
	size_t count, room;
};

void flt_thread_rates_free(struct flt_thread_rates *rates);

/* Return whether the last snapshot of a process is known. */
bool flt_thread_rates_has(const struct flt_thread_rates *rates, uint64_t id);

/* Add a process that just started, so all counts of its threads are changes. Return -ENOMEM. */
int flt_thread_rates_begin(struct flt_thread_rates *rates, uint64_t id);

/*
 * Add a snapshot of all threads of a process, in any order, identified by ids of their own. torn:
 * some threads may be missing. Take the list over and leave it empty. Append the changes of
 * threads that faulted since the last snapshot to `news`; without a last snapshot, append nothing.
 * Return -ENOMEM.
 */
int flt_thread_rates_add(struct flt_thread_rates *rates, uint64_t id, bool torn,
			 struct flt_rows *threads, struct flt_rows *news);

/* Forget a process, because a snapshot was left out: its next snapshot counts as the first. */
void flt_thread_rates_forget(struct flt_thread_rates *rates, uint64_t id);
/* Forget processes that have ended or are not in the list, which must be sorted by id. */
void flt_thread_rates_keep(struct flt_thread_rates *rates, const struct flt_rows *procs);

#endif
