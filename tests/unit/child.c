// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "observe/child.h"
#include "observe/loop.h"

static int run(char **argv, int *status)
{
	struct flt_child_setup setup = { .argv = argv };
	struct flt_child child;
	struct rusage usage;
	int ret;

	assert_int_equal(flt_child_fork(&child, &setup, NULL), 0);
	ret = flt_child_release(&child);
	if (!ret)
		assert_int_equal(flt_child_wait(&child, status, &usage), 0);
	/* The child is reaped, whatever its exit status. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return ret;
}

static void wait_returns_exit_statuses(void **state)
{
	int status;

	(void)state;
	assert_int_equal(run((char *[]){ (char *)"sh", (char *)"-c", (char *)"exit 7", NULL },
			     &status), 0);
	assert_int_equal(flt_child_exit_status(status), 7);
	assert_int_equal(run((char *[]){ (char *)"sh", (char *)"-c", (char *)"kill -9 $$", NULL },
			     &status), 0);
	assert_int_equal(flt_child_exit_status(status), 137);
	assert_int_equal(run((char *[]){ (char *)"/nonexistent", NULL }, &status), -ENOENT);
	assert_int_equal(flt_child_exec_status(-ENOENT), 127);
	assert_int_equal(run((char *[]){ (char *)"/etc/passwd", NULL }, &status), -EACCES);
	assert_int_equal(flt_child_exec_status(-EACCES), 126);
}

/* The command neither runs before flt_child_release() nor after flt_child_cancel(). */
static void command_waits_for_release(void **state)
{
	char path[] = "/tmp/flt-gate-XXXXXX";
	char *argv[] = { (char *)"rm", path, NULL };
	struct flt_child_setup setup = { .argv = argv };
	struct flt_child child;
	struct rusage usage;
	int status, fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(flt_child_fork(&child, &setup, NULL), 0);
	usleep(50000);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(flt_child_poll(&child, &status, &usage), -EAGAIN);
	flt_child_cancel(&child);
	assert_int_equal(access(path, F_OK), 0);

	assert_int_equal(flt_child_fork(&child, &setup, NULL), 0);
	assert_int_equal(flt_child_release(&child), 0);
	assert_int_equal(flt_child_wait(&child, &status, &usage), 0);
	assert_int_equal(access(path, F_OK), -1);
}

static unsigned long minor_faults(pid_t pid)
{
	unsigned long minor = 0;
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %lu", &minor), 1);
	fclose(file);
	return minor;
}

static int accept_all(void *arg)
{
	(void)arg;
	return 0;
}

/*
 * A forked child takes no fault between flt_child_fork() and flt_child_release(). Otherwise a fault
 * could begin before the caller observes the child and end after that.
 */
static void forked_child_takes_no_faults_at_the_gate(void **state)
{
	char *argv[] = { (char *)"true", NULL };
	struct flt_child_setup setup = { .argv = argv, .prepare = accept_all };
	struct flt_child child;
	unsigned long before;
	int i;

	(void)state;
	for (i = 0; i < 50; i++) {
		assert_int_equal(flt_child_fork(&child, &setup, NULL), 0);
		before = minor_faults(child.pid);
		usleep(2000);
		assert_int_equal(minor_faults(child.pid), before);
		flt_child_cancel(&child);
	}
}

static int refuse(void *arg)
{
	(void)arg;
	return -EPROTO;
}

static void failed_prepare_is_returned(void **state)
{
	char *argv[] = { (char *)"true", NULL };
	struct flt_child_setup setup = { .argv = argv, .prepare = refuse };
	struct flt_child child;

	(void)state;
	assert_int_equal(flt_child_fork(&child, &setup, NULL), 0);
	assert_int_equal(flt_child_release(&child), -EPROTO);
}

struct seen {
	struct flt_loop *loop;
	unsigned int ticks;
	unsigned int signals;
	unsigned int reads;
	int pipe[2];
};

static int on_tick(void *arg)
{
	struct seen *seen = arg;

	seen->ticks++;
	if (seen->signals && seen->reads)
		flt_loop_stop(seen->loop);
	return seen->ticks > 1000 ? -ETIME : 0;
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct seen *seen = arg;

	assert_int_equal(info->ssi_signo, SIGUSR1);
	seen->signals++;
	return 0;
}

static int on_read(void *arg, int fd, short events)
{
	struct seen *seen = arg;
	char byte;

	(void)events;
	assert_int_equal(read(fd, &byte, 1), 1);
	seen->reads++;
	flt_loop_remove(seen->loop, fd);
	return 0;
}

static void loop_calls_all_handlers(void **state)
{
	struct seen seen = { 0 };
	sigset_t set, after;

	(void)state;
	assert_int_equal(pipe(seen.pipe), 0);
	assert_int_equal(flt_loop_new(&seen.loop), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert_int_equal(flt_loop_signals(seen.loop, &set, NULL, on_signal, &seen), 0);
	assert_int_equal(flt_loop_add(seen.loop, seen.pipe[0], POLLIN, on_read, &seen), 0);
	assert_int_equal(flt_loop_every(seen.loop, 10000000, on_tick, &seen), 0);
	raise(SIGUSR1);
	assert_int_equal(write(seen.pipe[1], "xy", 2), 2);
	assert_int_equal(flt_loop_run(seen.loop), 0);
	assert_int_equal(seen.signals, 1);
	assert_int_equal(seen.reads, 1);
	/* A pending signal must not kill the process when the loop unblocks its signals. */
	raise(SIGUSR1);
	flt_loop_free(seen.loop);
	sigprocmask(SIG_SETMASK, NULL, &after);
	assert_false(sigismember(&after, SIGUSR1));
	close(seen.pipe[0]);
	close(seen.pipe[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_returns_exit_statuses),
		cmocka_unit_test(command_waits_for_release),
		cmocka_unit_test(forked_child_takes_no_faults_at_the_gate),
		cmocka_unit_test(failed_prepare_is_returned),
		cmocka_unit_test(loop_calls_all_handlers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
