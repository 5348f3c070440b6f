// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lru HOT COLD ROUNDS - a program that reclaim has to look at to serve it well.
 *
 * Maps HOT + COLD MiB, fills them, and then ROUNDS times writes a byte to as many hot pages
 * as there are and to a MiB of cold ones, all picked by chance: in order, the hot ones go
 * all at once or not at all, and two runs of the same differ by a sixth. With less memory
 * than both, but more than HOT, mostly cold pages should come and go. Prints "hot N cold N":
 * major faults since it was filled, of the kernel's own count, by what was touched.
 */
#include "region.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The same in each run. */
static void write_some(char *p, size_t pages, size_t count)
{
	static uint64_t state = 88172645463325252ull;

	while (count--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		region_write(p + state % pages * PAGE, 1, PAGE);
	}
}

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
		write_some(p, hot * mib / PAGE, hot * mib / PAGE);
		between = major();
		write_some(p + hot * mib, cold * mib / PAGE, mib / PAGE);
		faults[0] += between - before;
		faults[1] += major() - between;
	}
	printf("hot %ld cold %ld\n", faults[0], faults[1]);
	return 0;
}
