// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samples.c - record --sample N keeps at most N faults per second, and the records of each function
 * stand for about as many faults as the function has, also if faults come in bursts.
 *
 * Functions take turns in simulated time, so that no load of this machine matters.
 */
#include "image/image.h"
#include "trace/sampling.h"

#include <stdio.h>
#include <stdlib.h>

#define MS 1000000ULL

enum { FUNCTIONS = 4, TURN_MS = 25, SECONDS = 3, KINDS = 2 };

struct rec_image rec_image;

/* Return the faults in a millisecond. */
typedef unsigned int pattern_fn(unsigned int ms);

static unsigned int steady(unsigned int ms)
{
	(void)ms;
	return 50;
}

/* The program gets a CPU late in each tenth of a second. */
static unsigned int bursts(unsigned int ms)
{
	return ms % 100 < 45 ? 3 : 120;
}

static unsigned int pauses(unsigned int ms)
{
	return ms / 30 % 2 ? 0 : 200;
}

static unsigned int rising(unsigned int ms)
{
	return ms / 10;
}

static bool check(const char *name, pattern_fn *faults_in, unsigned int per_second)
{
	uint64_t had[FUNCTIONS] = { 0 }, got[FUNCTIONS] = { 0 }, kept = 0, all = 0;
	struct flt_ring_fault f = { 0 };
	bool fair = true;

	rec_image.config.sample = per_second;
	rec_sampling_reset();
	for (unsigned int ms = 0; ms < SECONDS * 1000; ms++) {
		const unsigned int n = faults_in(ms);

		for (unsigned int i = 0; i < n; i++) {
			const uint64_t now = 1000 * MS + ms * MS + i * MS / n;
			struct flt_ring_fault rest;
			uint32_t weight;

			for (; rec_sampling_rest(now, &rest); kept++)
				got[rest.ip] += rest.weight;
			f.ip = ms / TURN_MS % FUNCTIONS;
			f.kind = i % 8 ? FLT_RING_REFAULT : FLT_RING_ALLOC;
			had[f.ip]++;
			weight = rec_sampling_weight(&f, now);
			got[f.ip] += weight;
			kept += weight > 0;
		}
	}
	while (rec_sampling_flush(&f)) {
		got[f.ip] += f.weight;
		kept++;
	}
	/* Besides, the record at the end of a turn may stand for faults of two functions. */
	for (int k = 0; k < FUNCTIONS; k++)
		all += had[k];
	for (int k = 0; k < FUNCTIONS; k++)
		fair &= (uint64_t)llabs((long long)(got[k] - had[k])) <=
			had[k] / 10 + SECONDS * 1000 / TURN_MS / FUNCTIONS * 2 * all / (kept + 1);
	/* With few records a window has few, too. */
	fair |= per_second < 1000;
	/* The last second may begin with a window of the one before. Each kind has a last record. */
	if (!fair || kept > (SECONDS + 1) * per_second + KINDS || kept < per_second) {
		printf("not ok %s, %u per second: %llu records;", name, per_second,
		       (unsigned long long)kept);
		for (int k = 0; k < FUNCTIONS; k++)
			printf(" %llu of %llu", (unsigned long long)got[k],
			       (unsigned long long)had[k]);
		putchar('\n');
		return false;
	}
	printf("ok %s, %u per second: %llu records\n", name, per_second, (unsigned long long)kept);
	return true;
}

int main(void)
{
	static const unsigned int rates[] = { 10, 80, 90, 1000, 4000, 20000 };
	bool all = true;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		all &= check("steady faults", steady, rates[i]);
		all &= check("bursts", bursts, rates[i]);
		all &= check("pauses", pauses, rates[i]);
		all &= check("rising rate", rising, rates[i]);
	}
	return !all;
}
