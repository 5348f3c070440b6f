// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gap COMMAND... - measure how long the kernel keeps a real-time task from running while
 * COMMAND runs on the same CPU.
 *
 * Sleeps for 50 us at a time, and prints "gap NS", the latest wake-up. With QEMU's -icount a
 * nanosecond is an instruction, so the figure bounds the instructions with preemption off.
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct sched_param fifo = { .sched_priority = 50 };
	const struct timespec nap = { .tv_nsec = 50000 };
	uint64_t before, late, gap = 0;
	int status;
	pid_t pid;

	if (argc < 2)
		errx(2, "usage: gap COMMAND...");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		usleep(100000);
		dup2(null, 1);
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (mlockall(MCL_CURRENT | MCL_FUTURE) || sched_setscheduler(0, SCHED_FIFO, &fifo))
		err(1, "sched_setscheduler");
	while (!waitpid(pid, &status, WNOHANG)) {
		before = now();
		nanosleep(&nap, NULL);
		late = now() - before - 50000;
		gap = late > gap ? late : gap;
	}
	printf("gap %llu status %d\n", (unsigned long long)gap, status);
	return 0;
}
