// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample.c - which faults get a record under --sample, and how many each stands for.
 *
 * Every so manieth of each kind, spread over a window of time: one that took the first
 * of a window and left out the rest would show the work of beginnings only. How manieth
 * follows from the faults that this window, or at its beginning the last, has; it
 * varies by half about that, lest it fall into step with a loop of the program. A record
 * stands for the faults of its own kind since the one before, so the sum over a kind is
 * exact: first touches never pass for refaults.
 */
#include "rec.h"

#define WINDOW_NS 100000000ULL

static uint32_t budget(void)
{
	return (rec.cfg.sample + 9) / 10;
}

/* Faults of this window when it will be over. */
static uint64_t expected(const struct rec_sample *s, uint64_t now)
{
	uint64_t since = now - s->window, least = WINDOW_NS / 64;
	uint64_t here = s->seen * WINDOW_NS / (since > least ? since : least);

	/* in its beginning the window before knows better */
	return since < WINDOW_NS / 16 && s->before > here ? s->before : here;
}

static uint64_t chance(struct rec_sample *s)
{
	/* xorshift */
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random & 1023;
}

uint32_t rec_sample_weight(uint8_t kind, uint64_t now)
{
	struct rec_sample *s = &rec.sample;
	struct rec_skipped *k = &s->kind[kind];
	uint64_t each;

	if (!rec.cfg.sample)
		return 1;
	if (!s->random)
		s->random = 0x9e3779b97f4a7c15ULL;
	if (now - s->window >= WINDOW_NS) {
		s->before = s->seen * WINDOW_NS / (now - s->window);
		s->window = now;
		s->seen = s->kept = 0;
	}
	s->seen++;
	k->count++;
	each = (expected(s, now) + budget() - 1) / budget();
	if (each > 1 && k->count * 1024 < each * (512 + k->chance))
		return 0;
	if (s->kept == budget())
		return 0;
	s->kept++;
	k->chance = (uint32_t)chance(s);
	each = k->count;
	k->count = 0;
	return (uint32_t)each;
}

void rec_sample_reset(void)
{
	rec.sample = (struct rec_sample){ 0 };
}
