/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lat.h - declarations shared by the files of 'fltctl lat'.
 *
 *   lat.c       options
 *   run.c       snapshots at intervals, or around a command
 *   snapshot.c  one snapshot of the module's counts
 *   slowest.c   examples
 *   report.c    a snapshot as percentiles, buckets and examples
 *   why.c       what the faults of a snapshot spent their time on
 *   plot.c      the same as a picture
 *   row.h       a row of the output
 *   bars.c      a histogram as bars
 */
#ifndef FLT_CMD_LAT_H
#define FLT_CMD_LAT_H

#include "timeline/names.h"
#include "cli/command.h"
#include "cli/output.h"
#include "model/counts/hist.h"
#include "observe/causes.h"
#include "observe/cgroups.h"
#include "observe/members.h"
#include "source/netlink/control.h"
#include "source/stream/stream.h"
#include "text/units.h"
#include "view/table/table.h"

#define LAT_PATH 512

enum lat_by { LAT_BY_PROCESS = 0, LAT_BY_CGROUP };

struct lat_args {
	struct flt_ids pids;
	const char *cgroup;
	int by;			/* enum lat_by */
	bool each;		/* a histogram for every row */
	bool plain;		/* no histogram */
	uint64_t slowest;	/* examples; 0: none */
	bool why;		/* what faults spend their time on */
	const char *plot;	/* picture of that; NULL: none */
	uint64_t slower;	/* ns; stream faults that take at least as long; 0: none */
	struct flt_table_style style;
	const char *output;
};

/*
 * A snapshot of counters. Without a session that keeps histograms, single processes have
 * octaves, and kinds have counts but no histograms.
 */
struct lat_snapshot {
	uint64_t now;
	bool by_process, by_cgroup, of_command, of_members;
	bool hists;		/* with the histograms of a session, see procs */
	struct flt_account total;
	struct flt_loss loss;
	struct flt_hist all, minor, major;
	struct flt_hist kind[__FLT_KIND_MAX];
	struct flt_hist returned[__FLT_RETURN_MAX];
	struct flt_rows rows;
	struct flt_latencies procs;	/* by flt_row.id; without those beyond the limit */
	bool causes;		/* .cause is known */
	uint64_t cause[__FLT_CAUSE_MAX][FLT_BUCKETS];	/* ns spent, by latency of the fault */
	bool ended;		/* all processes of -p or of the session have ended */
};

struct lat_slow {
	struct flt_slow slow;
	char path[LAT_PATH];	/* of the mapping; empty: unknown, or not of a file */
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
	struct output_redirect redirect;	/* of -o */
	uint32_t session;	/* of the command; 0: none */
	uint32_t hists;		/* session that keeps histograms; 0: none */
	uint32_t why;		/* session that keeps causes: hists, or of the machine; 0: none */
	struct flt_causes causes;	/* of --why */
	struct flt_members *members;	/* of --cgroup, or NULL */
	struct flt_cgroups *cgroups;	/* of --by=cgroup, or NULL */
	uint64_t *bound;	/* per PID of -p: ID of its row in the first snapshot */
	uint64_t interval;	/* ns; 0: one report */
	uint64_t count;		/* reports to write; 0: until interrupted */
	uint64_t since;		/* CLOCK_MONOTONIC ns, when counting began */
	uint64_t reports;	/* written so far */
	struct lat_snapshot *last;
	struct lat_slowest slowest;	/* since the last report */
	struct lat_slowest reported;	/* in the last report */
	struct flt_stream *stream;	/* of slow faults; NULL: none */
	uint64_t lost, lost_notes;	/* by the stream; set by lat_slowest_lost() */
	struct names names;	/* threads and files of the streamed faults */

	struct flt_table *data;		/* JSON or CSV */
	struct flt_table *rows, *examples;	/* the two tables of the text */
	uint64_t wall_offset;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	bool unicode, color;
};

/* snapshot.c */
/* Open the session that keeps histograms of the command or of the targets. Return 0 or -errno. */
int lat_hists_open(struct lat *l, uint32_t command, struct flt_errmsg *e);
/* Open a session that keeps the causes of all faults of the machine. Return 0 or -errno. */
int lat_why_open(struct lat *l, struct flt_errmsg *e);
/* Take a snapshot. The caller frees it with lat_snapshot_free(). Return 0 or -errno. */
int lat_snapshot_take(struct lat *l, struct lat_snapshot **snapshot, struct flt_errmsg *e);
void lat_snapshot_free(struct lat_snapshot *snapshot);
/* Store the difference of two snapshots in *out. before may be NULL. Return 0 or -errno. */
int lat_snapshot_subtract(const struct lat_snapshot *before, const struct lat_snapshot *after,
		     struct lat_snapshot **out);
/*
 * Store the histogram of the process with this flt_row.id. Return false if there is none, because
 * the session has too many processes.
 */
bool lat_snapshot_process(const struct lat_snapshot *snapshot, uint64_t id,
			  struct flt_hist *hist);

/* slowest.c */
int lat_slowest_open(struct lat *l);
void lat_slowest_close(struct lat *l);
/* Begin the list of the next report. */
void lat_slowest_clear(struct lat *l);
/*
 * Offer the faults that the module keeps, if they ended after `from` in a process of the
 * snapshot. Return 0 or -errno.
 */
int lat_slowest_kept(struct lat *l, const struct lat_snapshot *snapshot, uint64_t from,
		     struct flt_errmsg *e);

/*
 * Open a stream of slow faults, of all processes if count is 0. follow: also of children. Return
 * 0 or -errno.
 */
int lat_slowest_stream(struct lat *l, const uint32_t *tgids, size_t count, bool follow,
		       struct flt_errmsg *e);
/* Offer the faults that the stream received. */
int lat_slowest_read(struct lat *l, struct flt_errmsg *e);
/* Offer all faults that ended before the call. last: read the stream to its end. */
int lat_slowest_catch_up(struct lat *l, bool last, struct flt_errmsg *e);

/* Update .lost and .lost_notes from the module. Return 0 or -errno. */
int lat_slowest_lost(struct lat *l, struct flt_errmsg *e);

/* report.c */
int lat_report_open(struct lat *l);
void lat_report_close(struct lat *l);
/* Write a report of the time from `from` to the snapshot. Return 0 or -errno. */
int lat_report(struct lat *l, const struct lat_snapshot *snapshot, uint64_t from);
/* Report the losses. Return FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE. */
int lat_report_loss(struct lat *l, const struct flt_loss *loss);

/* why.c */
/* The faults with latencies of an octave. */
struct lat_octave {
	char label[2 * FLT_UNITS_TEXT + 4];
	uint64_t part[FLT_CAUSE_PARTS], sum;	/* ns that they spent */
};

/* Store the octaves from the first to the last one with faults. Return their number. */
size_t lat_why_octaves(const struct lat_snapshot *snapshot,
		       struct lat_octave octaves[FLT_OCTAVES]);
/* Return what a legend calls a cause below FLT_CAUSE_PARTS. */
const char *lat_why_name(uint32_t cause);

/* plot.c */
/* Draw the last snapshot to the file of --plot. Report errors. Return the exit status. */
int lat_plot_write(const struct lat *l);

/* bars.c */
/* Write the bars of a histogram to standard output, as wide as the terminal. */
void lat_bars_write(const struct lat *l, const struct flt_hist *hist);

/* run.c */
/*
 * Run until the command ends, all reports are written or a signal arrives. Return the exit
 * status.
 */
int lat_run(struct lat *l, char **command);

#endif
