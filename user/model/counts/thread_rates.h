/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread_rates.h - differences of the counters of threads between two snapshots.
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
	uint32_t count, room;
};

void flt_thread_rates_free(struct flt_thread_rates *rates);

/* Return true if the last snapshot of a process is known. */
bool flt_thread_rates_has(const struct flt_thread_rates *rates, uint64_t id);

/* Add a process that just started, so all counts of its threads are changes. Return -ENOMEM. */
int flt_thread_rates_begin(struct flt_thread_rates *rates, uint64_t id);

/*
 * Add a snapshot of all threads of a process, in any order. id: of the process. torn: some
 * threads may be missing. The function takes the contents of the list and leaves it empty. Append
 * the changes of threads that faulted since the last snapshot to `news`. Without a last snapshot,
 * append nothing. Return -ENOMEM.
 */
int flt_thread_rates_add(struct flt_thread_rates *rates, uint64_t id, bool torn,
			 struct flt_rows *threads, struct flt_rows *news);

/* Forget a process of which a snapshot was skipped. Its next snapshot counts as the first. */
void flt_thread_rates_forget(struct flt_thread_rates *rates, uint64_t id);
/* Forget processes that have ended or are not in the list, which must be sorted by id. */
void flt_thread_rates_keep(struct flt_thread_rates *rates, const struct flt_rows *procs);

#endif
