// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd [-p] N P - N threads write P pages each and then wait. With -p, N processes do so.
 *
 * Prints "crowd N" when all have written their pages, and ends, with all processes, at the end
 * of standard input. Each thread or process has faulted at least P times.
 */
#include "region.h"

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t pages;
static char *memory;
static pthread_barrier_t all_wrote;

static void *write_and_wait(void *place)
{
	region_write(place, pages, PAGE);
	pthread_barrier_wait(&all_wrote);
	for (;;)
		pause();
	return NULL;
}

static void start_threads(size_t n)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_barrier_init(&all_wrote, NULL, (unsigned int)n + 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16 << 10);
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&t, &attr, write_and_wait, memory + i * pages * PAGE))
			errx(1, "cannot create thread %zu of %zu", i, n);
	pthread_barrier_wait(&all_wrote);
}

/* A child reports by a byte, and is killed when the parent ends. */
static void start_processes(size_t n)
{
	int wrote[2];
	char c;

	if (pipe(wrote) || signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		err(1, "cannot start");
	for (size_t i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "cannot create process %zu of %zu", i, n);
		if (pid > 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		region_write(memory + i * pages * PAGE, pages, PAGE);
		if (write(wrote[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(wrote[1]);
	for (size_t i = 0; i < n; i++)
		if (read(wrote[0], &c, 1) != 1)
			errx(1, "only %zu of %zu processes have written", i, n);
}

int main(int argc, char **argv)
{
	bool processes = argc == 4 && !strcmp(argv[1], "-p");
	size_t n = argc == 3 + processes ? strtoul(argv[1 + processes], NULL, 10) : 0;
	char c;

	if (!n)
		errx(2, "usage: crowd [-p] N P");
	pages = strtoul(argv[2 + processes], NULL, 10);
	memory = region_anon(n * pages * PAGE);
	if (processes)
		start_processes(n);
	else
		start_threads(n);
	printf("crowd %zu\n", n);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
