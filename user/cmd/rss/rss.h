/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rss.h - declarations shared by the files of `fltctl rss`. */
#ifndef FLT_CMD_RSS_H
#define FLT_CMD_RSS_H

#include "cli/command.h"
#include "model/code/symbols.h"
#include "model/resident/moment.h"
#include "source/proc/family.h"
#include "source/proc/hold.h"
#include "source/proc/present.h"
#include "timeline/load.h"
#include "view/table/table.h"

enum rss_by {
	RSS_BY_LINE = 0, RSS_BY_FUNCTION, RSS_BY_OBJECT, RSS_BY_VMA, RSS_BY_THREAD, RSS_BY_STACK,
	RSS_BY_CGROUP,
};

enum rss_picture {
	RSS_PICTURE_NONE = 0, RSS_PICTURE_SVG, RSS_PICTURE_HTML, RSS_PICTURE_FOLDED,
	RSS_PICTURE_SPEEDSCOPE, RSS_PICTURE_PPROF,
};

struct rss_args {
	struct flt_ids pids;
	const char *cgroup;
	const char *at, *output;
	int by;				/* enum rss_by */
	int picture;			/* enum rss_picture */
	int engine, unwind;
	bool diff;
	uint64_t top, memory;
	struct flt_symbols_setup symbols;
	struct flt_table_style style;
};

/* ---- when.c: moments that the user asked for ---- */

#define RSS_WHENS 32

enum rss_when_kind { RSS_AT = 0, RSS_EVERY, RSS_PEAK, RSS_EXIT };

struct rss_when {
	enum rss_when_kind kind;
	uint64_t ns;		/* AT: since the start; EVERY: period */
};

struct rss_whens {
	struct rss_when all[RSS_WHENS];
	size_t count;
};

/* Parse "peak,exit,5s,every=1s". -EINVAL with the reason in e. */
int rss_whens_parse(struct rss_whens *whens, const char *text, struct flt_errmsg *e);
bool rss_whens_have(const struct rss_whens *whens, enum rss_when_kind kind);

/* The memory of the processes at one moment. Pages as smaps counts them, beside those known. */
struct rss_moment {
	enum rss_when_kind kind;
	char label[24];			/* "exit", "peak" or the time since the start, "5.0s" */
	uint64_t since;			/* ns since the start */
	uint64_t resident;		/* bytes by the counters of the kernel, while stopped */
	struct flt_moment moment;
	struct flt_present_sums sums;
	struct flt_present_doubt doubt;
	bool running;			/* a thread could not be stopped */
	uint64_t beyond;	/* pages beyond the limit of memory; swapped ones included */
};

/* Convert a number of pages of a moment. */
static inline uint64_t rss_bytes(const struct rss_moment *m, uint64_t pages)
{
	return pages << m->moment.page.shift;
}

/* ---- read.c ---- */

/*
 * Add the memory of processes to a moment. Those without memory, such as zombies, are left out.
 * Add at most *pages_left pages one by one, and subtract their number. Return 0 or -errno.
 */
int rss_moment_read(struct rss_moment *moment, const uint32_t *pids, size_t count,
		    uint64_t *pages_left, struct flt_errmsg *e);

/* ---- moments.c: take a moment ---- */

#define RSS_MOMENTS_MAX 4096

struct rss_moments {
	const struct flt_ids *targets;	/* of -p or --cgroup */
	uint32_t child;			/* PID of the command; 0: none */
	uint32_t exiting;		/* PID of the process that is held at its exit, or 0 */
	uint64_t began;			/* CLOCK_MONOTONIC ns */
	struct flt_hold *hold;
	struct flt_family family;	/* of the moment that is being taken */
	struct rss_moment *all;
	size_t count;
	uint64_t pages_left;		/* of --memory */
	bool too_many;
	struct flt_errmsg e;		/* the first failure */
	int err;
};

/* Call rss_moments_free() also after a failure. The caller sets .hold and .began. -ENOMEM. */
int rss_moments_init(struct rss_moments *m, const struct flt_ids *targets, uint64_t memory);
void rss_moments_free(struct rss_moments *m);
/* Add the command, or the targets, and their descendants to .family. -ENOMEM. */
int rss_moments_family(struct rss_moments *m);
/* Return the resident bytes of .family by the counters of the kernel. */
uint64_t rss_moments_resident(const struct rss_moments *m);
/*
 * Take a moment. A peak replaces the earlier one if more memory is resident. Return true if memory
 * was there. As the processes go on, the function of .hold may take another moment.
 */
