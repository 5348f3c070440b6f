// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/expect/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "observe/observe.h"
#include "text/clock.h"

/* The command's end is moved out of the way of shells, which use small numbers. */
#define CALL_FD 100
#define MESSAGE_BYTES 160
#define READ_BYTES 65536
/* Of a longer line, only the beginning is compared. */
#define LINE_BYTES 65536

static const struct flt_mark *mark_at(const struct expect_marks *m, size_t i)
{
	const struct flt_rule *r = &m->budget->rules[i / 2];

	return i % 2 ? &r->before : &r->after;
}

static size_t mark_count(const struct expect_marks *m)
{
	return 2 * m->budget->count;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Return true if a rule uses such marks. */
static bool uses(const struct expect_marks *m, enum flt_mark_type type)
{
	size_t i;

	for (i = 0; i < mark_count(m); i++)
		if (mark_at(m, i)->type == type)
			return true;
	return false;
}

static void on_call(struct expect_marks *m, char *text)
{
	char *name;
	uint64_t time = strtoull(text, &name, 10);
	size_t i;

	if (!strcmp(text, " "))
		return;
	/* Another clock, or a time namespace, would place the mark outside of the run. */
	if (text[0] < '0' || text[0] > '9' || *name != ' ' || time < m->began ||
	    time > flt_clock_ns(CLOCK_MONOTONIC)) {
		m->invalid++;
		return;
	}
	for (i = 0; i < mark_count(m); i++)
		if (mark_at(m, i)->type == FLT_MARK_CALL && !strcmp(mark_at(m, i)->name, name + 1))
			/* Threads may send their marks in another order. */
			if (!m->times[i] || time < m->times[i])
				m->times[i] = time;
}

static void on_line(struct expect_marks *m, uint64_t time)
{
	size_t i;

	m->line[m->length] = '\0';
	m->length = 0;
	for (i = 0; i < mark_count(m); i++)
		if (m->compiled[i] && !m->times[i] && !regexec(&m->regex[i], m->line, 0, NULL, 0)) {
			m->times[i] = time;
			m->late[i] = m->ended;
		}
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	const uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	struct expect_marks *m = arg;
	size_t i;

	for (i = 0; i < mark_count(m); i++)
		if (mark_at(m, i)->type == FLT_MARK_SIGNAL && !m->times[i] &&
		    mark_at(m, i)->signal == (int)info->ssi_signo)
			m->times[i] = now;
	return 0;
}

/* Read all messages. Return false after the last end of the command's socket was closed. */
static bool read_calls(struct expect_marks *m)
{
	char text[MESSAGE_BYTES + 1];
	ssize_t n;

	for (;;) {
		n = recv(m->calls[0], text, MESSAGE_BYTES, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		text[n] = '\0';
		on_call(m, text);
	}
}

/* Return 0 or -errno. */
static int write_through(const char *bytes, size_t n)
{
	struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t k;

	while (n) {
		k = write(STDOUT_FILENO, bytes, n);
		if (k < 0 && errno == EAGAIN)
			poll(&room, 1, -1);
		else if (k < 0 && errno != EINTR)
			return -errno;
		bytes += k < 0 ? 0 : k;
		n -= k < 0 ? 0 : (size_t)k;
	}
	return 0;
}

static void take_output(struct expect_marks *m, const char *bytes, size_t n, uint64_t time)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			on_line(m, time);
		else if (m->length < LINE_BYTES)
			m->line[m->length++] = bytes[i];
	}
}

