/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opts.h - one table of options per command.
 *
 * Parsing, help text, the OPTIONS section of the manual page and shell
 * completion are all made from the same array of struct flt_opt. A command
 * declares a struct for its arguments, and each row names the member it fills.
 *
 * Taken alike: -L 140, -L140, -L=140, --limit 140, --limit=140; lists as 1,2,3
 * or by repeating the option. Everything behind a word "--" is a command to
 * run. -h and --help are understood by every command.
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
	FLT_OPT_SET,		/* int, set to .value */
	FLT_OPT_COUNT,		/* unsigned int, one more each time */
	FLT_OPT_U64,		/* uint64_t within [min, max]; max 0: no upper bound */
	FLT_OPT_DURATION,	/* uint64_t nanoseconds; a bare number is seconds */
	FLT_OPT_SIZE,		/* uint64_t bytes; a bare number is MiB */
	FLT_OPT_CHOICE,		/* int, index into .choices */
	FLT_OPT_STRING,		/* const char *, points into argv */
	FLT_OPT_FILE,		/* the same; the shell completes file names */
	FLT_OPT_IDS,		/* struct flt_ids, process or thread ids */
};

/* Ids in the order given, each once. */
struct flt_ids {
	uint32_t *id;
	size_t count;
};

struct flt_opt {
	const char *name;	/* long name, never NULL but in the last row */
	char letter;		/* short name, or 0 */
	enum flt_opt_type type;
	size_t offset;		/* of the member in the command's arguments */
	const char *arg;	/* what help calls the value */
	const char *help;	/* one or two sentences */
	const char *const *choices;	/* FLT_OPT_CHOICE: NULL-terminated */
	int value;		/* FLT_OPT_SET */
	uint64_t min, max;	/* FLT_OPT_U64, DURATION (ns), SIZE (bytes) */
	bool power_of_two;	/* the same */
	bool per_second;	/* the same; "/s" may follow */
};

/* What is left when the options are gone. argv is NULL-terminated, not owned. */
struct flt_words {
	int argc;		/* words that were no options, before "--" */
	char **argv;
	char **command;		/* what stood behind "--", or NULL */
	bool help;		/* -h or --help was given: nothing else counts */
};

/*
 * Fills args from argv[1..argc-1]; members without an option keep their value.
 * May reorder argv. -EINVAL or -ERANGE with a sentence in e: bad usage. What the
 * table allocated in args is released by flt_opts_free(), also after a failure.
 */
int flt_opts_parse(const struct flt_opt *opts, void *args, int argc, char **argv,
		   struct flt_words *words, struct flt_errmsg *e);
void flt_opts_free(const struct flt_opt *opts, void *args);

bool flt_opt_takes_value(const struct flt_opt *opt);

/* The name in the list that a mistyped one was most likely meant to be, or NULL. */
const char *flt_opts_nearest(const char *typed, const char *const *names);

#endif
