// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * late N MS WAKES - take N faults, each served exactly MS milliseconds after its message.
 *
 * A userfaultfd server provides the page at a fixed time after the first message of the
 * fault. Before that, it wakes the thread WAKES times without a page, so that the fault
 * is attempted again. For every fault prints a lower and an upper bound of its latency in
 * nanoseconds, the time in the server and the time of the access:
 *     fault HELD TOOK
 * handle_mm_fault() is called N * (WAKES + 2) times. No other fault of this process is of
 * kind uffd.
 */
#include "region.h"
#include "section.h"
#include "uffd.h"

#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int uffd;
static size_t wakes, delay_ms;
static unsigned long long *held;

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

static void sleep_until(unsigned long long ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000),
			      .tv_nsec = (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

static void *serve(void *unused)
{
	unsigned long long began, delay = delay_ms * 1000000ull;
	unsigned long addr;

	(void)unused;
	for (size_t n = 0;; n++) {
		addr = uffd_next(uffd, -1);
		began = now();
		for (size_t i = 1; i <= wakes; i++) {
			sleep_until(began + delay * i / (wakes + 1));
			uffd_wake(uffd, addr);
			addr = uffd_next(uffd, -1);
		}
		sleep_until(began + delay);
		held[n] = now() - began;
		uffd_copy(uffd, addr);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	size_t n = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long long *took, before;
	pthread_t t;
	char *p;

	if (!n)
		errx(2, "usage: late N MS WAKES");
	delay_ms = strtoul(argv[2], NULL, 10);
	wakes = strtoul(argv[3], NULL, 10);
	took = calloc(n, sizeof(*took));
	held = calloc(n, sizeof(*held));
	if (!took || !held)
		err(1, "calloc");
	/* Map the arrays now, so that no other fault happens between two reads of the clock. */
	for (size_t i = 0; i < n; i++)
		took[i] = held[i] = 1;
	p = region_anon(n * PAGE);
	uffd = uffd_open(p, n * PAGE, UFFD_MISSING);
	if (pthread_create(&t, NULL, serve, NULL))
		errx(1, "pthread_create");
	now();
	section_begin();
	for (size_t i = 0; i < n; i++) {
		before = now();
		*(volatile char *)(p + i * PAGE) = 1;
		took[i] = now() - before;
	}
	section_end("late", SECTION_ANY, SECTION_ANY, SECTION_ANY);
	for (size_t i = 0; i < n; i++)
		printf("fault %llu %llu\n", held[i], took[i]);
	return 0;
}
