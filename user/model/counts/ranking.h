/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranking.h - who faults most: rows of one interval, put in order, sifted, summed.
 *
 * A row is a process, a thread, a file, a cgroup or a kind; what is not known of
 * it is 0 or empty, and known says what is.
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
	char file[FLT_RANK_NAME];	/* most of its major faults were in */
	uint64_t minor, major, failed;	/* in the interval */
	uint64_t time;			/* ns in faults */
	uint64_t p99;			/* ns, at most; 0: not known */
	uint64_t rss, read;		/* bytes; read from storage in the interval */
	uint64_t octaves[FLT_OCTAVES];	/* what p99 comes from */
	uint32_t known;			/* bits of enum flt_rank_key */
};

struct flt_ranking {
	struct flt_rank *rank;
	size_t count, room;
	size_t shown;		/* the first so many: all, until they are sifted */
};

/* A row of an account's changes, zeroed otherwise. NULL: no memory. */
struct flt_rank *flt_ranking_add(struct flt_ranking *ranking, const struct flt_account *account,
				 uint32_t known);
void flt_ranking_free(struct flt_ranking *ranking);

/* A bar is put to more: all counts and octaves. */
void flt_rank_merge(struct flt_rank *rank, const struct flt_rank *more);
/* p99 from the octaves. */
void flt_rank_settle(struct flt_rank *rank);

/* Those shown, most first (names from A); ties by all faults, then by ids, so that rows stand still. */
void flt_ranking_sort(struct flt_ranking *ranking, enum flt_rank_key key, bool reverse);
/* Shows rows with the text, in whatever case, in a name or a pid; the others are kept behind them. */
void flt_ranking_sift(struct flt_ranking *ranking, const char *text);
/* Rows of one name become one: for cgroups. */
void flt_ranking_join(struct flt_ranking *ranking);

#endif
