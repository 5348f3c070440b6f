/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lat.h - declarations shared by the files of 'fltctl lat'.
 *
 *   lat.c       options
 *   run.c       snapshots at intervals, or around a command
 *   snapshot.c  one snapshot of the module's counts
 *   slowest.c   examples
 *   report.c    a snapshot as percentiles, buckets and examples
 *   bars.c      a histogram as bars
 */
#ifndef FLT_CMD_LAT_H
#define FLT_CMD_LAT_H

#include "timeline/names.h"
#include "cli/command.h"
#include "model/counts/hist.h"
#include "source/netlink/control.h"
#include "source/stream/stream.h"
#include "view/table/table.h"

#define LAT_PATH 512

struct lat_args {
	struct flt_ids pids;
	bool each;		/* a histogram for every row */
	bool plain;		/* no histogram */
	uint64_t slowest;	/* examples; 0: none */
	uint64_t slower;	/* ns; stream what takes at least as long, 0: nothing */
	int format;		/* enum flt_format */
};

/* A snapshot. For single processes, kinds have counts but no histograms. */
struct lat_look {
	uint64_t now;
	bool by_process;
	struct flt_account total;
	struct flt_loss loss;
	struct flt_hist all, minor, major;
	struct flt_hist kind[__FLT_KIND_MAX];
	struct flt_hist returned[__FLT_RETURN_MAX];
	struct flt_rows rows;
	bool ended;		/* every process asked for */
};

struct lat_slow {
	struct flt_slow slow;
	char path[LAT_PATH];	/* of the mapping; empty: none, or not known */
};

/* Slowest first. */
struct lat_slowest {
	struct lat_slow *slow;
	size_t count, room;
};

struct lat {
	const struct flt_command *command;
	const struct lat_args *args;
	struct flt_control *control;
	uint32_t session;	/* of the command; 0: none */
	uint64_t *bound;	/* of each -p: the row it means */
	uint64_t interval;	/* ns; 0: one report */
	uint64_t count;		/* of reports; 0: until interrupted */
	uint64_t since;		/* counts began */
	uint64_t reports;
	struct lat_look *last;
	struct lat_slowest slowest;	/* since the last report */
	struct flt_stream *stream;	/* of slow faults; NULL: none */
	uint64_t lost, lost_notes;	/* by it, known at the end */
	struct names names;	/* of their threads and files */

	struct flt_table *data, *rows, *examples;	/* data, or the two of the text */
	uint64_t wall_offset;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	bool unicode, color;
};

/* Allocated; lat_look_free(). */
int lat_look(struct lat *l, struct lat_look **look, struct flt_errmsg *e);
void lat_look_free(struct lat_look *look);
/* Subtract two snapshots. before may be NULL. Return 0 or -errno. */
int lat_look_between(const struct lat_look *before, const struct lat_look *after,
		     struct lat_look **out);

/* lat_slowest.c */
int lat_slowest_open(struct lat *l);
void lat_slowest_close(struct lat *l);
void lat_slowest_offer(struct lat *l, const struct flt_slow *slow, const char *path);
/* Of what the module kept: those that ended in this time, in processes of the look. */
int lat_slowest_kept(struct lat *l, const struct lat_look *look, uint64_t from,
		     struct flt_errmsg *e);

/* Open a stream of slow faults, of all processes if count is 0. Return 0 or -errno. */
int lat_slowest_stream(struct lat *l, const uint32_t *tgids, size_t count, bool follow,
		       struct flt_errmsg *e);
/* What has come since; last: and nobody faults any more. */
int lat_slowest_read(struct lat *l, bool last, struct flt_errmsg *e);

/* Update .lost and .lost_notes from the module. */
int lat_slowest_lost(struct lat *l, struct flt_errmsg *e);

/* lat_report.c */
int lat_report_open(struct lat *l);
void lat_report_close(struct lat *l);
int lat_report(struct lat *l, const struct lat_look *look, uint64_t from);
/* Report the losses. Return FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE. */
int lat_report_loss(struct lat *l, const struct flt_loss *loss);

/* Write the bars of a histogram to standard output, as wide as the terminal. */
void lat_bars_write(const struct lat *l, const struct flt_hist *hist);

/* lat_run.c */
int lat_run(struct lat *l, char **command);

#endif
