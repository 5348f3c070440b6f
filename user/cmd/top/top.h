/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top.h - declarations shared by the files of 'fltctl top'.
 *
 *   top.c       options
 *   snapshot.c  counts of processes, threads and kinds: the rows of an interval
 *   files.c     the stream of faults, for their files
 *   page.c      draw the rows on a screen, or print them as text and data
 *   run.c       timer, keys and signals
 *   terminal.c  the terminal; the only user of ncurses
 */
#ifndef FLT_CMD_TOP_H
#define FLT_CMD_TOP_H

#include "cli/command.h"
#include "model/counts/ranking.h"
#include "model/counts/thread_rates.h"
#include "observe/members.h"
#include "source/netlink/control.h"
#include "source/stream/stream.h"
#include "view/terminal/screen.h"
#include "view/table/table.h"

enum top_view {
	TOP_PROCESS = 0, TOP_THREAD, TOP_FILE, TOP_CGROUP, TOP_KIND, __TOP_VIEW_MAX
};

enum top_stream { TOP_STREAM_MAJOR = 0, TOP_STREAM_ALL, TOP_STREAM_NONE };

struct top_args {
	struct flt_ids pids;
	const char *cgroup;
	bool batch;
	int view;		/* enum top_view */
	int sort;		/* enum flt_rank_key + 1; 0: the default of the view */
	int stream;		/* enum top_stream */
	const char *filter;
	uint64_t rows;		/* of a report in text; 0: all */
	struct flt_table_style style;
};

struct top_files;

struct top {
	const struct flt_command *command;
	const struct top_args *args;
	struct flt_control *control;	/* NULL: only /proc */
	struct flt_members *members;	/* of --cgroup, or NULL */
	struct flt_cgroups *cgroups;	/* NULL: no row of a cgroup was made yet */
	uint64_t interval, count;

	/* Settings that keys change. */
	enum top_view view;
	enum flt_rank_key sort;
	bool reverse, paused, help;
	char filter[64];
	bool typing;		/* the filter is being typed */
	int scroll, room;	/* index of the first visible row; number of visible rows */

	/* The last snapshot. */
	struct flt_rows procs;
	struct flt_thread_rates thread_rates;
	struct flt_tally tally;
	struct flt_hist *kinds;	/* [2][__FLT_KIND_MAX], minor and major */
	uint64_t taken;		/* when it was taken, CLOCK_MONOTONIC ns; 0: not yet */
	enum top_view taken_view;	/* the view it was taken for */
	struct flt_rows reads;	/* bytes read from storage, in account.minor, by row id */
	struct top_files *files;

	/* The result. */
	struct flt_ranking ranking;
	struct flt_account total;	/* of the interval */
	uint64_t total_p99;
	uint64_t ns;		/* length of the interval; 0: first snapshot */
	uint64_t lost, lost_notes;	/* by the stream, since it was opened */
	uint64_t missed, missed_before;	/* faults since the first snapshot; before it */
	uint64_t calls, calls_before;	/* calls that the probe missed, likewise */
	size_t left_out;	/* processes that faulted and whose threads are not shown */
	uint64_t vanished;	/* processes that ended with faults that are not shown */
	bool partial;		/* .left_out was not 0 in a report */
	uint64_t reports;
	char notice[160];	/* why data is not available, or empty */

	struct flt_table *table;
	bool unicode;
};

/* snapshot.c */
/* Take a snapshot, and rank what changed since the last one. Return 0 or -errno. */
int top_snapshot(struct top *t, struct flt_errmsg *e);
void top_snapshot_free(struct top *t);
/* Filter and sort the rows. Limit .scroll to the number of rows. */
void top_arrange(struct top *t);

/* files.c */
int top_files_open(struct top *t, struct flt_errmsg *e);
void top_files_close(struct top *t);
int top_files_read(struct top *t, struct flt_errmsg *e);
/* Read all faults that ended before the call. */
int top_files_catch_up(struct top *t, struct flt_errmsg *e);
/* Update .lost and .lost_notes from the module. */
int top_files_lost(struct top *t, struct flt_errmsg *e);
/* Write the file with the most major faults of a process, or "". */
void top_files_most(const struct top *t, uint32_t tgid, char out[FLT_RANK_NAME]);
/* Rank the files of the interval. */
int top_files_rows(struct top *t);
/* Begin a new interval. */
void top_files_forget(struct top *t);

/* page.c */
int top_page_open(struct top *t);
void top_page_close(struct top *t);
/* Return the number of ranked rows that fit on a screen with this number of lines. */
int top_page_room(int rows);
int top_page_paint(const struct top *t, struct flt_screen *screen);
int top_page_report(struct top *t);
const char *top_view_name(enum top_view view);
/* Return the default sort key of the view. */
enum flt_rank_key top_page_sort(const struct top *t);
/* Return true if the view has this column when the module is loaded. */
bool top_view_has(const struct top *t, enum flt_rank_key key);
/* Return true if the page has this column. Without the module, some cannot be known. */
bool top_page_has(const struct top *t, enum flt_rank_key key);

/* run.c */
int top_run(struct top *t);

/* top.c */
/* Open the session and the stream. Signals are taken already, so Ctrl-C ends both. */
int top_start(struct top *t, struct flt_errmsg *e);

/* terminal.c */
/*
 * color: enum flt_terminal_color. Return 0, -ENOTTY without a terminal, or -EOPNOTSUPP if its type
 * cannot be used.
 */
int top_terminal_open(int color, struct flt_errmsg *e);
void top_terminal_close(void);
void top_terminal_size(int *rows, int *cols);
void top_terminal_paint(const struct flt_screen *screen);
enum { TOP_KEY_UP = 0x1000, TOP_KEY_DOWN, TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_LEFT,
       TOP_KEY_RIGHT, TOP_KEY_BACKSPACE, TOP_KEY_HOME, TOP_KEY_OTHER };
/* Return the next key, a character or TOP_KEY_*, or -1 if no key was pressed. */
int top_terminal_key(void);

#endif