/* Read and pass on all output. Return false after its end, or if it cannot be passed on. */
static bool read_output(struct expect_marks *m)
{
	static char bytes[READ_BYTES];
	uint64_t time;
	ssize_t n;

	for (;;) {
		n = read(m->output[0], bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		time = flt_clock_ns(CLOCK_MONOTONIC);
		take_output(m, bytes, (size_t)n, time);
		m->output_error = write_through(bytes, (size_t)n);
		if (m->output_error)
			return false;
	}
}

/* Pass on what still writes to the pipe, in a process of its own, until the last writer ends. */
static void leave_output(struct expect_marks *m)
{
	pid_t pid;

	if (m->output[0] < 0)
		return;
	pid = fork();
	if (!pid) {
		fcntl(m->output[0], F_SETFL, 0);
		close_fd(&m->calls[0]);
		while (read_output(m))
			;
		_exit(0);
	}
	if (pid < 0)
		m->output_error = -errno;
	close_fd(&m->output[0]);
}

/* The command runs on, but nothing reads its marks any longer. */
static void abandon(void *arg)
{
	struct expect_marks *m = arg;

	leave_output(m);
	close_fd(&m->calls[0]);
}

static int on_calls(void *arg, int fd, short events)
{
	struct expect_marks *m = arg;

	(void)events;
	if (!read_calls(m))
		flt_loop_remove(m->loop, fd);
	return 0;
}

static int on_output(void *arg, int fd, short events)
{
	struct expect_marks *m = arg;

	(void)events;
	if (read_output(m))
		return 0;
	flt_loop_remove(m->loop, fd);
	/* Without a reader, the command gets the error as well. */
	if (m->output_error)
		close_fd(&m->output[0]);
	return 0;
}

/* The command was forked and has its ends. Close ours, and read from the others. */
static int arm(void *arg, struct flt_loop *loop)
{
	struct expect_marks *m = arg;
	int ret = 0;

	m->loop = loop;
	m->began = flt_clock_ns(CLOCK_MONOTONIC);
	close_fd(&m->calls[1]);
	close_fd(&m->output[1]);
	if (m->calls[0] >= 0)
		ret = flt_loop_add(loop, m->calls[0], POLLIN, on_calls, m);
	if (!ret && m->output[0] >= 0)
		ret = flt_loop_add(loop, m->output[0], POLLIN, on_output, m);
	return ret;
}

int expect_marks_prepare(void *arg)
{
	const struct expect_marks *m = arg;
	char number[16];
	int fd;

	if (m->output[1] >= 0 && dup2(m->output[1], STDOUT_FILENO) < 0)
		return -errno;
	if (m->calls[1] < 0)
		return 0;
	fd = fcntl(m->calls[1], F_DUPFD, CALL_FD);
	if (fd < 0)
		fd = fcntl(m->calls[1], F_DUPFD, 3);
	if (fd < 0)
		return -errno;
	snprintf(number, sizeof(number), "%d", fd);
	return setenv("FLT_MARK_FD", number, 1) ? -errno : 0;
}

static int open_channels(struct expect_marks *m)
{
	/* The command must not hang if fltctl does not read. */
	const struct timeval patience = { .tv_sec = 10 };

	if (uses(m, FLT_MARK_CALL)) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, m->calls))
			return -errno;
		if (setsockopt(m->calls[1], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)))
			return -errno;
	}
	if (uses(m, FLT_MARK_LINE)) {
		if (pipe2(m->output, O_CLOEXEC) || fcntl(m->output[0], F_SETFL, O_NONBLOCK))
			return -errno;
	}
	return 0;
}

int expect_marks_new(struct expect_marks *m, const struct flt_budget *budget)
{
	const size_t n = 2 * budget->count;
	size_t i;

	*m = (struct expect_marks){
		.budget = budget, .calls = { -1, -1 }, .output = { -1, -1 },
		.watch = { .arm = arm, .signal = on_signal, .abandon = abandon,
			   .arg = m },
	};
	m->times = calloc(n + 1, sizeof(*m->times));
	m->regex = calloc(n + 1, sizeof(*m->regex));
	m->compiled = calloc(n + 1, sizeof(*m->compiled));
	m->late = calloc(n + 1, sizeof(*m->late));
	m->line = malloc(LINE_BYTES + 1);
	if (!m->times || !m->regex || !m->compiled || !m->late || !m->line)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (mark_at(m, i)->type == FLT_MARK_SIGNAL)
			m->watch.signals |= FLT_OBSERVE_SIGNAL(mark_at(m, i)->signal);
		if (mark_at(m, i)->type != FLT_MARK_LINE)
			continue;
		if (regcomp(&m->regex[i], mark_at(m, i)->name, REG_EXTENDED | REG_NOSUB))
			return -EINVAL;
		m->compiled[i] = true;
	}
	return open_channels(m);
}

void expect_marks_finish(struct expect_marks *m)
{
	m->ended = true;
	/* Still open if the command never ran. With our own ends open, reading would not end. */
	close_fd(&m->calls[1]);
	close_fd(&m->output[1]);
	if (m->calls[0] >= 0)
		read_calls(m);
	/* Processes that the command left may still write. */
	if (m->output[0] >= 0 && read_output(m))
		leave_output(m);
	/* The last line may lack its end. */
	if (m->length)
		on_line(m, flt_clock_ns(CLOCK_MONOTONIC));
}

void expect_marks_free(struct expect_marks *m)
{
	size_t i;

	for (i = 0; m->compiled && i < mark_count(m); i++)
		if (m->compiled[i])
			regfree(&m->regex[i]);
	close_fd(&m->calls[0]);
	close_fd(&m->calls[1]);
	close_fd(&m->output[0]);
	close_fd(&m->output[1]);
	free(m->times);
	free(m->regex);
	free(m->compiled);
	free(m->late);
	free(m->line);
}
