// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static ssize_t read_retrying(int fd, void *data, size_t size)
{
	ssize_t n;

	do
		n = read(fd, data, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static void report_and_exit(int report, int err)
{
	ssize_t n;

	do
		n = write(report, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	_exit(flt_child_exec_status(-err));
}

static void run_child(const struct flt_child_setup *setup, int gate, int report)
{
	const char *const *assignment;
	char byte;
	int ret;

	/* End of file: the parent exited or called flt_child_cancel(). */
	if (read_retrying(gate, &byte, 1) != 1)
		_exit(0);

	for (assignment = setup->env; assignment && *assignment; assignment++)
		if (putenv((char *)*assignment))
			report_and_exit(report, errno);
	if (setup->prepare) {
		ret = setup->prepare(setup->arg);
		if (ret)
			report_and_exit(report, -ret);
	}
	if (setup->mask)
		sigprocmask(SIG_SETMASK, setup->mask, NULL);
	execvp(setup->argv[0], setup->argv);
	report_and_exit(report, errno);
}

int flt_child_fork(struct flt_child *child, const struct flt_child_setup *setup,
		   struct flt_errmsg *e)
{
	int gate[2], report[2], err;

	*child = (struct flt_child){ .pid = -1, .gate = -1, .report = -1, .pidfd = -1 };
	if (pipe2(gate, O_CLOEXEC)) {
		err = -errno;
		return flt_errmsg_errno(e, err, "cannot make a pipe");
	}
	if (pipe2(report, O_CLOEXEC)) {
		err = -errno;
		flt_errmsg_errno(e, err, "cannot make a pipe");
		goto err_gate;
	}
	child->pid = fork();
	if (child->pid < 0) {
		err = -errno;
		flt_errmsg_errno(e, err, "cannot fork");
		goto err_report;
	}
	if (!child->pid) {
		/* Otherwise the gate would stay open after the parent exited. */
		close(gate[1]);
		close(report[0]);
		run_child(setup, gate[0], report[1]);
	}
	close(gate[0]);
	close(report[1]);
	child->gate = gate[1];
	child->report = report[0];
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	return 0;

err_report:
	close(report[0]);
	close(report[1]);
err_gate:
	close(gate[0]);
	close(gate[1]);
	return err;
}

static void close_pipes(struct flt_child *child)
{
	if (child->gate >= 0)
		close(child->gate);
	if (child->report >= 0)
		close(child->report);
	child->gate = -1;
	child->report = -1;
}

static int reap(struct flt_child *child, int *status, struct rusage *usage, int flags)
{
	pid_t pid;

	do {
		pid = wait4(child->pid, status, flags, usage);
		if (pid > 0 && WIFSTOPPED(*status) && child->stopped)
			child->stopped(child->stopped_arg, (uint32_t)pid, *status);
	} while ((pid < 0 && errno == EINTR) || (pid > 0 && WIFSTOPPED(*status)));
	if (pid < 0)
		return -errno;
	if (!pid)
		return -EAGAIN;
	if (child->pidfd >= 0)
		close(child->pidfd);
	child->pidfd = -1;
	child->pid = -1;
	close_pipes(child);
	return 0;
}

int flt_child_release(struct flt_child *child)
{
	struct rusage usage;
	int err = 0, status;
	ssize_t n;

	do
		n = write(child->gate, "", 1);
	while (n < 0 && errno == EINTR);
	/* End of file: the exec succeeded, or the child was killed before. */
	n = read_retrying(child->report, &err, sizeof(err));
	close_pipes(child);
	if (n != (ssize_t)sizeof(err))
		return 0;
	reap(child, &status, &usage, 0);
	return err ? -err : -EIO;
}

int flt_child_exec_status(int err)
{
	return err == -ENOENT || err == -ENOTDIR ? FLT_CHILD_NOT_FOUND : FLT_CHILD_CANNOT_RUN;
}

void flt_child_cancel(struct flt_child *child)
{
	struct rusage usage;
	int status;

	if (child->pid <= 0)
		return;
	close_pipes(child);
	reap(child, &status, &usage, 0);
}

int flt_child_wait(struct flt_child *child, int *status, struct rusage *usage)
{
	return reap(child, status, usage, 0);
}

int flt_child_poll(struct flt_child *child, int *status, struct rusage *usage)
{
	return reap(child, status, usage, WNOHANG);
}

int flt_child_exit_status(int status)
{
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}
