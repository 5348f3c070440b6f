// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm PROCS THREADS [SECONDS [ROUNDS]] - take as many faults as possible.
 *
 * PROCS processes with THREADS threads each write and discard 64 pages repeatedly, for
 * SECONDS, until the first thread has done ROUNDS, or until SIGTERM. 0: no limit. Every eighth
 * round the first thread of each process forks a child, which ends immediately.
 */
#include "region.h"

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 64, PROCS_MAX = 64 };

static volatile sig_atomic_t over;
static unsigned int rounds;

static void on_end(int sig)
{
	(void)sig;
	over = 1;
}

static void *drive(void *is_first)
{
	char *p = region_anon(PAGES * PAGE);

	for (unsigned int round = 0; !over && !(is_first && rounds && round == rounds); round++) {
		region_write(p, PAGES, PAGE);
		if (madvise(p, PAGES * PAGE, MADV_DONTNEED))
			err(1, "MADV_DONTNEED");
		if (is_first && !(round & 7)) {
			pid_t pid = fork();

			if (pid == 0)
				_exit(0);
			if (pid > 0)
				waitpid(pid, NULL, 0);
		}
	}
	munmap(p, PAGES * PAGE);
	return NULL;
}

int main(int argc, char **argv)
{
	/* SA_RESTART: wait() continues after the signal, so no child outlives its parent. */
	struct sigaction sa = { .sa_handler = on_end, .sa_flags = SA_RESTART };
	int procs = argc > 2 ? atoi(argv[1]) : 0, threads = argc > 2 ? atoi(argv[2]) : 0;
	unsigned int seconds = argc > 3 ? (unsigned int)atoi(argv[3]) : 0;
	pid_t self = getpid(), others[PROCS_MAX];

	rounds = argc > 4 ? (unsigned int)atoi(argv[4]) : 0;
	if (procs < 1 || threads < 1)
		errx(2, "usage: storm PROCS THREADS [SECONDS [ROUNDS]]");
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	if (procs > PROCS_MAX)
		errx(2, "at most %d processes", PROCS_MAX);
	for (int i = 1; i < procs && getpid() == self; i++) {
		others[i] = fork();
		if (others[i] < 0)
			err(1, "fork");
	}
	/* Each process sets its own alarm, because fork does not inherit it. */
	alarm(seconds);
	for (int i = 1; i < threads; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, drive, NULL))
			errx(1, "pthread_create");
		pthread_detach(t);
	}
	drive((void *)1);
	if (getpid() == self) {
		for (int i = 1; i < procs; i++)
			kill(others[i], SIGTERM);
		while (wait(NULL) > 0)
			;
	}
	return 0;
}
