/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * teams.h - the threads of processes, from one look to the next.
 *
 * Not every process's threads are looked at each time. What is new in a thread is
 * known only if the last look at its process is known, or if the process began since.
 */
#ifndef FLT_MODEL_THREAD_RATES_H
#define FLT_MODEL_THREAD_RATES_H

#include "account/account.h"

struct flt_process_threads {
	uint64_t id;		/* of the process */
	struct flt_rows threads;
};

/* Begins zeroed. */
struct flt_thread_rates {
	struct flt_process_threads *team;	/* by id */
	size_t count, room;
};

void flt_thread_rates_free(struct flt_thread_rates *teams);

bool flt_thread_rates_has(const struct flt_thread_rates *teams, uint64_t id);

/* The process is new: so will be all that its threads did. -ENOMEM. */
int flt_thread_rates_begin(struct flt_thread_rates *teams, uint64_t id);

/*
 * A look at a process: all its threads, or when torn some of them, in any order and with
 * ids of their own. Takes them, and leaves the list empty. Those that faulted since the
 * last look are added to news, each with what is new in its account; if there was no
 * last look, none. -ENOMEM.
 */
int flt_thread_rates_add(struct flt_thread_rates *teams, uint64_t id, bool torn, struct flt_rows *threads,
		   struct flt_rows *news);

/* No look was taken when there should have been one: the next will be the first. */
void flt_thread_rates_forget(struct flt_thread_rates *teams, uint64_t id);
/* Forgets those that have ended, or are not in the list, which is ordered by id. */
void flt_thread_rates_keep(struct flt_thread_rates *teams, const struct flt_rows *procs);

#endif
