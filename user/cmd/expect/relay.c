// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/expect/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "text/clock.h"

#define READ_BYTES 65536
/* After that many reads, the recording has its turn. */
#define READS 16
/* Of a longer line, only the beginning is compared. */
#define LINE_BYTES 65536

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void expect_relay_init(struct expect_relay *r, expect_line_fn fn, void *arg)
{
	*r = (struct expect_relay){ .pipe = { -1, -1 }, .fn = fn, .arg = arg };
}

int expect_relay_open(struct expect_relay *r)
{
	r->line = malloc(LINE_BYTES + 1);
	r->bytes = malloc(READ_BYTES);
	if (!r->line || !r->bytes)
		return -ENOMEM;
	if (pipe2(r->pipe, O_CLOEXEC) || fcntl(r->pipe[0], F_SETFL, O_NONBLOCK))
		return -errno;
	return 0;
}

static void restore_sigpipe(struct expect_relay *r)
{
	if (r->began)
		sigaction(SIGPIPE, &r->sigpipe, NULL);
	r->began = false;
}

void expect_relay_free(struct expect_relay *r)
{
	restore_sigpipe(r);
	close_fd(&r->pipe[0]);
	close_fd(&r->pipe[1]);
	free(r->line);
	free(r->bytes);
	r->line = r->bytes = NULL;
}

int expect_relay_prepare(const struct expect_relay *r)
{
	return r->pipe[1] >= 0 && dup2(r->pipe[1], STDOUT_FILENO) < 0 ? -errno : 0;
}

static void end_line(struct expect_relay *r, uint64_t time)
{
	r->line[r->line_length] = '\0';
	r->line_length = 0;
	r->fn(r->arg, r->line, time, r->late);
}

/* Read once. Return the number of bytes, 0 at the end, or -errno. */
static ssize_t take(struct expect_relay *r)
{
	ssize_t n, i;
	uint64_t time;

	do
		n = read(r->pipe[0], r->bytes, READ_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	time = flt_clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < n; i++) {
		if (r->bytes[i] == '\n')
			end_line(r, time);
		else if (r->line_length < LINE_BYTES)
			r->line[r->line_length++] = r->bytes[i];
	}
	r->begin = 0;
	r->end = (size_t)n;
	return n;
}

/*
 * Pass on what was read. Return 0, -EAGAIN if writing would block, unless wait, or -errno. A pipe
 * that has room takes PIPE_BUF bytes without blocking. Our standard output stays in blocking mode,
 * which other processes share.
 */
static int pass_on(struct expect_relay *r, bool wait)
{
	struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };
	size_t n;
	ssize_t k;

	while (r->begin < r->end) {
		if (!poll(&room, 1, wait ? -1 : 0))
			return -EAGAIN;
		n = r->end - r->begin;
		k = write(STDOUT_FILENO, r->bytes + r->begin, n < PIPE_BUF ? n : PIPE_BUF);
		if (k < 0 && errno == EAGAIN && !wait)
			return -EAGAIN;
		if (k < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		r->begin += k < 0 ? 0 : (size_t)k;
	}
	return 0;
}

/* Without a reader, the command gets SIGPIPE, as it would without us. */
static void give_up(struct expect_relay *r, int err)
{
	r->begin = r->end = 0;
	if (err != -EPIPE)
		r->err = err;
	close_fd(&r->pipe[0]);
}

static int on_output(void *arg, int fd, short events);

static int on_room(void *arg, int fd, short events)
{
	struct expect_relay *r = arg;
	const int err = pass_on(r, false);

	(void)events;
	if (err == -EAGAIN)
		return 0;
	flt_loop_remove(r->loop, fd);
	if (err)
		give_up(r, err);
	return err ? 0 : flt_loop_add(r->loop, r->pipe[0], POLLIN, on_output, r);
}

static int on_output(void *arg, int fd, short events)
{
	struct expect_relay *r = arg;
	ssize_t n = 1;
	int i, err = 0;

	(void)events;
	for (i = 0; i < READS && n > 0 && !err; i++) {
		n = take(r);
		err = n > 0 ? pass_on(r, false) : 0;
	}
	/* The pipe is empty, so the command does not wait for us. */
	if (n == -EAGAIN)
		r->late = EXPECT_IN_TIME;
	if (!err && (n > 0 || n == -EAGAIN))
		return 0;
	flt_loop_remove(r->loop, fd);
	if (err == -EAGAIN) {
		r->late = EXPECT_HELD_BACK;
		return flt_loop_add(r->loop, STDOUT_FILENO, POLLOUT, on_room, r);
	}
	if (err || n < 0)
		give_up(r, err ? err : (int)n);
	return 0;
}

int expect_relay_begin(struct expect_relay *r, struct flt_loop *loop)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	close_fd(&r->pipe[1]);
	if (r->pipe[0] < 0)
		return 0;
	r->loop = loop;
	/* The results can still go to the file of -o. */
	r->began = !sigaction(SIGPIPE, &ignore, &r->sigpipe);
	return flt_loop_add(loop, r->pipe[0], POLLIN, on_output, r);
}

/* Pass everything on that can be read now. Return true if more may follow. */
static bool drain(struct expect_relay *r)
{
	ssize_t n;
	int err;

	do {
		err = pass_on(r, true);
		n = err ? 0 : take(r);
	} while (n > 0);
	if (err)
		give_up(r, err);
	return n == -EAGAIN;
}

void expect_relay_leave(struct expect_relay *r)
{
	pid_t pid;

	if (r->pipe[0] < 0)
		return;
	pid = fork();
	if (!pid) {
		fcntl(r->pipe[0], F_SETFL, 0);
		drain(r);
		_exit(0);
	}
	if (pid < 0)
		r->err = -errno;
	r->begin = r->end = 0;
	close_fd(&r->pipe[0]);
}

void expect_relay_finish(struct expect_relay *r)
{
	r->late = EXPECT_AFTER_END;
	/* Still open if the command never ran. With our own end open, reading would not end. */
	close_fd(&r->pipe[1]);
	/* Processes that the command left may still write. */
	if (r->pipe[0] >= 0 && drain(r))
		expect_relay_leave(r);
	/* The last line may lack its end. */
	if (r->line_length)
		end_line(r, flt_clock_ns(CLOCK_MONOTONIC));
	restore_sigpipe(r);
}
