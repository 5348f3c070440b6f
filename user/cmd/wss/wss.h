/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wss.h - interfaces between the files of 'fltctl wss'.
 *
 *   wss.c      options, and the steps of the run
 *   run.c      runs the steps, window by window
 *   targets.c  the processes that are measured: by PID, of a cgroup, or children
 *   module.c   methods of the flt module: scan, inject, fault
 *   kernel.c   methods of the kernel's own files: refs, idle, damon
 *   rows.c     rows of a sample
 *   cgroups.c  rows of cgroups
 *   history.c  keeps samples for the summary
 *   summary.c  summary of all samples: quantiles, advice, plot
 *   compare.c  summary of several methods, side by side
 */
#ifndef FLT_CMD_WSS_H
#define FLT_CMD_WSS_H

#include "cli/command.h"
#include "cli/output.h"
#include "event/page_size.h"
#include "observe/observe.h"
#include "model/counts/hist.h"
#include "model/memory/wset.h"
#include "account/sample.h"
#include "view/table/table.h"

enum wss_by { WSS_BY_PROCESS = 0, WSS_BY_VMA, WSS_BY_KIND, WSS_BY_NODE, WSS_BY_CGROUP };

struct wss_args {
	struct flt_ids pids;
	const char *cgroup;
	bool follow;
	bool written;
	int method;		/* 0: auto, else index into wss_methods + 1 */
	bool compare;
	bool cumulative;
	uint64_t profile;	/* number of windows, each twice as long as the last */
	int by;			/* enum wss_by */
	uint64_t budget;	/* percent of a CPU; 0: default */
	const char *plot;
	struct flt_table_style style;
	const char *output;
};

/*
 * A process. Trackers (methods with .collect) also find processes by themselves; such a process
 * becomes a target with its first sample.
 */
struct wss_target {
	uint32_t tgid;
	bool ended;		/* the process ended or left the cgroup */
	bool asked;		/* given by -p, or the command itself; not found by us */
	bool refused;		/* found by us, but not readable: no permission */
	bool listed;		/* in the last list of the cgroup */
	bool watched;		/* soft-dirty bits were cleared, so written bytes are known */
	uint64_t begun;		/* CLOCK_MONOTONIC ns, start of the current window */
	uint64_t pss_due;	/* CLOCK_MONOTONIC ns; do not read PSS earlier */
	uint64_t seen;		/* window of the run that has its last sample */
	bool counted;		/* the totals below are known */
	uint64_t first_touch, refault, major;	/* bytes, at the start of the window */
};

struct wss;

struct wss_method {
	const char *name;
	const char *differs;	/* what it counts; explains the difference from a scan */
	/* Return 0 if this machine supports the method; else -errno and the reason. */
	int (*available)(struct wss *w, struct flt_errmsg *e);
	/* Begin the first window: of the method, then of each target. Both may be NULL. */
	int (*begin)(struct wss *w);
	int (*join)(struct wss *w, struct wss_target *t);
	/* End the window of a target and begin the next. NULL if there is collect. */
	int (*sample)(struct wss *w, struct wss_target *t, struct flt_sample *out);
	/* Replaces sample: add the new samples of all processes. Called often per window. */
	int (*collect)(struct wss *w, struct flt_samples *out);
	bool alone;		/* supports only one process, without its children */
	void (*end)(struct wss *w);	/* may be NULL */
};

extern const struct wss_method wss_method_scan, wss_method_inject, wss_method_fault,
	wss_method_refs, wss_method_idle, wss_method_damon;
extern const struct wss_method *const wss_methods[];	/* NULL-terminated, best first */

struct wss_step {
	const struct wss_method *method;
	uint64_t ticks;		/* per window */
	uint64_t windows;	/* to measure; 0: until the run ends */
	bool left_out;		/* the method could not begin; the reason was printed */
};

#define WSS_STEPS 24

struct flt_idle;
struct wss_cgroups;
struct flt_damon;

struct wss {
	const struct flt_command *command;
	const struct wss_args *args;
	struct flt_control *control;	/* NULL: no module, for the reason below */
	struct flt_errmsg control_message;
	int control_error;
	struct output_redirect redirect;	/* of -o */
	uint64_t interval, count;	/* ns; windows, 0: until the run ends */
	uint64_t tick;			/* ns, period of the loop */
	struct flt_page_size page;	/* of this machine */

	struct wss_step step[WSS_STEPS];
	size_t steps, at;		/* at: the current step */
	uint64_t ticks, windows;	/* so far in the current step */
	uint64_t before;		/* windows of earlier steps */
	uint64_t since;			/* CLOCK_BOOTTIME ns: children born later are targets */

