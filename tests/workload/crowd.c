// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd T P - T threads write P pages each and then wait.
 *
 * Prints "crowd T" when all threads have written their pages, and ends at the end of
 * standard input. Each thread has faulted at least P times.
 */
#include "region.h"

#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_attr_t attr;
	pthread_t t;
	char c;

	if (!n)
		errx(2, "usage: crowd T P");
	pages = strtoul(argv[2], NULL, 10);
	memory = region_anon(n * pages * PAGE);
	pthread_barrier_init(&all_wrote, NULL, (unsigned int)n + 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16 << 10);
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&t, &attr, write_and_wait, memory + i * pages * PAGE))
			errx(1, "cannot create thread %zu of %zu", i, n);
	pthread_barrier_wait(&all_wrote);
	printf("crowd %zu\n", n);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
