/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.h - one table of options per command.
 *
 * The same array of struct flt_opt defines parsing, help, the OPTIONS section of the
 * manual page and shell completion. A command declares a struct for its arguments; each
 * row names the member that the option fills.
 *
 * These are equal: -L 140, -L140, -L=140, --limit 140, --limit=140. A list is 1,2,3 or a
 * repeated option. The words after "--" are a command to run. Every command has -h and
 * --help.
 */
#ifndef FLT_OPTS_H
#define FLT_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/errmsg.h"

enum flt_opt_type {
	FLT_OPT_END = 0,
	FLT_OPT_FLAG,		/* bool, set to true */
	FLT_OPT_SET,		/* int, set to .value; excludes others of this member */
	FLT_OPT_COUNT,		/* unsigned int, one more each time */
	FLT_OPT_U64,		/* uint64_t within [min, max]; max 0: no upper bound */
	FLT_OPT_DURATION,	/* uint64_t nanoseconds; a bare number is seconds */
	FLT_OPT_SIZE,		/* uint64_t bytes; a bare number is MiB */
	FLT_OPT_CHOICE,		/* int, index into .choices */
	FLT_OPT_STRING,		/* const char *, points into argv */
	FLT_OPT_FILE,		/* the same; the shell completes file names */
	FLT_OPT_IDS,		/* struct flt_ids, process or thread ids */
	FLT_OPT_LIST,		/* struct flt_list, a text per time that the option is given */
};

/* Ids in the order given, without duplicates. */
struct flt_ids {
	uint32_t *id;
	size_t count;
};

/* Texts in the order given. They point into argv. */
struct flt_list {
	const char **text;
	size_t count;
};

struct flt_opt {
	const char *name;	/* long name; NULL in the last row only */
	char letter;		/* short name, or 0 */
	enum flt_opt_type type;
	size_t offset;		/* of the member in the command's arguments */
	const char *arg;	/* name of the value in help */
	const char *help;	/* one or two sentences */
	const char *const *choices;	/* FLT_OPT_CHOICE: NULL-terminated */
	int value;		/* FLT_OPT_SET */
	uint64_t min, max;	/* FLT_OPT_U64, DURATION (ns), SIZE (bytes) */
	bool power_of_two;	/* the same */
	bool per_second;	/* the same; "/s" may follow */
};

/* The words that are not options. argv is NULL-terminated and not owned. */
struct flt_words {
	int argc;		/* words before "--" */
	char **argv;
	char **command;		/* the words after "--", or NULL */
	bool help;		/* -h or --help was given; ignore everything else */
};

/*
 * Fill args from argv[1..argc-1]. Members without an option keep their value. argv may be
 * reordered. -EINVAL or -ERANGE: bad usage, with a message in e. Call flt_opts_free() in any
 * case, also after a failure.
 */
int flt_opts_parse(const struct flt_opt *opts, void *args, int argc, char **argv,
		   struct flt_words *words, struct flt_errmsg *e);
void flt_opts_free(const struct flt_opt *opts, void *args);

bool flt_opt_takes_value(const struct flt_opt *opt);

#define FLT_OPT_RANGE 64
/* Write "10 to 64" or "at least 10", or nothing if the option has no bounds. Return text. */
char *flt_opt_range(char text[FLT_OPT_RANGE], const struct flt_opt *opt);

/* Return the name that is most similar to a mistyped name, or NULL. */
const char *flt_opts_nearest(const char *typed, const char *const *names);

#endif
