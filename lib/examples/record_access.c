// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * record_access.c - record which pages an algorithm accesses, and replay that order.
 *
 * Runs binary searches in a sorted table in the memory of a pager, with a limit of an eighth
 * of its size. The pager records the faults. A second run of the same searches replays the
 * recorded order as prefetch and has fewer faults. Exits 0 if that is so and all results are
 * right.
 */
#include <fltuffd.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS (4u << 20)	/* 32 MiB */
#define SEARCHES 3000

/* Compute the table when it is read, so that no file is needed. */
static int make(void *context, uint64_t offset, void *data, size_t n)
{
	uint64_t *word = data;

	(void)context;
	for (size_t i = 0; i < n / 8; i++)
		word[i] = (offset / 8 + i) * 3;
	return 0;
}

static size_t find(const uint64_t *table, uint64_t key)
{
	size_t lo = 0, hi = WORDS;

	while (lo + 1 < hi) {
		size_t mid = (lo + hi) / 2;

		if (table[mid] <= key)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static size_t search(const uint64_t *table)
{
	uint64_t x = 88172645463325252u;
	size_t wrong = 0;

	for (int i = 0; i < SEARCHES; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		wrong += find(table, x % WORDS * 3) != x % WORDS;
	}
	return wrong;
}

int main(void)
{
	struct fltuffd_config c = {
		.bytes = WORDS * 8ul, .limit = WORDS, .policy = FLTUFFD_CLOCK, .records = 1 << 20,
		.backing = { .read = make },
	};
	struct fltuffd_record *record = malloc(c.records * sizeof(*record));
	uint64_t *order = malloc(c.records * sizeof(*order)), lost;
	struct fltuffd_stats first, second;
	struct fltuffd *p;
	size_t wrong;
	ssize_t n;
	int ret;

	ret = fltuffd_open(&p, &c);
	if (ret || !record || !order) {
		fprintf(stderr, "record_access: %s\n", strerror(-ret));
		return 1;
	}
	wrong = search(fltuffd_memory(p));
	n = fltuffd_records(p, record, c.records, &lost);
	fltuffd_stats(p, &first);
	fltuffd_close(p);
	for (ssize_t i = 0; i < n; i++) {
		order[i] = record[i].offset;
		if (i < 5)
			printf("%12" PRIu64 " ns  offset %8" PRIu64 "  thread %u  %s  %u ns\n",
			       record[i].time - record[0].time, record[i].offset, record[i].tid,
			       record[i].write ? "write" : "read", record[i].latency);
	}
	printf("%zd faults recorded, %" PRIu64 " lost; mean latency %" PRIu64 " ns\n", n, lost,
	       first.latency_ns / first.faults);

	ret = fltuffd_open(&p, &c);
	if (!ret)
		ret = fltuffd_replay(p, order, (size_t)n, 16);
	if (ret) {
		fprintf(stderr, "record_access: %s\n", strerror(-ret));
		return 1;
	}
	wrong += search(fltuffd_memory(p));
	fltuffd_stats(p, &second);
	fltuffd_close(p);
	printf("replayed: %" PRIu64 " faults instead of %" PRIu64 ", "
	       "%" PRIu64 " pages prefetched\n", second.faults, first.faults, second.prefetched);
	free(record);
	free(order);
	if (wrong || (uint64_t)n + lost != first.faults || second.faults * 2 > first.faults ||
	    first.resident_peak > c.limit / (size_t)getpagesize()) {
		fprintf(stderr, "record_access: unexpected result: %zu searches wrong\n", wrong);
		return 1;
	}
	return 0;
}
