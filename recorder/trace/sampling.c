// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampling.c - record every n-th fault of each kind.
 *
 * Samples are spread over a window of time, because recording the first faults of each window
 * would show the beginning of each phase only. n follows from the number of faults in this
 * window, or at its beginning in the window before. The distance between samples varies by
 * half, so that it does not fall into step with a loop of the program. A record represents
 * the faults of its own kind since the record before, so sums per kind are exact.
 */
#include "sampling.h"

#include "image/image.h"

#define WINDOW_NS 100000000ULL

static struct {
	uint64_t window;	/* when the window began */
	uint64_t seen, before;	/* faults in it, and in the window before */
	uint32_t kept;		/* records in it */
	uint64_t random;
	struct {
		uint64_t count;		/* faults that no record represents yet */
		uint32_t chance;
		struct flt_ring_fault latest;	/* the latest of these faults */
	} kind[4];		/* by enum flt_ring_kind */
} state;

static uint32_t records_per_window(void)
{
	return (rec_image.config.sample + 9) / 10;
}

/* Estimate the number of faults in the whole window. */
static uint64_t expected_faults(uint64_t now)
{
	uint64_t since = now - state.window, least = WINDOW_NS / 64;
	uint64_t here = state.seen * WINDOW_NS / (since > least ? since : least);

	/* Early in a window the window before is the better estimate. */
	return since < WINDOW_NS / 16 && state.before > here ? state.before : here;
}

/* Return a random number from 0 to 1023 (xorshift). */
static uint32_t chance(void)
{
	state.random ^= state.random << 13;
	state.random ^= state.random >> 7;
	state.random ^= state.random << 17;
	return state.random & 1023;
}

uint32_t rec_sampling_weight(const struct flt_ring_fault *f, uint64_t now)
{
	uint32_t budget = records_per_window(), weight;
	uint64_t n;

	if (!rec_image.config.sample)
		return 1;
	if (!state.random)
		state.random = 0x9e3779b97f4a7c15ULL;
	/* Faults that the kernel resolved come later, and in batches. */
	if (now < state.window)
		now = state.window;
	if (now - state.window >= WINDOW_NS) {
		state.before = state.seen * WINDOW_NS / (now - state.window);
		state.window = now;
		state.seen = state.kept = 0;
	}
	state.seen++;
	state.kind[f->kind].count++;
	n = (expected_faults(now) + budget - 1) / budget;
	if ((n > 1 && state.kind[f->kind].count * 1024 < n * (512 + state.kind[f->kind].chance)) ||
	    state.kept == budget) {
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
	for (size_t i = 0; i < sizeof(state.kind) / sizeof(state.kind[0]); i++) {
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
