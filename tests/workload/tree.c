// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree MODE [ARG...] - start processes and threads that take faults and end.
 *
 *   fork N P        N processes with up to four children each; each writes P fresh
 *                   pages and P pages that it shares with its parent
 *   orphan N P      N children that write P pages after their parent has ended
 *   short N J       N processes that end immediately, J at a time
 *   vfork N         N vfork() calls; every second child execs nop
 *   quiet N         N vfork() calls, whose children exit without a fault
 *   spawn N         N posix_spawn() calls
 *   exec N          exec N times
 *   execthread T    T threads write pages, then a thread other than the leader execs
 *   threads T P     T threads write P pages each, and end when all have written
 *   leaderfirst T P the leader ends before its T threads
 *   robust T        T threads end, and each faults in the kernel when it ends
 *   nop             take a few faults and end; the other modes exec it
 *   loop P R        write P pages and discard them with MADV_DONTNEED, R times
 *   rewrite P S     write the same P pages repeatedly for S seconds
 */
#include "region.h"

#include <err.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static size_t pages;

static void children_wait(void)
{
	int status;

	for (;;) {
		pid_t pid = wait(&status);

		if (pid < 0 && errno == ECHILD)
			return;
		if (pid > 0 && (!WIFEXITED(status) || WEXITSTATUS(status)))
			errx(1, "child %d: status %#x", (int)pid, status);
	}
}

static pid_t fork_or_die(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	return pid;
}

/* Process i of n has the children 4i + 1 to 4i + 4. */
static void fork_tree(char *shared, size_t i, size_t n)
{
	for (size_t c = 4 * i + 1; c <= 4 * i + 4 && c < n; c++) {
		if (fork_or_die())
			continue;
		region_write(shared, pages, PAGE);
		region_write(region_anon(pages * PAGE), pages, PAGE);
		fork_tree(shared, c, n);
		_exit(0);
	}
	children_wait();
}

static void orphans(size_t n)
{
	if (fork_or_die() == 0) {
		for (size_t i = 0; i < n; i++) {
			if (fork_or_die() == 0) {
				usleep(50000);
				region_write(region_anon(pages * PAGE), pages, PAGE);
				_exit(0);
			}
		}
		_exit(0);
	}
	children_wait();
}

static void short_lived(size_t n, size_t jobs)
{
	size_t live = 0;

	for (size_t i = 0; i < n; i++) {
		if (live == jobs) {
			wait(NULL);
			live--;
		}
		if (fork_or_die() == 0)
			_exit(0);
		live++;
	}
	children_wait();
}

static void vforks(char *self, size_t n)
{
	char *const argv[] = { self, "nop", NULL };
	char *p = region_anon(n * PAGE);

	for (size_t i = 0; i < n; i++) {
		pid_t pid = vfork();

		if (pid < 0)
			err(1, "vfork");
		if (pid == 0) {
			/* The fault is in memory of the parent and charged to the child. */
			p[i * PAGE] = 1;
			if (i & 1)
				execve(self, argv, environ);
			_exit(0);
		}
	}
	children_wait();
}

static void quiet_vforks(size_t n)
{
	for (volatile size_t i = 0; i < n; i++) {
		pid_t pid = vfork();

		if (pid < 0)
			err(1, "vfork");
		if (pid == 0)
			_exit(0);
	}
	children_wait();
}

static void spawns(char *self, size_t n)
{
	char *const argv[] = { self, "nop", NULL };
	pid_t pid;

	for (size_t i = 0; i < n; i++)
		if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
			err(1, "posix_spawn");
	children_wait();
}

static void exec_chain(char *self, size_t n)
{
	char left[32];

	region_write(region_anon(8 * PAGE), 8, PAGE);
	if (!n)
		return;
	snprintf(left, sizeof(left), "%zu", n - 1);
	execl(self, self, "exec", left, NULL);
	err(1, "exec %s", self);
}

static void *thread_touch(void *unused)
{
	(void)unused;
	region_write(region_anon(pages * PAGE), pages, PAGE);
	return NULL;
}

static pthread_barrier_t all_touched;

static void *thread_touch_wait(void *unused)
{
	thread_touch(unused);
	pthread_barrier_wait(&all_touched);
	for (;;)
		pause();
	return NULL;
}