bool rss_moments_take(struct rss_moments *m, enum rss_when_kind kind);
/* Return the peak that was taken, or NULL. */
const struct rss_moment *rss_moments_peak(const struct rss_moments *m);
/* Sort by time. */
void rss_moments_sort(struct rss_moments *m);

/* ---- take.c: take the moments that the user asked for, while the faults are recorded ---- */

struct rss_taker;

/* pids: the processes to observe, without children; none for a command. The caller keeps it. */
int rss_taker_new(struct rss_taker **taker, struct flt_run *run, const struct flt_ids *pids,
		  const struct rss_whens *whens);
/* The moments stay valid until the taker is freed. */
struct rss_moment *rss_taker_moments(struct rss_taker *taker, size_t *count);
void rss_taker_free(struct rss_taker *taker);
const struct flt_capture_watch *rss_taker_watch(struct rss_taker *taker);
/* Report what is missing. Return FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE. */
int rss_taker_verdict(struct rss_taker *taker);

/* ---- join.c: give the pages of the moments to the faults and moves of a recording ---- */

struct rss_joined {
	struct flt_run *run;
	struct rss_moment *moments;
	size_t count;
	struct flt_load load;
	uint32_t around;
	uint32_t nobody[__FLT_RESIDENT_NOBODIES];	/* places of pages without a fault */
	struct flt_symbols *symbols;
	bool late;		/* a process ran before the recording */
	/* Per image: a time at which the process had memory, CLOCK_MONOTONIC ns. */
	uint64_t *alive;
	uint32_t alive_count;
};

/* Read the recording. Report errors. Return the exit status. Call rss_joined_free() anyway. */
int rss_join(struct rss_joined *j, const char *path);
void rss_joined_free(struct rss_joined *j);

/* ---- ancestors.c ---- */

/*
 * Say which images explain the pages of a process of a moment: its own since the last exec, and
 * ancestors until the fork. -ENOMEM.
 */
int rss_ancestors_add(struct rss_joined *j, const struct flt_recording *rec, struct flt_moment *m,
		      uint32_t process);

/* ---- absent.c: recorded processes that a moment lacks ---- */

/* Call with the images of the recording before its faults. -ENOMEM. */
int rss_absent_begin(struct rss_joined *j, const struct flt_recording *rec);
void rss_absent_fault(struct rss_joined *j, const struct flt_fault *f);
/* Report such processes. Return FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE. */
int rss_absent_verdict(const struct rss_joined *j);

/* ---- rows.c: rows of a moment ---- */

/* Numbers of pages. */
struct rss_parts {
	uint64_t rss, swap, unknown;	/* unknown: of rss */
	uint64_t by[__FLT_PRESENT_CLASSES];
	uint64_t shared, huge;
};

struct rss_row {
	bool unknown, collapse;		/* no code: see enum flt_resident_nobody */
	const char *function, *within, *file, *object;	/* as in struct flt_site */
	uint32_t line, tid;
	uint64_t address;
	uint32_t image, stack, place;	/* by STACK */
	uint32_t pid;
	const char *comm;
	const char *cgroup;		/* by CGROUP; NULL: unknown */
	bool several;
	uint64_t most;
	struct rss_parts parts, before;	/* before: of --diff */
};

struct rss_rows {
	struct rss_row *rows;	/* largest first */
	size_t count, room;
	struct rss_parts total, before;
};

/* Names of enum flt_resident_nobody. */
extern const char *const rss_nobodies[__FLT_RESIDENT_NOBODIES];
/* Return the name of a row without code, or NULL. */
const char *rss_row_nobody(const struct rss_row *row);

int rss_rows_build(struct rss_rows *rows, struct rss_joined *j, const struct rss_moment *m,
		   enum rss_by by);
/* Merge the rows of an earlier moment into .before, and sort by difference. */
int rss_rows_diff(struct rss_rows *after, const struct rss_rows *before);
void rss_rows_free(struct rss_rows *rows);

/* ---- table.c and picture.c: output. Return the exit status. ---- */

int rss_table_write(struct rss_joined *j);
int rss_picture_write(struct rss_joined *j);

#endif
