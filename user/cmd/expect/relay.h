/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay.h - read the lines of the command's standard output, and pass the output on unchanged.
 *
 * A slow reader of our standard output slows the command, but not the recording: before the command
 * has ended, writing does not block.
 */
#ifndef FLT_CMD_EXPECT_RELAY_H
#define FLT_CMD_EXPECT_RELAY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/loop.h"

/* Whether a line was read soon after the command wrote it. */
enum expect_late {
	EXPECT_IN_TIME = 0,
	EXPECT_AFTER_END,	/* read when the command had ended */
	EXPECT_HELD_BACK,	/* too much waited for the reader of our standard output */
};

/* A line of the output without its end. time: of reading, CLOCK_MONOTONIC ns. */
typedef void (*expect_line_fn)(void *arg, const char *line, uint64_t time, enum expect_late late);

struct expect_relay {
	int pipe[2];		/* the command's standard output; -1: none */
	struct flt_loop *loop;
	expect_line_fn fn;
	void *arg;
	char *line;		/* the incomplete last line */
	size_t line_length;
	char *bytes;		/* read: [begin, end) is not passed on yet */
	size_t begin, end;
	int out;		/* our standard output without blocking, or -1 */
	bool is_socket;		/* our standard output is one */
	enum expect_late late;	/* of what is read next */
	struct sigaction sigpipe;	/* before expect_relay_begin() */
	bool began;
	bool ended;		/* all writers have closed the pipe */
	int err;		/* -errno: cannot pass the output on */
};

/* A relay without a pipe, of which all functions may be called. */
void expect_relay_init(struct expect_relay *relay, expect_line_fn fn, void *arg);
/* Make the pipe. Return 0 or -errno. Call expect_relay_free() also after an error. */
int expect_relay_open(struct expect_relay *relay);
void expect_relay_free(struct expect_relay *relay);

/* Make the pipe the standard output. Call in the child. Return 0 or -errno. */
int expect_relay_prepare(const struct expect_relay *relay);
/* Call when the command was forked. Return 0 or -errno. */
int expect_relay_begin(struct expect_relay *relay, struct flt_loop *loop);
/*
 * Read what the command wrote last, and pass everything on. Call after the command ended. What
 * its children write later is passed on by a process of its own.
 */
void expect_relay_finish(struct expect_relay *relay);
/* Leave the rest of the output to a process of its own. */
void expect_relay_leave(struct expect_relay *relay);

#endif
