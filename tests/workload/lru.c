// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lru HOT COLD ROUNDS - access hot and cold pages, so that reclaim must tell them apart.
 *
 * Maps and fills HOT + COLD MiB. Then writes, ROUNDS times, a byte to HOT MiB of random hot
 * pages and to 1 MiB of random cold pages. The order is random, because with sequential
 * access either all or no hot pages are evicted, and two equal runs differ by a sixth. If
 * memory is larger than HOT but smaller than HOT + COLD, mostly cold pages should be
 * evicted. Prints "hot N cold N": major faults after filling, by accessed range, from the
 * kernel's count.
 *
 * Reclaim clears accessed bits without a TLB flush. A CPU's TLB has one or two thousand entries, so
 * a CPU soon sets the bit of a used page again. The TLB of an emulator holds all pages of this
 * program, and hot pages look unused until something else flushes it. The program therefore
 * flushes the TLB as often as a CPU would replace its entries.
 */
#include "region.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define TLB_ENTRIES 1536
/* x86 flushes the whole TLB instead of more pages than this (tlb_single_page_flush_ceiling). */
#define FLUSH_PAGES 64

static void flush_tlb(void)
{
	static char *pages;

	if (!pages) {
		pages = region_anon(FLUSH_PAGES * PAGE);
		region_write(pages, FLUSH_PAGES, PAGE);
	}
	if (mprotect(pages, FLUSH_PAGES * PAGE, PROT_READ) ||
	    mprotect(pages, FLUSH_PAGES * PAGE, PROT_READ | PROT_WRITE))
		err(1, "mprotect");
}

/* Write to random pages. The sequence is the same in each run. */
static void write_some(char *p, size_t pages, size_t count)
{
	static uint64_t state = 88172645463325252ull;

	while (count--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		region_write(p + state % pages * PAGE, 1, PAGE);
		if (!(count % TLB_ENTRIES))
			flush_tlb();
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
