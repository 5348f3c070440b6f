// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rounds MIB ROUNDS [FILE] - write to each page of a region, then read all pages ROUNDS times.
 *
 * Prints the sum of what was read. With FILE, waits between two rounds while FILE exists.
 * Returns 1 if a page has lost its content.
 */
#include "tests/workload/page.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 10) * ((1u << 20) / PAGE) : 0, i;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, round;
	uint64_t sum = 0;
	unsigned char *p;

	p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!pages || p == MAP_FAILED)
		return 2;
	/* Huge pages would make fewer faults. */
	madvise(p, pages * PAGE, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		*(volatile uint64_t *)(p + i * PAGE) = i * 0x9e3779b97f4a7c15ull + 1;
	for (round = 0; round < rounds; round++) {
		while (argc > 3 && !access(argv[3], F_OK))
			usleep(1000);
		for (i = 0; i < pages; i++) {
			uint64_t value = *(volatile uint64_t *)(p + i * PAGE);

			if (value != i * 0x9e3779b97f4a7c15ull + 1)
				return 1;
			sum += value;
		}
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
