/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * correlation.h - correlate faults with a command's own progress (--with).
 *
 * Progress is read from the command's standard output, which is passed on, or from
 * the lines appended to a file. A sample is taken every FLT_CORRELATION_PERIOD_NS. When the
 * buffer is full, every second sample is dropped and the period is doubled.
 */
#ifndef FLT_CORRELATION_H
#define FLT_CORRELATION_H

#include "cli/command.h"
#include "observe/loop.h"
#include "view/table/table.h"

#define FLT_CORRELATION_PERIOD_NS 100000000ull

struct flt_correlation_args {
	const char *metric;	/* "lines" or a regular expression; NULL: no --with */
	const char *file;	/* NULL: standard output */
	const char *plot;	/* NULL: draw nothing */
};

#define FLT_CORRELATION_OPTS(args, member, plot_name) \
	{ .name = "with", .type = FLT_OPT_STRING, .offset = offsetof(args, member.metric), \
	  .arg = "METRIC", .help = "Correlate faults with the command's own progress. 'lines' " \
		  "counts lines of its standard output; any other METRIC is an extended " \
		  "regular expression that finds a number in these lines (its first group, " \
		  "if it has one)." }, \
	{ .name = "with-file", .type = FLT_OPT_FILE, .offset = offsetof(args, member.file), \
	  .arg = "FILE", .help = "Look for the metric in lines appended to FILE, not in standard " \
		  "output." }, \
	{ .name = plot_name, .type = FLT_OPT_FILE, .offset = offsetof(args, member.plot), \
	  .arg = "FILE", .help = "Draw faults, latency and the metric of --with over time as SVG." }

struct flt_correlation;

/*
 * Validate the options of --with. Return FLT_EXIT_DONE, or report the error and return the
 * exit status. *with is NULL if the options were not given. event: name of the events counted
 * in addition to faults, such as "huge faults", or NULL.
 */
int flt_correlation_new(struct flt_correlation **with, const struct flt_command *command,
			const struct flt_correlation_args *args, bool has_command,
			const struct flt_table_style *style, const char *event);
void flt_correlation_free(struct flt_correlation *with);

/*
 * flt_correlation_redirect() replaces our standard output by a pipe, which a command forked
 * now inherits. flt_correlation_restore() undoes that and adds the pipe to the loop. with may
 * be NULL. Return 0 or -errno.
 */
int flt_correlation_redirect(struct flt_correlation *with);
int flt_correlation_restore(struct flt_correlation *with, struct flt_loop *loop);
/* Add the pipe, if there is one, to another loop, which runs after the first one. 0 or -errno. */
int flt_correlation_watch(struct flt_correlation *with, struct flt_loop *loop);
/* Read what the command has written, and pass it on. Call when the command has ended. */
void flt_correlation_pass_on(struct flt_correlation *with);

/* Counters since the command started. */
struct flt_correlation_counts {
	uint64_t faults;
	uint64_t latency;	/* ns, of all faults; 0: not known */
	uint64_t events;	/* see flt_correlation_new() */
};

/* Add a sample. Ignored if the last one is younger than a period. with may be NULL. */
void flt_correlation_add(struct flt_correlation *with, uint64_t now,
			 const struct flt_correlation_counts *counts);

/* Write coefficients and the plot after the command ended. Return the exit status. */
int flt_correlation_report(struct flt_correlation *with, FILE *out);

#endif
