/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * with.h - faults beside a command's own progress: --with of commands that run one.
 *
 * Progress is read from the command's standard output, which is passed on, or from
 * what is appended to a file. A look every WITH_PERIOD_NS; when there are too many,
 * every second one is dropped and the next come half as often.
 */
#ifndef FLT_CMD_WITH_H
#define FLT_CMD_WITH_H

#include "cli/command.h"
#include "observe/job.h"
#include "observe/loop.h"
#include "view/table/table.h"

#define WITH_PERIOD_NS 100000000ull

struct with_args {
	const char *metric;	/* "lines" or an expression; NULL: not asked for */
	const char *file;
	const char *plot;
};

#define WITH_OPTS(args, member, plot_name)                                                         \
	{ .name = "with", .type = FLT_OPT_STRING, .offset = offsetof(args, member.metric),             \
	  .arg = "METRIC", .help = "Put the command's own progress beside its faults: 'lines' counts " \
		  "the lines that it writes, anything else is an extended regular expression for a "  \
		  "number in them, its first group if it has one." },                                  \
	{ .name = "with-file", .type = FLT_OPT_FILE, .offset = offsetof(args, member.file),            \
	  .arg = "FILE", .help = "Look for the metric in what is appended to FILE, not in what the "   \
		  "command writes to standard output." },                                             \
	{ .name = plot_name, .type = FLT_OPT_FILE, .offset = offsetof(args, member.plot), .arg = "FILE", \
	  .help = "Draw faults, latency and the metric of --with over time as SVG." }

struct with;

/*
 * USAGE with the reason said, or DONE; *with is NULL if it was not asked for. event: what
 * else is counted, such as "huge faults"; NULL: nothing.
 */
int with_new(struct with **with, const struct flt_command *command, const struct with_args *args,
	     bool has_command, int format, const char *event);
void with_free(struct with *with);

/* flt_job_start(), with a pipe for the command's standard output. with may be NULL. -errno. */
int with_start(struct with *with, struct flt_job *job, struct flt_loop *loop, char **command,
	       struct flt_errmsg *e);

/* Since the beginning. */
struct with_counts {
	uint64_t faults;
	uint64_t latency;	/* ns, of all of them; 0: not known */
	uint64_t events;
};

/* At most each WITH_PERIOD_NS. */
void with_look(struct with *with, uint64_t now, const struct with_counts *counts);

/* When the command has ended: the rest of what it wrote, the figures, the plot. An exit status. */
int with_report(struct with *with, FILE *out);

#endif
