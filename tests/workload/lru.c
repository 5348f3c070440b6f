// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lru HOT COLD ROUNDS - a program that reclaim has to look at to serve it well.
 *
 * Maps HOT + COLD MiB, fills them, and then ROUNDS times writes a byte to each hot page
 * and to each page of the next MiB of the cold. With less memory than both, but more
 * than HOT, only cold pages should come and go. Prints "rounds N faults N": major ones
 * since it was filled, of the kernel's own count, split by what was touched.
 */
#include "region.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static long major(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

int main(int argc, char **argv)
{
	const size_t mib = 1ul << 20;
	size_t hot, cold, rounds, i;
	long faults[2] = { 0, 0 }, before, between;
	char *p;

	if (argc != 4)
		errx(2, "usage: lru HOT COLD ROUNDS");
	hot = strtoul(argv[1], NULL, 10);
	cold = strtoul(argv[2], NULL, 10);
	rounds = strtoul(argv[3], NULL, 10);
	p = region_anon((hot + cold) * mib);
	region_write(p, (hot + cold) * mib / PAGE, PAGE);
	for (i = 0; i < rounds; i++) {
		before = major();
		region_write(p, hot * mib / PAGE, PAGE);
		between = major();
		region_write(p + (hot + i % cold) * mib, mib / PAGE, PAGE);
		faults[0] += between - before;
		faults[1] += major() - between;
	}
	printf("hot %ld cold %ld\n", faults[0], faults[1]);
	return 0;
}
