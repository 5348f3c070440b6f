// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampling.c - record every n-th fault of each kind.
 *
 * Samples are spread over a window of time, because recording the first faults of each window
 * would show the beginning of each phase only. n follows from the rate of the latest faults, and
 * from the time and the records that are left. The distance between samples varies by half, so that
 * it does not fall into step with a loop of the program. A record represents the faults of its own
 * kind since the record before, so sums per kind are exact. At the end of a window, the latest
 * fault represents the rest, because the next window may belong to other code.
 */
#include "sampling.h"

#include "image/image.h"

#define WINDOW_NS 100000000ULL
#define LATEST    32	/* faults whose rate is measured */
#define KINDS     4	/* enum flt_ring_kind */

static struct {
	uint64_t window;	/* when the window began */
	uint64_t time[LATEST];	/* of the latest faults */
	uint64_t took;		/* between the first and the last of them */
	uint64_t seen;
	uint32_t kept;		/* records in the window */
	uint64_t random;
	struct {
		uint64_t count;		/* faults that no record represents yet */
		uint32_t chance;
		struct flt_ring_fault latest;	/* the latest of these faults */
	} kind[KINDS];
} state;

/* Return the records of a window, with those for its rest. */
static uint32_t records_per_window(void)
{
	return (rec_image.config.sample + 9) / 10;
}

/* If a window has few records, the next one's first record represents its rest. */
static bool has_rest(void)
{
	return records_per_window() > 2 * KINDS;
}

/* Estimate the faults that come in the rest of the window, by the time of the latest ones. */
static uint64_t faults_to_come(uint64_t now)
{
	uint64_t *oldest = &state.time[state.seen++ % LATEST];
	const uint64_t since = now - state.window;

	/* Faults that the kernel resolved come after later ones. */
	if (now > *oldest)
		state.took = now - *oldest;
	*oldest = now;
	return since < WINDOW_NS ? LATEST * (WINDOW_NS - since) / (state.took + 1) : 0;
}

/* Return a random number from 0 to 1023 (xorshift). */
static uint32_t chance(void)
{
	state.random ^= state.random << 13;
	state.random ^= state.random >> 7;
	state.random ^= state.random << 17;
	return state.random & 1023;
}

bool rec_sampling_rest(uint64_t now, struct flt_ring_fault *f)
{
	if (!rec_image.config.sample || now < state.window || now - state.window < WINDOW_NS)
		return false;
	if (has_rest() && rec_sampling_flush(f))
		return true;
	state.window = now;
	state.kept = 0;
	return false;
}

uint32_t rec_sampling_weight(const struct flt_ring_fault *f, uint64_t now)
{
	uint64_t to_come;
	uint32_t left, weight;

	if (!rec_image.config.sample)
		return 1;
	if (!state.random)
		state.random = 0x9e3779b97f4a7c15ULL;
	/* Faults that the kernel resolved come later, and in batches. */
	if (now < state.window)
		now = state.window;
	state.kind[f->kind].count++;
	to_come = faults_to_come(now);
	left = records_per_window() - (has_rest() ? KINDS : 0) - state.kept;
	if (!left || (to_come > left && state.kind[f->kind].count * left * 1024 <
					to_come * (512 + state.kind[f->kind].chance))) {
		state.kind[f->kind].latest = *f;
		return 0;
	}
	state.kept++;
	state.kind[f->kind].chance = chance();
	weight = (uint32_t)state.kind[f->kind].count;
	state.kind[f->kind].count = 0;
	return weight;
}

bool rec_sampling_flush(struct flt_ring_fault *f)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (!state.kind[i].count)
			continue;
		*f = state.kind[i].latest;
		f->weight = (uint32_t)state.kind[i].count;
		state.kind[i].count = 0;
		return true;
	}
	return false;
}

void rec_sampling_reset(void)
{
	__builtin_memset(&state, 0, sizeof(state));
}
