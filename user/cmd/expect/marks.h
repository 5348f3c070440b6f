/* SPDX-License-Identifier: GPL-2.0-or-later */
/* marks.h - the marks of a budget: calls of flt_mark(), lines of the output, signals. */
#ifndef FLT_CMD_EXPECT_MARKS_H
#define FLT_CMD_EXPECT_MARKS_H

#include <regex.h>

#include "capture/setup.h"
#include "cmd/expect/relay.h"
#include "model/budget/budget.h"

struct expect_marks {
	const struct flt_budget *budget;
	/* CLOCK_MONOTONIC ns of the first time: [2 * rule] of .after, [2 * rule + 1] of .before. */
	uint64_t *times;
	regex_t *regex;		/* the same, for lines */
	bool *compiled;
	enum expect_late *late;	/* the same, for lines */
	uint64_t began;		/* CLOCK_MONOTONIC ns: when the command was about to start */
	int calls[2];		/* socket: ours and that of the command; -1: none */
	struct expect_relay relay;	/* of lines */
	int interrupted;	/* a signal that ends programs, such as SIGTERM, or 0 */
	uint64_t invalid;	/* messages that are not marks */
	struct flt_loop *loop;
	struct flt_capture_watch watch;
};

/* Prepare the marks that the budget uses. Free them also after an error. Return -errno. */
int expect_marks_new(struct expect_marks *marks, const struct flt_budget *budget);
void expect_marks_free(struct expect_marks *marks);

/* For struct flt_capture_setup: give the command its end of socket and pipe. arg: the marks. */
int expect_marks_prepare(void *arg);
/* Read what the command wrote last. Call after the command ended. */
void expect_marks_finish(struct expect_marks *marks);

#endif
