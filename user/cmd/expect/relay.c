// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/expect/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "observe/descriptor.h"
#include "recent.h"
#include "text/clock.h"

#define READ_BYTES 65536
/* Output that waits for its reader. Meanwhile, lines are still read in time. */
#define HELD_BYTES (4u << 20)
/* After that many reads, the recording has its turn. */
#define READS 16
/* Of a longer line, only the beginning is compared. */
#define LINE_BYTES 65536

void expect_relay_init(struct expect_relay *r, expect_line_fn fn, void *arg)
{
	*r = (struct expect_relay){ .pipe = { -1, -1 }, .fn = fn, .arg = arg, .out = -1 };
}

/*
 * Other processes share our standard output, which must stay in blocking mode. So open a pipe or
 * terminal once more. A file does not block for long, and has an offset to share.
 */
static void open_out(struct expect_relay *r)
{
	struct stat st = { 0 };

	fstat(STDOUT_FILENO, &st);
	r->is_socket = S_ISSOCK(st.st_mode);
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		r->out = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int expect_relay_open(struct expect_relay *r)
{
	r->line = malloc(LINE_BYTES + 1);
	r->bytes = malloc(HELD_BYTES);
	if (!r->line || !r->bytes)
		return -ENOMEM;
	if (pipe2(r->pipe, O_CLOEXEC) || fcntl(r->pipe[0], F_SETFL, O_NONBLOCK))
		return -errno;
	open_out(r);
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
	flt_descriptor_close(&r->pipe[0]);
	flt_descriptor_close(&r->pipe[1]);
	flt_descriptor_close(&r->out);
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

/* Return true if there is room for reading once. */
static bool has_room(struct expect_relay *r)
{
	if (r->begin == r->end)
		r->begin = r->end = 0;
	if (HELD_BYTES - r->end < READ_BYTES) {
		memmove(r->bytes, r->bytes + r->begin, r->end - r->begin);
		r->end -= r->begin;
		r->begin = 0;
	}
	return HELD_BYTES - r->end >= READ_BYTES;
}

/* Read once, if there is room. Return the number of bytes, 0 at the end, or -errno. */
static ssize_t take(struct expect_relay *r)
{
	char *bytes = r->bytes + r->end;
	ssize_t n, i;
	uint64_t time;

	do
		n = read(r->pipe[0], bytes, READ_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	time = flt_clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			end_line(r, time);
		else if (r->line_length < LINE_BYTES)
			r->line[r->line_length++] = bytes[i];
	}
	r->end += (size_t)n;
	return n;
}

/* Write what there is room for. A pipe with room takes PIPE_BUF bytes without blocking. */
static ssize_t write_some(const struct expect_relay *r, const char *bytes, size_t n)
{
	struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (r->is_socket)
		return send(STDOUT_FILENO, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (r->out >= 0)
		return write(r->out, bytes, n);
	if (poll(&room, 1, 0))
		return write(STDOUT_FILENO, bytes, n < PIPE_BUF ? n : PIPE_BUF);
	errno = EAGAIN;
	return -1;
}

/* Wait for room, because standard output may be in non-blocking mode, and write. */
static ssize_t write_waiting(const char *bytes, size_t n)
{
	struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };

	poll(&room, 1, -1);
	return write(STDOUT_FILENO, bytes, n);
}

/* Pass on what was read. Return 0, -EAGAIN if writing would block, unless wait, or -errno. */
static int pass_on(struct expect_relay *r, bool wait)
{
	const char *bytes;
	size_t n;
	ssize_t k;

	while (r->begin < r->end) {
		bytes = r->bytes + r->begin;
		n = r->end - r->begin;
		k = wait ? write_waiting(bytes, n) : write_some(r, bytes, n);
		if (k < 0 && errno != EINTR && (errno != EAGAIN || !wait))
			return -errno;
		r->begin += k < 0 ? 0 : (size_t)k;
	}
	return 0;
}

static int on_room(void *arg, int fd, short events);
static int on_output(void *arg, int fd, short events);

/* Poll what there is to wait for: output of the command, and room for what waits. */
static int watch(struct expect_relay *r)
{
	const bool reads = r->pipe[0] >= 0 && !r->ended && has_room(r);
	const bool writes = r->begin < r->end;
	int ret = 0;

	flt_loop_remove(r->loop, STDOUT_FILENO);
	if (r->pipe[0] >= 0)
		flt_loop_remove(r->loop, r->pipe[0]);
	if (!reads && !r->ended)
		r->late = EXPECT_HELD_BACK;
	if (reads)
		ret = flt_loop_add(r->loop, r->pipe[0], POLLIN, on_output, r);
	if (!ret && writes)
		ret = flt_loop_add(r->loop, STDOUT_FILENO, POLLOUT, on_room, r);
	return ret;
}

/* Without a reader, the command gets SIGPIPE, as it would without us. */
static void give_up(struct expect_relay *r, int err)
{
	r->begin = r->end = 0;
	if (err != -EPIPE)
		r->err = err;
	flt_descriptor_close(&r->pipe[0]);
}

/* Write what can be written, and wait for what follows. */
static int go_on(struct expect_relay *r)
{
	const int err = pass_on(r, false);

	if (!err || err == -EAGAIN)
		return watch(r);
	flt_loop_remove(r->loop, STDOUT_FILENO);
	flt_loop_remove(r->loop, r->pipe[0]);
	give_up(r, err);
	return 0;
}

static int on_room(void *arg, int fd, short events)
{
	(void)fd;
	(void)events;
	return go_on(arg);
}

static int on_output(void *arg, int fd, short events)
{
	struct expect_relay *r = arg;
	ssize_t n = 1;
	int i;

	(void)fd;
	(void)events;
	for (i = 0; i < READS && n > 0 && has_room(r); i++)
		n = take(r);
	/* The pipe is empty, so the command does not wait for us. */
	if (n == -EAGAIN)
		r->late = EXPECT_IN_TIME;
	r->ended = !n || (n < 0 && n != -EAGAIN);
	if (n < 0 && n != -EAGAIN)
		r->err = (int)n;
	return go_on(r);
}

int expect_relay_begin(struct expect_relay *r, struct flt_loop *loop)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	flt_descriptor_close(&r->pipe[1]);
	if (r->pipe[0] < 0)
		return 0;
	r->loop = loop;
	/* The results can still go to the file of -o. */
	r->began = !sigaction(SIGPIPE, &ignore, &r->sigpipe);
	return flt_loop_add(loop, r->pipe[0], POLLIN, on_output, r);
}

/*
 * Read and pass on until there is no more, or more than `enough` bytes were read. Return true if
 * more may follow.
 */
static bool drain(struct expect_relay *r, size_t enough)
{
	size_t sum = 0;
	ssize_t n;
	int err;

	do {
		err = pass_on(r, true);
		n = !err && has_room(r) ? take(r) : 0;
		sum += n > 0 ? (size_t)n : 0;
	} while (n > 0 && sum <= enough);
	if (err)
		give_up(r, err);
	return n > 0 || n == -EAGAIN;
}

/* Pass the rest on, in a process that keeps nothing else open. */
static void relay_rest(struct expect_relay *r)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(r->pipe[0], STDIN_FILENO) < 0)
		_exit(1);
	r->pipe[0] = STDIN_FILENO;
	/* glibc 2.31 has no close_range(). */
	syscall(SYS_close_range, STDERR_FILENO, ~0u, 0);
	fcntl(r->pipe[0], F_SETFL, 0);
	drain(r, SIZE_MAX);
	_exit(0);
}

void expect_relay_leave(struct expect_relay *r)
{
	pid_t pid;

	if (r->pipe[0] < 0)
		return;
	pid = fork();
	if (!pid)
		relay_rest(r);
	if (pid < 0)
		r->err = -errno;
	r->begin = r->end = 0;
	flt_descriptor_close(&r->pipe[0]);
}

void expect_relay_finish(struct expect_relay *r)
{
	int ready = 0;

	r->late = EXPECT_AFTER_END;
	/* Still open if the command never ran. With our own end open, reading would not end. */
	flt_descriptor_close(&r->pipe[1]);
	/* Processes that the command left may still write, and may never stop. */
	if (r->pipe[0] >= 0) {
		ioctl(r->pipe[0], FIONREAD, &ready);
		if (drain(r, (size_t)ready))
			expect_relay_leave(r);
	}
	/* The last line may lack its end. */
	if (r->line_length)
		end_line(r, flt_clock_ns(CLOCK_MONOTONIC));
	restore_sigpipe(r);
}
