// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static void write_retrying(int fd, const void *data, size_t size)
{
	ssize_t n;

	do
		n = write(fd, data, size);
	while (n < 0 && errno == EINTR);
}

/* Tell the parent why the exec failed, and return the exit status of the child. */
static int report_failure(int report, int err)
{
	write_retrying(report, &err, sizeof(err));
	return flt_child_exec_status(-err);
}

/* Wait for the release. Return false if the parent exited or called flt_child_cancel(). */
static bool wait_at_gate(int gate)
{
	char byte;

	return read_retrying(gate, &byte, 1) == 1;
}

/*
 * Tell the parent that this child waits, and wait. The first round touches all pages that the
 * second one needs. So a forked child takes no fault after its second message until it is released.
 */
static bool settle_at_gate(int gate, int report)
{
	int i;

	for (i = 0; i < 2; i++) {
		write_retrying(report, "", 1);
		if (!wait_at_gate(gate))
			return false;
	}
	return true;
}

/*
 * Wait until the child has settled. Else a fault could begin before the caller observes the child,
 * and end unobserved. A child that was killed is noticed in flt_child_release().
 */
static void await_settled(const struct flt_child *child)
{
	char byte;

	if (read_retrying(child->report, &byte, 1) != 1)
		return;
	write_retrying(child->gate, "", 1);
	read_retrying(child->report, &byte, 1);
}

/* Execute the command in a forked child. Return the exit status if that fails. */
static int run_forked(const struct flt_child_setup *setup, int gate, int report)
{
	const char *const *assignment;
	int ret;

	if (!settle_at_gate(gate, report))
		return 0;
	for (assignment = setup->env; assignment && *assignment; assignment++)
		if (putenv((char *)*assignment))
			return report_failure(report, errno);
	if (setup->prepare) {
		ret = setup->prepare(setup->arg);
		if (ret)
			return report_failure(report, -ret);
	}
	if (setup->mask)
		sigprocmask(SIG_SETMASK, setup->mask, NULL);
	execvp(setup->argv[0], setup->argv);
	return report_failure(report, errno);
}

/* What the child that shares our memory needs. It is at the lower end of the stack of the child. */
struct shared {
	char **argv;
	sigset_t mask;
	int gate[2], report[2];
};

/* Room for execvp(), which builds a path, and the arguments of a shell for a script. */
static size_t stack_size(char **argv)
{
	size_t words = 0;

	while (argv[words])
		words++;
	return (64 << 10) + (words + 2) * sizeof(*argv);
}

/* Execute the command in a child that shares our memory. Return the status if that fails. */
static int run_shared(void *arg)
{
	const struct shared *shared = arg;

	/* Otherwise the gate would stay open after the parent exited. */
	close(shared->gate[1]);
	close(shared->report[0]);
	if (!wait_at_gate(shared->gate[0]))
		return 0;
	sigprocmask(SIG_SETMASK, &shared->mask, NULL);
	execvp(shared->argv[0], shared->argv);
	return report_failure(shared->report[1], errno);
}

/*
 * Start a child that shares our memory until its exec, as posix_spawn() does. A forked child
 * would take faults between fork and exec to copy pages, and wait4() and the module would count
 * them for the command. The child writes only to its own stack, and to errno in execvp(); then
 * the parent waits in flt_child_release(). All signals are blocked until just before the exec, and
 * the only handler of fltctl is that of SIGXFSZ, which the child cannot cause. So no handler runs
 * in the shared memory.
 */
static pid_t clone_shared(struct flt_child *child, const struct flt_child_setup *setup,
			  const int gate[2], const int report[2])
{
	struct shared *shared;
	sigset_t all, before;
	pid_t pid;

	child->stack_size = stack_size(setup->argv);
	child->stack = mmap(NULL, child->stack_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_POPULATE, -1, 0);
	if (child->stack == MAP_FAILED) {
		child->stack = NULL;
		return -1;
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	shared = child->stack;
	*shared = (struct shared){
		.argv = setup->argv, .mask = setup->mask ? *setup->mask : before,
		.gate = { gate[0], gate[1] }, .report = { report[0], report[1] },
	};
	pid = clone(run_shared, (char *)child->stack + (child->stack_size & ~15ul),
		    CLONE_VM | SIGCHLD, shared);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* Free the stack of a child that has executed the command or ended. */
static void free_stack(struct flt_child *child)
{
	if (child->stack)
		munmap(child->stack, child->stack_size);
	child->stack = NULL;
}

int flt_child_fork(struct flt_child *child, const struct flt_child_setup *setup,
		   struct flt_errmsg *e)
{
	const bool forked = setup->prepare || setup->env;
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
	child->pid = forked ? fork() : clone_shared(child, setup, gate, report);
	if (child->pid < 0) {
		err = -errno;
		flt_errmsg_errno(e, err, "cannot fork");
		goto err_report;
	}
	if (!child->pid) {
		close(gate[1]);
		close(report[0]);
		_exit(run_forked(setup, gate[0], report[1]));
	}
	close(gate[0]);
	close(report[1]);
	child->gate = gate[1];
	child->report = report[0];
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	if (forked)
		await_settled(child);
	return 0;

err_report:
	free_stack(child);
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
	free_stack(child);
	return 0;
}

int flt_child_release(struct flt_child *child)
{
	struct rusage usage;
	int err = 0, status;
	ssize_t n;

	write_retrying(child->gate, "", 1);
	/* End of file: the exec succeeded, or the child was killed before. */
	n = read_retrying(child->report, &err, sizeof(err));
	close_pipes(child);
	if (n != (ssize_t)sizeof(err)) {
		child->executed = true;
		free_stack(child);
		return 0;
	}
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

void flt_child_reap_orphans(const struct flt_child *command,
			    bool (*spare)(const void *arg, uint32_t pid), const void *arg)
{
	siginfo_t which;

	for (;;) {
		which.si_pid = 0;
		if (waitid(P_ALL, 0, &which, WEXITED | WNOHANG | WNOWAIT | __WALL) ||
		    !which.si_pid || which.si_pid == command->pid ||
		    (spare && spare(arg, (uint32_t)which.si_pid)))
			return;
		waitpid(which.si_pid, NULL, WNOHANG | __WALL);
	}
}

int flt_child_exit_status(int status)
{
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}
