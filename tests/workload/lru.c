// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lru HOT COLD ROUNDS - access hot and cold pages, so that reclaim must tell them apart.
 *
 * Maps and fills HOT + COLD MiB. Then writes, ROUNDS times, a byte to each page of HOT MiB and to
 * 1 MiB of random cold pages. The order is random, because with sequential access either all
 * or no hot pages are evicted, and two equal runs differ by a sixth. If memory is larger than
 * HOT but smaller than HOT + COLD, mostly cold pages should be evicted. Prints "hot N cold N":
 * major faults after filling, by accessed range, from the kernel's count.
 *
 * Each hot page is written in each round. With pages chosen at random, a few are not accessed
 * between two passes of reclaim's aging, and reclaim evicts up to a quarter of the hot pages. A
 * scan flushes the TLB and reclaim sees more accesses, so that these bursts become rare: 4 %
 * fewer refaults, which is more than a scan may change.
 *
 * Reclaim clears accessed bits without a TLB flush, and a CPU sets the bit of a used page only
 * after the page has left the TLB. The TLB of an emulator holds all pages of this program. The
 * program therefore flushes the TLB as often as a CPU would replace the entries of its first TLB.
 */
#include "region.h"

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define TLB_ENTRIES 64
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

/* Return a random number. The sequence is the same in each run. */
static uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void write_page(char *page)
{
	static unsigned int count;

	region_write(page, 1, PAGE);
	if (++count % TLB_ENTRIES == 0)
		flush_tlb();
}

/* Write to each page once, in random order. ORDER is a permutation of the page numbers. */
static void write_all(char *p, uint32_t *order, size_t pages)
{
	uint32_t page;
	size_t other;

	while (pages) {
		other = random_number() % pages--;
		page = order[other];
		order[other] = order[pages];
		order[pages] = page;
		write_page(p + page * PAGE);
	}
}

static void write_some(char *p, size_t pages, size_t count)
{
	while (count--)
		write_page(p + random_number() % pages * PAGE);
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
	uint32_t *order;
	char *p;

	if (argc != 4)
		errx(2, "usage: lru HOT COLD ROUNDS");
	hot = strtoul(argv[1], NULL, 10);
	cold = strtoul(argv[2], NULL, 10);
	rounds = strtoul(argv[3], NULL, 10);
	p = region_anon((hot + cold) * mib);
	region_write(p, (hot + cold) * mib / PAGE, PAGE);
	order = malloc(hot * mib / PAGE * sizeof(*order));
	if (!order)
		err(1, "malloc");
	for (i = 0; i < hot * mib / PAGE; i++)
		order[i] = i;
	for (i = 0; i < rounds; i++) {
		before = major();
		write_all(p, order, hot * mib / PAGE);
		between = major();
		write_some(p + hot * mib, cold * mib / PAGE, mib / PAGE);
		faults[0] += between - before;
		faults[1] += major() - between;
	}
	printf("hot %ld cold %ld\n", faults[0], faults[1]);
	return 0;
}
