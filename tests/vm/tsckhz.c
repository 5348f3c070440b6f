// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsckhz - print the frequency of this machine's time stamp counter in kHz.
 *
 * Without KVM a guest reads the counter of the host. The guest's kernel compares the counter with
 * an emulated timer when it boots. On a busy host the result was wrong by a factor of 2.6, and the
 * guest's clock ran as much too fast. tests/vm/run therefore tells the kernel the frequency.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define ROUNDS 20

struct sample {
	uint64_t tsc, ns, width;	/* width: ticks that reading the clock took */
};

static struct sample take_sample(void)
{
	struct sample best = { .width = ~0ull }, s;
	struct timespec t;
	uint64_t before;
	int i;

	/* The process may lose the CPU between the two readings. Keep the closest pair. */
	for (i = 0; i < ROUNDS; i++) {
		before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
		s.width = __rdtsc() - before;
		s.tsc = before + s.width / 2;
		s.ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
		if (s.width < best.width)
			best = s;
	}
	return best;
}

int main(void)
{
	const struct timespec nap = { .tv_nsec = 100000000 };
	struct sample a = take_sample(), b;

	nanosleep(&nap, NULL);
	b = take_sample();
	if (b.ns <= a.ns)
		return 1;
	printf("%.0f\n", (double)(b.tsc - a.tsc) / (double)(b.ns - a.ns) * 1e6);
	return 0;
}
