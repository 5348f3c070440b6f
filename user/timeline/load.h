/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.h - read a trace file from the beginning to the end. */
#ifndef FLT_TIMELINE_LOAD_H
#define FLT_TIMELINE_LOAD_H

#include "cli/command.h"
#include "cli/progress.h"
#include "model/recording/recording.h"
#include "model/recording/filter.h"
#include "source/file/file.h"

struct flt_load {
	struct flt_progress *progress;	/* NULL: show none. Set by the caller, who begins it */
	bool internals;			/* show the recorder's own functions. Set by the caller */
	uint32_t kinds;			/* that the caller selects, bit per enum flt_kind; 0: all */
	const struct flt_ids *pids;	/* must be in the file; NULL: none. Set by the caller */
	const struct flt_command *command;
	const char *path;
	struct flt_recording *rec;
	struct flt_file_header head;
	uint64_t faults;		/* records read */
	uint64_t first, last;		/* times of the first and last fault */
	uint64_t chunks, damaged, skipped;
	enum flt_damage damage;		/* the first damage and its offset */
	uint64_t damage_offset;
	uint64_t lost[FLT_LOSS_MAX];
};

/* The option that names the recording; `member` is a const char *. */
#define FLT_LOAD_INPUT_OPT(args, member)						\
	{ .name = "input", .letter = 'i', .type = FLT_OPT_FILE,				\
	  .offset = offsetof(args, member), .arg = "FILE",				\
	  .help = "Read this recording. Default: flt.data." }
/* Return the path of the recording to read: that of the option, the first word or flt.data. */
const char *flt_load_path(const struct flt_run *run, const char *input);

/*
 * Gets faults in the order of the file. load->rec has everything that precedes them in the file.
 * A return value other than 0 ends the reading.
 */
typedef int (*flt_load_fn)(void *arg, struct flt_load *load, const struct flt_fault *faults,
			   size_t n);

/*
 * Read a file. load is zero, but for what the caller sets. A progress shows how much was read,
 * and is then erased. Damaged chunks are skipped and counted. Report errors, also that perf events
 * have no kinds to select, and processes that are not in the file. Return the exit status. Call
 * flt_load_free() also after an error.
 */
int flt_load_file(struct flt_load *load, const struct flt_command *command, const char *path,
		  flt_load_fn fn, void *arg);
void flt_load_free(struct flt_load *load);

/* Report what the recording misses. Return FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE. */
int flt_load_verdict(const struct flt_load *load);

const char *flt_load_loss_name(enum flt_file_loss cause);

/* Values of the options that select faults. */
struct flt_load_filter {
	const char *kinds, *ops;
	int touch;			/* 0: all; else enum flt_touch + 1 */
	bool major;
	uint64_t from, until;		/* ns since the beginning of the recording */
	struct flt_ids pids;
};

/* The options that select faults. `member` is the struct flt_load_filter in `args`. */
#define FLT_LOAD_FILTER_OPTS(args, member) \
	{ .name = "kind", .type = FLT_OPT_STRING, .offset = offsetof(args, member.kinds), \
	  .arg = "KIND,...", \
	  .help = "Use only faults of these kinds: " FLT_FAULT_FILTER_KINDS "." }, \
	{ .name = "op", .type = FLT_OPT_STRING, .offset = offsetof(args, member.ops), \
	  .arg = "OP,...", .help = "Use only read, write, exec or unknown accesses." }, \
	{ .name = "alloc", .type = FLT_OPT_SET, .offset = offsetof(args, member.touch), \
	  .value = 1, .help = "Use only first touches, which show where memory is taken." }, \
	{ .name = "refault", .type = FLT_OPT_SET, .offset = offsetof(args, member.touch), \
	  .value = 2, .help = "Use only refaults: touches of evicted pages." }, \
	{ .name = "major", .type = FLT_OPT_FLAG, .offset = offsetof(args, member.major), \
	  .help = "Use only major faults." }, \
	{ .name = "from", .type = FLT_OPT_DURATION, .offset = offsetof(args, member.from), \
	  .arg = "TIME", \
	  .help = "Use only faults from TIME after the beginning of the recording." }, \
	{ .name = "until", .type = FLT_OPT_DURATION, .offset = offsetof(args, member.until), \
	  .arg = "TIME", \
	  .help = "Use only faults before TIME after the beginning of the recording." }, \
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS, \
	  .offset = offsetof(args, member.pids), .arg = "PID,...", \
	  .help = "Use only faults of these processes." }

/* Convert the options to a filter. Report errors. Return FLT_EXIT_DONE or the exit status. */
int flt_load_filter_parse(const struct flt_command *command, const struct flt_load_filter *asked,
			  struct flt_fault_filter *filter);
/* Set the times of the filter. Call when load->head is known. */
void flt_load_filter_clock(const struct flt_load_filter *asked, const struct flt_load *load,
			   struct flt_fault_filter *filter);

#endif