static void *thread_touch_together(void *unused)
{
	thread_touch(unused);
	pthread_barrier_wait(&all_touched);
	return NULL;
}

static void *thread_exec(void *self)
{
	thread_touch(NULL);
	pthread_barrier_wait(&all_touched);
	execl(self, self, "nop", NULL);
	err(1, "exec");
}

static void exec_thread(char *self, size_t n)
{
	pthread_t t;

	pages = 16;
	pthread_barrier_init(&all_touched, NULL, (unsigned int)n + 1);
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&t, NULL, thread_touch_wait, NULL))
			errx(1, "pthread_create");
	if (pthread_create(&t, NULL, thread_exec, self))
		errx(1, "pthread_create");
	for (;;)
		pause();
}

static void threads(size_t n)
{
	pthread_t *t = calloc(n, sizeof(*t));

	if (!t)
		err(1, "calloc");
	pthread_barrier_init(&all_touched, NULL, (unsigned int)n);
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, thread_touch_together, NULL))
			errx(1, "pthread_create");
	for (size_t i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
}

/* exit_robust_list() reads the list of the thread, which is in a page that nobody touched. */
static void *thread_robust(void *unused)
{
	if (syscall(SYS_set_robust_list, region_anon(PAGE), sizeof(struct robust_list_head)))
		err(1, "set_robust_list");
	return unused;
}

static void robust(size_t n)
{
	pthread_t t;

	for (size_t i = 0; i < n; i++) {
		if (pthread_create(&t, NULL, thread_robust, NULL))
			errx(1, "pthread_create");
		pthread_join(t, NULL);
	}
	thread_robust(NULL);
}

static void *thread_late(void *unused)
{
	usleep(100000);
	return thread_touch(unused);
}

static void leader_first(size_t n)
{
	pthread_t t;

	for (size_t i = 0; i < n; i++)
		if (pthread_create(&t, NULL, thread_late, NULL))
			errx(1, "pthread_create");
	pthread_exit(NULL);
}

static void loop(size_t rounds)
{
	char *p = region_anon(pages * PAGE);

	while (rounds--) {
		region_write(p, pages, PAGE);
		if (madvise(p, pages * PAGE, MADV_DONTNEED))
			err(1, "MADV_DONTNEED");
	}
}

static void rewrite(size_t seconds)
{
	char *p = region_anon(pages * PAGE);
	time_t end = time(NULL) + (time_t)seconds;

	while (time(NULL) < end)
		region_write(p, pages, PAGE);
}

int main(int argc, char **argv)
{
	char self[4096] = "";
	const char *mode = argc > 1 ? argv[1] : "";
	size_t a = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	size_t b = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(1, "/proc/self/exe");
	pages = b;
	if (!strcmp(mode, "fork")) {
		char *shared = region_anon(pages * PAGE);

		region_write(shared, pages, PAGE);
		fork_tree(shared, 0, a);
	} else if (!strcmp(mode, "orphan")) {
		orphans(a);
	} else if (!strcmp(mode, "short")) {
		short_lived(a, b);
	} else if (!strcmp(mode, "vfork")) {
		vforks(self, a);
	} else if (!strcmp(mode, "quiet")) {
		quiet_vforks(a);
	} else if (!strcmp(mode, "spawn")) {
		spawns(self, a);
	} else if (!strcmp(mode, "exec")) {
		exec_chain(self, a);
	} else if (!strcmp(mode, "execthread")) {
		exec_thread(self, a);
	} else if (!strcmp(mode, "threads")) {
		threads(a);
	} else if (!strcmp(mode, "leaderfirst")) {
		leader_first(a);
	} else if (!strcmp(mode, "robust")) {
		robust(a);
	} else if (!strcmp(mode, "loop")) {
		pages = a;
		loop(b);
	} else if (!strcmp(mode, "rewrite")) {
		pages = a;
		rewrite(b);
	} else if (!strcmp(mode, "nop")) {
		region_write(region_anon(4 * PAGE), 4, PAGE);
	} else {
		errx(2, "usage: tree fork|orphan|short|vfork|quiet|spawn|exec|execthread|threads|"
			"leaderfirst|robust|loop|rewrite|nop [N [M]]");
	}
	return 0;
}
