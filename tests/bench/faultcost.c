// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faultcost PAGES REPS [DEPTH [FILE [write]]] - measure the nanoseconds per minor fault.
 *
 * Writes to PAGES fresh pages, DEPTH calls deep, REPS times after a warm-up, and prints
 *     faults=N cpu=NS wall=NS spread=MIN..MAX
 * which are medians of the repetitions. cpu is the time of the thread. wall includes other
 * tasks on its CPU. With QEMU's -icount a nanosecond is an instruction.
 * With FILE, it reads or writes pages of a shared mapping of FILE instead. They must be in the
 * page cache, and fault_around_bytes in debugfs must be one page.
 * `faultcost calibrate` prints the nanoseconds per instruction.
 */
#include "../workload/region.h"

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { REPS_MAX = 101 };

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void calibrate(void)
{
	unsigned long n = 20000000;
	uint64_t t0 = now(CLOCK_MONOTONIC), t1;

#ifdef __x86_64__
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) :: "cc");
#else
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(n) :: "cc");
#endif
	t1 = now(CLOCK_MONOTONIC);
	printf("calibrate: %.3f ns per instruction\n", (double)(t1 - t0) / 4e7);
}

static char *map_file(const char *path, size_t length)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char *p = fd < 0 ? MAP_FAILED : mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return p;
}

__attribute__((noipa)) static void touch_deep(char *p, size_t pages, unsigned long depth, bool reads)
{
	if (depth)
		touch_deep(p, pages, depth - 1, reads);
	else if (reads)
		region_read(p, pages, PAGE);
	else
		region_write(p, pages, PAGE);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	unsigned long depth = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	const char *file = argc > 4 ? argv[4] : NULL;
	bool reads = file && argc < 6;
	double cpu[REPS_MAX], wall[REPS_MAX];
	size_t pages, reps;
	long faults = 0;

	if (argc == 2 && !strcmp(argv[1], "calibrate")) {
		calibrate();
		return 0;
	}
	if (argc < 3 || argc > 6 || (argc == 6 && strcmp(argv[5], "write")))
		errx(2, "usage: faultcost PAGES REPS [DEPTH [FILE [write]]] | faultcost calibrate");
	pages = strtoul(argv[1], NULL, 10);
	reps = strtoul(argv[2], NULL, 10);
	if (!pages || !reps || reps > REPS_MAX)
		errx(2, "PAGES and REPS must be positive, REPS at most %d", REPS_MAX);
	for (size_t r = 0; r <= reps; r++) {
		char *p = file ? map_file(file, pages * PAGE) : region_anon(pages * PAGE);
		struct rusage a, b;
		uint64_t c0, c1, w0, w1;

		getrusage(RUSAGE_THREAD, &a);
		w0 = now(CLOCK_MONOTONIC);
		c0 = now(CLOCK_THREAD_CPUTIME_ID);
		touch_deep(p, pages, depth, reads);
		c1 = now(CLOCK_THREAD_CPUTIME_ID);
		w1 = now(CLOCK_MONOTONIC);
		getrusage(RUSAGE_THREAD, &b);
		munmap(p, pages * PAGE);
		if (r == 0)
			continue;
		faults = b.ru_minflt - a.ru_minflt;
		if (faults != (long)pages)
			errx(1, "%ld faults for %zu pages", faults, pages);
		cpu[r - 1] = (double)(c1 - c0) / (double)faults;
		wall[r - 1] = (double)(w1 - w0) / (double)faults;
	}
	qsort(cpu, reps, sizeof(*cpu), compare);
	qsort(wall, reps, sizeof(*wall), compare);
	printf("faults=%ld cpu=%.1f wall=%.1f spread=%.1f..%.1f\n", faults, cpu[reps / 2],
	       wall[reps / 2], cpu[0], cpu[reps - 1]);
	return 0;
}
