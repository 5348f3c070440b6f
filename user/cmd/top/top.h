/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top.h - what the files of 'fltctl top' share.
 *
 *   top.c           options
 *   top_look.c      counts of processes, threads, kinds: the rows of an interval
 *   top_files.c     faults one by one: which files
 *   top_page.c      rows as a screen, or as text and data
 *   top_run.c       time, keys, signals
 *   top_terminal.c  a screen on a terminal: all that knows ncurses
 */
#ifndef FLT_CMD_TOP_H
#define FLT_CMD_TOP_H

#include "cli/command.h"
#include "model/counts/ranking.h"
#include "model/counts/thread_rates.h"
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
	bool batch;
	int view;		/* enum top_view */
	int sort;		/* enum flt_rank_key + 1; 0: as the view would have it */
	int stream;		/* enum top_stream */
	const char *filter;
	uint64_t rows;		/* of a report in text; 0: all */
	int format;		/* enum flt_format */
};

struct top_files;

struct top {
	const struct flt_command *command;
	const struct top_args *args;
	struct flt_control *control;	/* NULL: only /proc */
	uint64_t interval, count;

	/* What is looked at, and how; keys change it. */
	enum top_view view;
	enum flt_rank_key sort;
	bool reverse, paused, help;
	char filter[64];
	bool typing;		/* the filter is being typed */
	int scroll, room;	/* the row at the top; how many there is room for */

	/* The last looks: rows of processes, threads of some, the machine. */
	struct flt_rows procs;
	struct flt_thread_rates thread_rates;
	struct flt_tally tally;
	struct flt_hist *kinds;	/* [2][__FLT_KIND_MAX], minor and major */
	uint64_t looked;	/* CLOCK_MONOTONIC ns; 0: not yet */
	enum top_view viewed;
	struct flt_rows reads;	/* bytes read from storage, in account.minor, by row id */
	struct top_files *files;

	/* What has come of them. */
	struct flt_ranking ranking;
	struct flt_account total;	/* of the interval */
	uint64_t total_p99;
	uint64_t ns;		/* of the interval; 0: the first look */
	uint64_t lost, lost_notes;	/* by the stream, since it began */
	uint64_t missed, missed_before;	/* since the first look; until then */
	uint64_t calls, calls_before;	/* that the probe missed, likewise; may tell of faults to come */
	size_t left_out;	/* processes that faulted without their threads being shown */
	bool partial;		/* there were such in a report */
	uint64_t reports;
	char notice[160];	/* why something is not there */

	struct flt_table *table;
	bool unicode;
};

/* top_look.c */
/* The rows of the time since the last look. */
int top_look(struct top *t, struct flt_errmsg *e);
void top_look_free(struct top *t);
/* Sifts and sorts them; the page that is scrolled to has rows as far as there are any. */
void top_arrange(struct top *t);

/* top_files.c */
int top_files_open(struct top *t, struct flt_errmsg *e);
void top_files_close(struct top *t);
int top_files_read(struct top *t, struct flt_errmsg *e);
/* Asks what was lost, read or not. */
int top_files_lost(struct top *t, struct flt_errmsg *e);
/* The file with most major faults of the process, or empty. */
void top_files_of(const struct top *t, uint32_t tgid, char out[FLT_RANK_NAME]);
/* A row for each file of the interval; begins the next. */
int top_files_rows(struct top *t);
void top_files_forget(struct top *t);

/* top_page.c */
int top_page_open(struct top *t);
void top_page_close(struct top *t);
/* How many rows of data a screen of so many has. */
int top_page_room(int rows);
int top_page_paint(const struct top *t, struct flt_screen *screen);
int top_page_report(struct top *t);
const char *top_view_name(enum top_view view);
/* What the view is sorted by if nobody says. */
enum flt_rank_key top_page_sort(const struct top *t);
/* Whether this view has the column. */
bool top_page_has(const struct top *t, enum flt_rank_key key);

/* top_run.c */
int top_run(struct top *t);

/* top_terminal.c */
int top_terminal_open(struct flt_errmsg *e);	/* -ENOTTY, -EOPNOTSUPP: no such terminal */
void top_terminal_close(void);
void top_terminal_size(int *rows, int *cols);
void top_terminal_paint(const struct flt_screen *screen);
/* The next key, or -1: a character, or one of these. */
enum { TOP_KEY_UP = 0x1000, TOP_KEY_DOWN, TOP_KEY_PAGE_UP, TOP_KEY_PAGE_DOWN, TOP_KEY_LEFT,
       TOP_KEY_RIGHT, TOP_KEY_BACKSPACE, TOP_KEY_HOME, TOP_KEY_OTHER };
int top_terminal_key(void);

#endif
