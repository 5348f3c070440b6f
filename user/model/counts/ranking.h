/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranking.h - rows of one interval, to sort, search and add up.
 *
 * A row is a process, a thread, a file, a cgroup or a kind. `known` says which values are known;
 * unknown values are 0 or empty.
 */
#ifndef FLT_MODEL_RANKING_H
#define FLT_MODEL_RANKING_H

#include "model/counts/hist.h"

#define FLT_RANK_NAME 256

enum flt_rank_key {
	FLT_RANK_PID, FLT_RANK_TID, FLT_RANK_COMM, FLT_RANK_MINOR, FLT_RANK_MAJOR, FLT_RANK_FAILED,
	FLT_RANK_FAULTS, FLT_RANK_P99, FLT_RANK_TIME, FLT_RANK_RSS, FLT_RANK_READ, FLT_RANK_FILE,
	__FLT_RANK_MAX
};

struct flt_rank {
	uint32_t pid, tid;
	char name[FLT_RANK_NAME];	/* comm, path, cgroup or kind; bytes from outside */
	char file[FLT_RANK_NAME];	/* file with most of its major faults */
	uint64_t minor, major, failed;	/* in the interval */
	uint64_t time;			/* ns in faults */
	uint64_t p99;			/* ns, upper bound; 0: unknown */
	uint64_t rss, read;		/* bytes; `read`: from storage, in the interval */
	uint64_t octaves[FLT_OCTAVES];	/* from which p99 is computed */
	uint32_t known;			/* bits of enum flt_rank_key */
};

struct flt_ranking {
	struct flt_rank *rank;
	size_t count, room;
	size_t shown;		/* rows that match flt_ranking_search(): the first ones */
};

/* Add a row with the changes of an account. Return NULL without memory. */
struct flt_rank *flt_ranking_add(struct flt_ranking *ranking, const struct flt_account *account,
				 uint32_t known);
void flt_ranking_free(struct flt_ranking *ranking);

/* Add counts and octaves of one row to another. */
void flt_rank_merge(struct flt_rank *rank, const struct flt_rank *more);
/* Compute p99 from the octaves. */
void flt_rank_settle(struct flt_rank *rank);

/*
 * Sort the shown rows, largest first, names from A. Ties are sorted by faults, then by id, so that
 * rows do not jump between intervals.
 */
void flt_ranking_sort(struct flt_ranking *ranking, enum flt_rank_key key, bool reverse);
/*
 * Show only rows whose name or pid contains the text, ignoring case. The other rows are moved
 * after them.
 */
void flt_ranking_search(struct flt_ranking *ranking, const char *text);
/* Merge rows of the same name, for cgroups. */
void flt_ranking_join(struct flt_ranking *ranking);

#endif
