// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fail MODE N - take faults that fail.
 *
 *   sigbus N   read N times past the end of a file: N faults fail, and the kernel
 *              counts none of them
 *   empty N    the same, with each address in a range without a page table
 *   kill N     kill N children with SIGKILL while they sleep in a fault
 *   oom MB     write MB of memory until the memory limit of the cgroup kills us
 */
#include "region.h"
#include "section.h"
#include "uffd.h"

#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;

static void on_bus(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static void sigbus(size_t n)
{
	struct sigaction sa = { .sa_handler = on_bus };
	char name[] = "/tmp/flt-sigbus-XXXXXX";
	int fd = mkstemp(name);
	volatile size_t warm = 4;
	volatile size_t i;
	volatile char *p;

	if (fd < 0 || unlink(name) || ftruncate(fd, PAGE))
		err(1, "%s", name);
	p = mmap(NULL, (n + 5) * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	if (sigaction(SIGBUS, &sa, NULL))
		err(1, "sigaction");
	/* The first faults map the page tables and the code of the handler. */
	for (i = 0; i < warm; i++)
		if (!sigsetjmp(back, 1))
			(void)p[(i + 1) * PAGE];
	section_begin();
	for (i = 0; i < n; i++)
		if (!sigsetjmp(back, 1))
			(void)p[(i + 5) * PAGE];
	section_end("sigbus", 0, 0, 0);
}

static void empty(size_t n)
{
	struct sigaction sa = { .sa_handler = on_bus };
	int fd = memfd_create("empty", 0);
	size_t length = (n + 1) * HUGE_PAGE;
	volatile size_t i;
	volatile char *p;

	if (fd < 0)
		err(1, "memfd");
	p = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	if (sigaction(SIGBUS, &sa, NULL))
		err(1, "sigaction");
	p = (volatile char *)(((unsigned long)p + HUGE_PAGE) & ~(HUGE_PAGE - 1ul));
	for (i = 0; i < n; i++)
		if (!sigsetjmp(back, 1))
			(void)p[i * HUGE_PAGE];
}

static void *touch_one(void *p)
{
	region_write(p, 1, PAGE);
	return NULL;
}

/* Write a byte to ready when a thread of this process sleeps in a fault. */
static _Noreturn void sleep_in_fault(int ready)
{
	char *p = region_anon(PAGE);
	int fd = uffd_open(p, PAGE, UFFD_MISSING);
	pthread_t t;

	if (pthread_create(&t, NULL, touch_one, p) || !uffd_next(fd, -1) ||
	    write(ready, "r", 1) != 1)
		_exit(1);
	pthread_join(t, NULL);
	_exit(0);
}

static void kill_in_fault(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int ready[2], status;
		char word;
		pid_t pid;

		if (pipe(ready))
			err(1, "pipe");
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (pid == 0)
			sleep_in_fault(ready[1]);
		if (read(ready[0], &word, 1) != 1)
			errx(1, "child");
		kill(pid, SIGKILL);
		if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
			errx(1, "the child was not asleep in its fault (status %#x)", status);
		close(ready[0]);
		close(ready[1]);
	}
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (n && !strcmp(argv[1], "sigbus")) {
		sigbus(n);
	} else if (n && !strcmp(argv[1], "empty")) {
		empty(n);
	} else if (n && !strcmp(argv[1], "kill")) {
		kill_in_fault(n);
	} else if (n && !strcmp(argv[1], "oom")) {
		char *p = region_anon(n << 20);

		region_write(p, (n << 20) / PAGE, PAGE);
		errx(1, "wrote %zu MB without being killed", n);
	} else {
		errx(2, "usage: fail sigbus|empty|kill|oom N");
	}
	return 0;
}
