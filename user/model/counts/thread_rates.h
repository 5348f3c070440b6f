/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * teams.h - the threads of processes, from one look to the next.
 *
 * Not every process's threads are looked at each time. What is new in a thread is
 * known only if the last look at its process is known, or if the process began since.
 */
#ifndef FLT_MODEL_TEAMS_H
#define FLT_MODEL_TEAMS_H

#include "account/account.h"

struct flt_team {
	uint64_t id;		/* of the process */
	struct flt_rows threads;
};

/* Begins zeroed. */
struct flt_teams {
	struct flt_team *team;	/* by id */
	size_t count, room;
};

void flt_teams_free(struct flt_teams *teams);

bool flt_teams_has(const struct flt_teams *teams, uint64_t id);

/* The process is new: so will be all that its threads did. -ENOMEM. */
int flt_teams_begin(struct flt_teams *teams, uint64_t id);

/*
 * A look at a process: all its threads, or when torn some of them, in any order and with
 * ids of their own. Takes them, and leaves the list empty. Those that faulted since the
 * last look are added to news, each with what is new in its account; if there was no
 * last look, none. -ENOMEM.
 */
int flt_teams_look(struct flt_teams *teams, uint64_t id, bool torn, struct flt_rows *threads,
		   struct flt_rows *news);

/* No look was taken when there should have been one: the next will be the first. */
void flt_teams_forget(struct flt_teams *teams, uint64_t id);
/* Forgets those that have ended, or are not in the list, which is ordered by id. */
void flt_teams_keep(struct flt_teams *teams, const struct flt_rows *procs);

#endif
