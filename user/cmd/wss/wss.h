/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wss.h - what the files of 'fltctl wss' share.
 *
 *   wss.c          options, and the plan they make
 *   wss_run.c      the plan, window by window
 *   wss_targets.c  whose working set: processes, and those of a cgroup
 *   wss_module.c   methods of the flt module: scan, inject, fault
 *   wss_kernel.c   methods of the kernel's own files: refs, idle, damon
 *   wss_rows.c     a sample as rows
 *   wss_history.c  the samples that are kept for
 *   wss_summary.c  what all samples say: quantiles, advice, plot
 *   wss_compare.c  the same of several methods, side by side
 */
#ifndef FLT_CMD_WSS_H
#define FLT_CMD_WSS_H

#include "cli/command.h"
#include "observe/observe.h"
#include "model/counts/hist.h"
#include "model/memory/wset.h"
#include "account/sample.h"
#include "view/table/table.h"

enum wss_by { WSS_BY_PROCESS = 0, WSS_BY_VMA, WSS_BY_KIND, WSS_BY_NODE };

struct wss_args {
	struct flt_ids pids;
	const char *cgroup;
	bool follow;
	bool written;
	int method;		/* 0: auto, else index into wss_methods + 1 */
	bool compare;
	bool cumulative;
	uint64_t profile;	/* windows, each twice as long as the last */
	int by;			/* enum wss_by */
	uint64_t budget;
	const char *plot;
	int format;		/* enum flt_format */
};

/* A process. Methods with collect find theirs themselves: these are then some of them. */
struct wss_target {
	uint32_t tgid;
	bool ended;		/* or gone from the cgroup */
	bool asked;		/* for, by its number; others come along */
	bool refused;		/* came along, but may not be looked at */
	bool listed;		/* seen in the cgroup just now */
	bool watched;		/* what it writes is known */
	uint64_t begun;		/* ns, the window under way */
	uint64_t pss_due;	/* ns, not to be read before */
	uint64_t seen;		/* window of the run in which it had a sample last */
	bool counted;		/* totals are known */
	uint64_t first_touch, refault, major;
};

struct wss;

struct wss_method {
	const char *name;
	const char *differs;	/* why its figure is another than a scan's */
	/* 0, or why not on this machine. */
	int (*available)(struct wss *w, struct flt_errmsg *e);
	/* The first window begins: of all, and then of each target; both may be NULL. */
	int (*begin)(struct wss *w);
	int (*join)(struct wss *w, struct wss_target *t);
	/* A window is over, the next begins. May be NULL with collect. */
	int (*sample)(struct wss *w, struct wss_target *t, struct flt_sample *out);
	/* In place of sample, many times in a window: whatever samples there are. */
	int (*collect)(struct wss *w, struct flt_samples *out);
	bool alone;		/* one process, not its children */
	void (*end)(struct wss *w);	/* may be NULL */
};

extern const struct wss_method wss_method_scan, wss_method_inject, wss_method_fault,
	wss_method_refs, wss_method_idle, wss_method_damon;
extern const struct wss_method *const wss_methods[];	/* NULL-terminated, best first */

struct wss_step {
	const struct wss_method *method;
	uint64_t ticks;		/* of a window */
	uint64_t windows;	/* 0: until the end */
	bool left_out;		/* it could not begin, and that was said */
};

#define WSS_STEPS 24

struct flt_idle;
struct flt_damon;

struct wss {
	const struct flt_command *command;
	const struct wss_args *args;
	struct flt_control *control;	/* NULL: no module */
	uint64_t interval, count;	/* ns; windows, 0: until the end */
	uint64_t tick;			/* ns */

	struct wss_step step[WSS_STEPS];
	size_t steps, at;
	uint64_t ticks, windows;	/* of the step under way */
	uint64_t before;		/* windows of the steps before it */
	uint64_t since;			/* CLOCK_BOOTTIME ns: who was born later is followed */

	struct flt_observe o;
	struct wss_target *target;
	size_t targets;
	struct flt_samples all;
	const struct wss_method **taken;	/* by which method each of all was taken */
	size_t room;			/* of all, before it is thinned out; 0: not yet full */
	uint64_t stride;		/* one window of so many is in all; 0: each */
	struct flt_sample_areas areas;	/* of the last sample, with --by=vma */
	uint32_t lost_flags;		/* of any sample */
	uint64_t lost, lost_before, untracked, unlisted, refused, left;
	bool balancing;			/* the kernel withholds pages itself */
	bool cgroup_gone;
	bool childless;			/* the kernel does not tell who is whose child */

	/* Of methods. */
	uint32_t tracker;
	uint64_t key, received;
	uint64_t rounds;		/* of the tracker, that are over; the first makes no sample */
	struct flt_hist holds;		/* of mmap_lock, by trackers that are done */
	struct flt_idle *idle;
	struct flt_damon *damon;

	struct flt_table *table;
	uint64_t wall_offset;		/* ns, CLOCK_REALTIME - CLOCK_MONOTONIC */
	bool headed;
};

/* wss_run.c */
int wss_run(struct wss *w, char **command);
uint64_t wss_window(const struct wss *w);	/* ns, asked for in the step under way */

/* wss_history.c */
/* For the summary, which a run of days must not make larger and larger. */
int wss_history_add(struct wss *w, const struct flt_sample *s);
/* Adds the samples of one process (0: of all), or of one method (NULL: of all), in order. */
int wss_history_choose(const struct wss *w, uint32_t tgid, const struct wss_method *method,
		       struct flt_samples *out);

/* wss_targets.c */
int wss_targets_bind(struct wss *w);
/* Those there are now: of the cgroup, and children of those that are followed. */
int wss_targets_find(struct wss *w);
/* How many have not ended, and the first of them. */
size_t wss_targets_live(const struct wss *w, struct wss_target **first);
/* The first window of each begins. */
int wss_targets_join(struct wss *w);
/*
 * Those that came into the cgroup, or are children of those that are followed, join;
 * those that left the cgroup have ended.
 */
int wss_targets_renew(struct wss *w);
/* Forgets those that have ended. Pointers to others are void. */
void wss_targets_drop(struct wss *w);
/* The one with that number, which may be new. */
int wss_targets_of(struct wss *w, uint32_t tgid, struct wss_target **out);
/* Fills what was written to since it was last asked for. */
int wss_targets_written(struct wss *w, struct wss_target *t, struct flt_sample *s);

/* wss_module.c */
/* Fills what the module knows of the target's faults since the last call; nothing without it. */
void wss_faults(struct wss *w, struct wss_target *t, struct flt_sample *s);

/* wss_rows.c */
int wss_rows_open(struct wss *w);
void wss_rows_close(struct wss *w);
int wss_rows_sample(struct wss *w, const struct flt_sample *s);
int wss_rows_quantile(struct wss *w, const struct flt_sample *s, double quantile, uint64_t bytes);
/* What a method found in the median window; against a scan's in per cent, or NAN. */
int wss_rows_method(struct wss *w, const struct wss_method *m, const struct flt_wset *set,
		    double against);
/* The histogram of what mmap_lock was held for. */
int wss_rows_holds(struct wss *w);
void wss_rows_flush(struct wss *w);

/* wss_compare.c */
int wss_compare(struct wss *w);

/* wss_summary.c */
int wss_summary(struct wss *w);
int wss_plot(struct wss *w);

#endif
