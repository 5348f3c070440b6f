// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forkcost N REPS - measure the nanoseconds per fork() and exit of a small process.
 *
 * Starts N processes, one after the other, that exit at once, REPS times after a warm-up, and
 * prints the median and the spread of the repetitions. With QEMU's -icount and one CPU a
 * nanosecond is an instruction, of the parent, the child and the kernel.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPS_MAX = 101 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	size_t reps = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	double cost[REPS_MAX];

	if (!n || !reps || reps > REPS_MAX)
		errx(2, "usage: forkcost N REPS, at most %d REPS", REPS_MAX);
	for (size_t r = 0; r <= reps; r++) {
		uint64_t start = now();

		for (size_t i = 0; i < n; i++) {
			pid_t pid = fork();

			if (pid < 0)
				err(1, "fork");
			if (pid == 0)
				_exit(0);
			if (waitpid(pid, NULL, 0) != pid)
				err(1, "waitpid");
		}
		if (r > 0)
			cost[r - 1] = (double)(now() - start) / (double)n;
	}
	qsort(cost, reps, sizeof(*cost), compare);
	printf("fork=%.0f spread=%.0f..%.0f\n", cost[reps / 2], cost[0], cost[reps - 1]);
	return 0;
}
