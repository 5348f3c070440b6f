// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/expect/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observe/descriptor.h"
#include "observe/observe.h"
#include "text/clock.h"

/* The command's end is moved out of the way of shells, which use small numbers. */
#define CALL_FD 100
#define MESSAGE_BYTES 160
#define MESSAGES 4096

static const struct flt_mark *mark_at(const struct expect_marks *m, size_t i)
{
	const struct flt_rule *r = &m->budget->rules[i / 2];

	return i % 2 ? &r->before : &r->after;
}

static size_t mark_count(const struct expect_marks *m)
{
	return 2 * m->budget->count;
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

static void on_line(void *arg, const char *line, uint64_t time, enum expect_late late)
{
	struct expect_marks *m = arg;
	size_t i;

	for (i = 0; i < mark_count(m); i++)
		if (m->compiled[i] && !m->times[i] && !regexec(&m->regex[i], line, 0, NULL, 0)) {
			m->times[i] = time;
			m->late[i] = late;
		}
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	const uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	struct expect_marks *m = arg;
	size_t i;

	if (!(m->watch.signals & FLT_OBSERVE_SIGNAL((int)info->ssi_signo)) &&
	    info->ssi_signo != SIGCHLD)
		m->interrupted = (int)info->ssi_signo;
	for (i = 0; i < mark_count(m); i++)
		if (mark_at(m, i)->type == FLT_MARK_SIGNAL && !m->times[i] &&
		    mark_at(m, i)->signal == (int)info->ssi_signo)
			m->times[i] = now;
	return 0;
}

/*
 * Read messages, at most as many as a socket holds. Return false after the last end of the
 * command's socket was closed.
 */
static bool read_calls(struct expect_marks *m)
{
	char text[MESSAGE_BYTES + 1];
	ssize_t n;
	int i;

	for (i = 0; i < MESSAGES; i++) {
		n = recv(m->calls[0], text, MESSAGE_BYTES, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		text[n] = '\0';
		on_call(m, text);
	}
	return true;
}

/* The command runs on, but nothing reads its marks any longer. */
static void abandon(void *arg)
{
	struct expect_marks *m = arg;

	flt_descriptor_close(&m->calls[0]);
	expect_relay_leave(&m->relay);
}

static int on_calls(void *arg, int fd, short events)
{
	struct expect_marks *m = arg;

	(void)events;
	if (!read_calls(m))
		flt_loop_remove(m->loop, fd);
	return 0;
}

/* The command was forked and has its ends. Close ours, and read from the others. */
static int arm(void *arg, struct flt_loop *loop)
{
	struct expect_marks *m = arg;
	int ret = 0;

	m->loop = loop;
	m->began = flt_clock_ns(CLOCK_MONOTONIC);
	flt_descriptor_close(&m->calls[1]);
	if (m->calls[0] >= 0)
		ret = flt_loop_add(loop, m->calls[0], POLLIN, on_calls, m);
	return ret ? ret : expect_relay_begin(&m->relay, loop);
}

int expect_marks_prepare(void *arg)
{
	const struct expect_marks *m = arg;
	char number[16], inode[24];
	struct stat st;
	int fd, err = expect_relay_prepare(&m->relay);

	if (err || m->calls[1] < 0)
		return err;
	fd = fcntl(m->calls[1], F_DUPFD, CALL_FD);
	if (fd < 0)
		fd = fcntl(m->calls[1], F_DUPFD, 3);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	snprintf(number, sizeof(number), "%d", fd);
	snprintf(inode, sizeof(inode), "%ju", (uintmax_t)st.st_ino);
	return setenv("FLT_MARK_FD", number, 1) || setenv("FLT_MARK_INODE", inode, 1) ? -errno : 0;
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
	return uses(m, FLT_MARK_LINE) ? expect_relay_open(&m->relay) : 0;
}

int expect_marks_new(struct expect_marks *m, const struct flt_budget *budget)
{
	const size_t n = 2 * budget->count;
	size_t i;

	*m = (struct expect_marks){
		.budget = budget, .calls = { -1, -1 },
		.watch = { .arm = arm, .signal = on_signal, .abandon = abandon,
			   .arg = m },
	};
	expect_relay_init(&m->relay, on_line, m);
	m->times = calloc(n + 1, sizeof(*m->times));
	m->regex = calloc(n + 1, sizeof(*m->regex));
	m->compiled = calloc(n + 1, sizeof(*m->compiled));
	m->late = calloc(n + 1, sizeof(*m->late));
	if (!m->times || !m->regex || !m->compiled || !m->late)
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
	/* Still open if the command never ran. With our own end open, reading would not end. */
	flt_descriptor_close(&m->calls[1]);
	if (m->calls[0] >= 0)
		read_calls(m);
	expect_relay_finish(&m->relay);
}

void expect_marks_free(struct expect_marks *m)
{
	size_t i;

	for (i = 0; m->compiled && i < mark_count(m); i++)
		if (m->compiled[i])
			regfree(&m->regex[i]);
	flt_descriptor_close(&m->calls[0]);
	flt_descriptor_close(&m->calls[1]);
	expect_relay_free(&m->relay);
	free(m->times);
	free(m->regex);
	free(m->compiled);
	free(m->late);
}
