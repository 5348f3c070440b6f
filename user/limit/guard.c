// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static ssize_t read_retrying(int fd, void *data, size_t size)
{
	ssize_t n;

	do
		n = read(fd, data, size);
	while (n < 0 && errno == EINTR);
	return n;
}

/*
 * The guard's own descriptors are the journal, which it inherited, and the two pipe ends. It keeps
 * no terminal and no pipe of a pipeline open.
 */
static void detach(int gate, int report)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

	/* All signals stay blocked. Without a reader of the report, write() fails. */
	setsid();
	prctl(PR_SET_NAME, "fltctl-guard");
	for (fd = 0; fd <= 2; fd++)
		if (fd != gate && fd != report && null >= 0)
			dup2(null, fd);
}

static void guard(struct flt_journal *journal, int gate, int report)
{
	struct flt_errmsg e = { "" };
	char byte;
	int err;
	ssize_t n;

	detach(gate, report);
	while (read_retrying(gate, &byte, 1) > 0)
		;
	err = flt_journal_undo(journal, &e);
	if (err) {
		/* fltctl may be dead; then `fltctl check` finds the journal. */
		n = write(report, flt_errmsg_text(&e, err), strlen(flt_errmsg_text(&e, err)));
		(void)n;
	}
	_exit(err ? 1 : 0);
}

int flt_guard_start(struct flt_guard *g, struct flt_journal *journal, struct flt_errmsg *e)
{
	int gate[2], report[2];
	sigset_t all, before;

	*g = (struct flt_guard){ .pid = -1, .gate = -1, .report = -1 };
	if (pipe2(gate, O_CLOEXEC))
		return flt_errmsg_errno(e, -errno, "cannot make a pipe");
	if (pipe2(report, O_CLOEXEC)) {
		close(gate[0]);
		close(gate[1]);
		return flt_errmsg_errno(e, -errno, "cannot make a pipe");
	}
	/* A signal of the terminal must not reach the guard before it has left the group. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	g->pid = fork();
	if (!g->pid) {
		close(gate[1]);
		close(report[0]);
		guard(journal, gate[0], report[1]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(gate[0]);
	close(report[1]);
	g->gate = gate[1];
	g->report = report[0];
	if (g->pid > 0)
		return 0;
	close(g->gate);
	close(g->report);
	return flt_errmsg_errno(e, -errno, "cannot fork");
}

int flt_guard_end(struct flt_guard *g, struct flt_errmsg *e)
{
	struct flt_errmsg own = { "" };
	int status = 0;
	ssize_t n;

	if (g->pid <= 0)
		return 0;
	close(g->gate);
	n = read_retrying(g->report, own.text, sizeof(own.text) - 1);
	close(g->report);
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	g->pid = -1;
	if (n > 0)
		return flt_errmsg_set(e, -EIO, "%s", own.text);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return flt_errmsg_set(e, -EIO, "cannot undo changes of this machine: the guard was "
				      "killed (run fltctl check --repair)");
	return 0;
}
