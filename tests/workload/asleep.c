// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asleep - keep threads asleep in a page fault.
 *
 *   asleep hold T            T threads fault in a userfaultfd range and sleep.
 *                            "asleep T" is printed when all of them sleep. A line
 *                            on stdin wakes them without their pages, so that they
 *                            fault and sleep again ("asleep T"). At end of file
 *                            they get their pages ("done")
 *   asleep attempts N W MS   take N faults. Each is woken W times without its page
 *                            and then gets the page, each time MS milliseconds
 *                            after its message: W + 2 calls of handle_mm_fault and
 *                            (W + 1) * MS asleep. "elapsed NS" is the time of all
 *                            faults, measured by the program
 */
#include "region.h"
#include "section.h"
#include "uffd.h"

#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int uffd;
static size_t wakes, delay_ms;

static void *touch_one(void *p)
{
	region_write(p, 1, PAGE);
	return NULL;
}

static void all_asleep(unsigned long *addr, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		addr[i] = uffd_next(uffd, 60000);
		if (!addr[i])
			errx(1, "only %zu of %zu threads are asleep after a minute", i, n);
	}
	printf("asleep %zu\n", n);
	fflush(stdout);
}

static void hold(size_t n)
{
	char *p = region_anon(n * PAGE);
	pthread_t *t = calloc(n, sizeof(*t));
	unsigned long *addr = calloc(n, sizeof(*addr));
	pthread_attr_t attr;
	char word;

	if (!t || !addr)
		err(1, "calloc");
	uffd = uffd_open(p, n * PAGE, UFFD_MISSING);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&t[i], &attr, touch_one, p + i * PAGE))
			errx(1, "pthread_create");
	all_asleep(addr, n);
	while (read(0, &word, 1) > 0) {
		if (word != '\n')
			continue;
		for (size_t i = 0; i < n; i++)
			uffd_wake(uffd, addr[i]);
		all_asleep(addr, n);
	}
	for (size_t i = 0; i < n; i++)
		uffd_copy(uffd, addr[i]);
	for (size_t i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	puts("done");
	fflush(stdout);
}

static void *answer_late(void *unused)
{
	(void)unused;
	for (;;) {
		unsigned long addr;

		for (size_t i = 0; i < wakes; i++) {
			addr = uffd_next(uffd, -1);
			usleep((useconds_t)delay_ms * 1000);
			uffd_wake(uffd, addr);
		}
		addr = uffd_next(uffd, -1);
		usleep((useconds_t)delay_ms * 1000);
		uffd_copy(uffd, addr);
	}
	return NULL;
}

static unsigned long long nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

static void attempts(size_t n)
{
	char *p = region_anon((n + 1) * PAGE);
	unsigned long long t0;
	pthread_t t;

	uffd = uffd_open(p, (n + 1) * PAGE, UFFD_MISSING);
	if (pthread_create(&t, NULL, answer_late, NULL))
		errx(1, "pthread_create");
	region_write(p, 1, PAGE);
	t0 = nanoseconds();
	section_begin();
	region_write(p + PAGE, n, PAGE);
	section_end("attempts", SECTION_ANY, SECTION_ANY, (long)n);
	printf("elapsed %llu\n", nanoseconds() - t0);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "hold")) {
		hold(strtoul(argv[2], NULL, 10));
	} else if (argc == 5 && !strcmp(argv[1], "attempts")) {
		wakes = strtoul(argv[3], NULL, 10);
		delay_ms = strtoul(argv[4], NULL, 10);
		attempts(strtoul(argv[2], NULL, 10));
	} else {
		errx(2, "usage: asleep hold T | asleep attempts N WAKES MS");
	}
	return 0;
}