	struct flt_observe o;
	struct wss_target *target;
	size_t targets;
	struct flt_samples all;
	const struct wss_method **taken;	/* per sample of all: the method */
	size_t room;			/* limit of all.count; 0: not set yet */
	uint64_t stride;		/* one window in stride is kept; 0: every window */
	struct wss_cgroups *cgroups;	/* NULL: not --by=cgroup */
	struct flt_sample_areas areas;	/* of the last sample, with --by=vma */
	uint32_t lost_flags;		/* FLT_WSS_* of all samples */
	uint64_t lost, lost_before;	/* samples; before the current step */
	uint64_t untracked;		/* processes that the tracker does not track */
	uint64_t unlisted;		/* part of untracked: too many for one request */
	uint64_t refused;		/* children that are not readable */
	uint64_t left;			/* bytes of unknown use, maximum over all samples */
	bool balancing;			/* kernel.numa_balancing is on */
	bool cgroup_gone;
	bool childless;			/* the kernel does not list the children of a process */

	/* State of the current method. */
	uint32_t tracker;
	uint64_t key, received;		/* key of the last sample; number of samples */
	uint64_t rounds;		/* completed by the tracker; the first makes no sample */
	struct flt_hist holds;		/* of mmap_lock, in ns, by trackers that were removed */
	struct flt_idle *idle;
	struct flt_damon *damon;

	struct flt_table *table;
	uint64_t wall_offset;		/* ns, CLOCK_REALTIME - CLOCK_MONOTONIC */
	bool headed;			/* the heading was printed */
};

/* run.c */
/* Measure until the run ends, then print the summary. Return the exit status. */
int wss_run(struct wss *w, char **command);
/* Return the window (ns) that the current step asks for. */
uint64_t wss_window(const struct wss *w);

/* history.c */
/*
 * Keep a sample for the summary. If there are too many, drop every second window, so that a
 * long run does not need more and more memory.
 */
int wss_history_add(struct wss *w, const struct flt_sample *s);
/* Add the samples of one process (0: all) and of one method (NULL: all) to out, in order. */
int wss_history_choose(const struct wss *w, uint32_t tgid, const struct wss_method *method,
		       struct flt_samples *out);

/* targets.c */
/* Add the processes of -p, the command or the cgroup. */
int wss_targets_bind(struct wss *w);
/* Add new processes of the cgroup and new children. Mark the targets that ended or left. */
int wss_targets_find(struct wss *w);
/* Return the number of targets that have not ended. Set *first if there is one. */
size_t wss_targets_live(const struct wss *w, struct wss_target **first);
/* Begin the first window of all targets. */
int wss_targets_join(struct wss *w);
/* Call wss_targets_find(), and begin the first window of the targets that it added. */
int wss_targets_renew(struct wss *w);
/* Remove the targets that have ended. This invalidates pointers to all targets. */
void wss_targets_drop(struct wss *w);
/* Find the target with that TGID, or add it. */
int wss_targets_of(struct wss *w, uint32_t tgid, struct wss_target **out);
/* Set s->written, if it is known: the bytes written since the last call. */
int wss_targets_written(struct wss *w, struct wss_target *t, struct flt_sample *s);

/* module.c */
/*
 * Set the faults of the target since the last call (with --cumulative: since the first call).
 * Do nothing without the module, or if the sample has its faults already.
 */
void wss_faults(struct wss *w, struct wss_target *t, struct flt_sample *s);

/* rows.c */
int wss_rows_open(struct wss *w);
void wss_rows_close(struct wss *w);
int wss_rows_sample(struct wss *w, const struct flt_sample *s);
int wss_rows_quantile(struct wss *w, const struct flt_sample *s, double quantile, uint64_t bytes);
/* Write the median window of a method. against: difference from scan in percent, or NAN. */
int wss_rows_method(struct wss *w, const struct wss_method *m, const struct flt_wset *set,
		    double against);
/* Write the histogram of how long mmap_lock was held. */
int wss_rows_holds(struct wss *w);
/* Write the sum of a cgroup in a window. */
int wss_rows_cgroup(struct wss *w, const struct flt_sample *s, const char *path,
		    const char *name);
void wss_rows_flush(struct wss *w);

/* cgroups.c */
/* Open if --by=cgroup needs it. Return 0 or -errno. */
int wss_cgroups_open(struct wss *w, struct flt_errmsg *e);
void wss_cgroups_close(struct wss *w);
/* Keep a sample until its window is complete. Return -ENOMEM. */
int wss_cgroups_add(struct wss *w, const struct flt_sample *s);
/* Write a row per cgroup for each window up to @until (.nth). Return -ENOMEM. */
int wss_cgroups_write(struct wss *w, uint64_t until);

/* compare.c */
/* Print a row per method. Return 0 or -errno. */
int wss_compare(struct wss *w);

/* summary.c */
/* Print the summary and what may be missing. Return the exit status. */
int wss_summary(struct wss *w);
/* Write the file of --plot. Return the exit status. */
int wss_plot(struct wss *w);

#endif
