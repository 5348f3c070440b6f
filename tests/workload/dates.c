// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dates N - take N faults, and read CLOCK_REALTIME before and after each.
 *
 * Prints a line "ADDRESS BEFORE AFTER" per fault: the address in hexadecimal, the dates in ns.
 */
#include "region.h"
#include "section.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct dates {
	uint64_t before, after;
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	size_t n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct dates *d = malloc(n * sizeof(*d));
	char *p;

	if (!n)
		errx(2, "usage: dates N");
	if (!d)
		err(1, "malloc");
	memset(d, 1, n * sizeof(*d));
	p = region_anon(n * PAGE);
	clock_ns();	/* maps the clock's page */
	section_begin();
	for (size_t i = 0; i < n; i++) {
		d[i].before = clock_ns();
		region_write(p + i * PAGE, 1, PAGE);
		d[i].after = clock_ns();
	}
	section_end("dates", (long)n, 0, (long)n);
	for (size_t i = 0; i < n; i++)
		printf("%p %llu %llu\n", (void *)(p + i * PAGE), (unsigned long long)d[i].before,
		       (unsigned long long)d[i].after);
	return 0;
}
