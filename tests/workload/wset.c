// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wset [options] MiB TOUCHED[,TOUCHED...] - run with a known working set.
 *
 * Maps MiB of memory, fills it and prints "ready". Then writes a byte to each page of the
 * first TOUCHED MiB every 10 ms. Several sizes take turns: SIGUSR1 begins the next one. On
 * SIGTERM it prints "rounds N cpu NS", the rounds and the CPU time since "ready", and ends.
 *
 *   -H        use huge pages
 *   -f FILE   use a shared mapping of FILE
 *   -s        use shared memory
 *   -n TIMES  use shared memory that is mapped TIMES times at consecutive addresses
 *   -r        read instead of write after filling
 *   -l        lock all memory, so that reclaim takes no page
 *   -m PAGES  also map, write and unmap PAGES pages per round
 *   -x N      touch every Nth page only, scattered over TOUCHED * N MiB
 *   -S STEP   move the touched range by STEP MiB per second
 *   -t SECONDS  end after SECONDS
 *   -T FILE   at the end, write "PID BEGIN END" to FILE for each round, in seconds since the epoch
 *   -v        share all memory with an idle child, like vfork() until exec
 */
#include "region.h"

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PHASES 16

static volatile sig_atomic_t ended, phase;

static void on_term(int signal)
{
	(void)signal;
	ended = 1;
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *map_file(const char *path, size_t len)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	char *p;

	if (fd < 0 || ftruncate(fd, (off_t)len))
		err(1, "%s", path);
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static char *map_shared(size_t len)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static char *map_often(size_t len, size_t times)
{
	int fd = memfd_create("wset", 0);
	char *p = mmap(NULL, len * times, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	size_t i;

	if (fd < 0 || ftruncate(fd, (off_t)len) || p == MAP_FAILED)
		err(1, "memfd");
	for (i = 0; i < times; i++)
		if (mmap(p + i * len, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			err(1, "mmap");
	return p;
}

/* Runs with the parent's thread-local storage, which this function must not use. */
static int wait_for_end(void *arg)
{
	(void)arg;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!ended)
		pause();
	return 0;
}

/* Start a child that shares our memory. */
static pid_t start_sharing_child(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t child = clone(wait_for_end, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	if (child < 0)
		err(1, "clone");
	return child;
}

/* Kept in memory, because printf() would add pages to the working set in each round. */
static struct {
	double begin, end;
} times_of[65536];

static void write_times(const char *path, size_t rounds)
{
	FILE *file = fopen(path, "w");

	if (!file)
		err(1, "%s", path);
	if (rounds > sizeof(times_of) / sizeof(times_of[0]))
		errx(1, "too many rounds for -T");
	for (size_t i = 0; i < rounds; i++)
		fprintf(file, "%d %.6f %.6f\n", getpid(), times_of[i].begin, times_of[i].end);
	if (fclose(file))
		err(1, "%s", path);
}

static void on_usr1(int signal)
{
	(void)signal;
	phase++;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 10 * 1000 * 1000 };
	size_t mib = 1ul << 20, len, touched[PHASES], phases = 0, slide = 0, at, i, times = 1;
	size_t stride = 1, more = 0;
	double seconds = 0, begin, cpu, t;
	const char *path = NULL, *times_path = NULL;
	int opt, huge = 0, locked = 0, reads = 0, shared = 0, share_memory = 0;
	unsigned long rounds = 0;
	pid_t child = 0;
	char *p, *word;

	while ((opt = getopt(argc, argv, "Hf:lm:n:rst:T:S:vx:")) != -1) {
		switch (opt) {
		case 'H': huge = 1; break;
		case 'f': path = optarg; break;
		case 'l': locked = 1; break;
		case 'm': more = strtoul(optarg, NULL, 10); break;
		case 'n': times = strtoul(optarg, NULL, 10); break;
		case 'r': reads = 1; break;
		case 's': shared = 1; break;
		case 't': seconds = atof(optarg); break;
		case 'T': times_path = optarg; break;
		case 'S': slide = strtoul(optarg, NULL, 10); break;
		case 'v': share_memory = 1; break;
		case 'x': stride = strtoul(optarg, NULL, 10); break;
		default: return 2;
		}
	}
	if (argc - optind != 2 || !times || !stride)
		errx(2, "usage: wset [-H | -f FILE | -s | -n TIMES] [-l] [-r] [-m PAGES] [-x N] "
		     "[-S STEP] [-t SECONDS] [-T FILE] [-v] MiB TOUCHED[,TOUCHED...]");
	len = strtoul(argv[optind], NULL, 10) * mib;
	for (word = strtok(argv[optind + 1], ","); word && phases < PHASES;
	     word = strtok(NULL, ","))
		touched[phases++] = strtoul(word, NULL, 10) * mib;
	for (i = 0; i < phases; i++)
		if (touched[i] * stride > len * times)
			errx(2, "invalid TOUCHED (expected at most the mapped size)");
	p = path ? map_file(path, len) : times > 1 ? map_often(len, times) :
	    shared ? map_shared(len) : huge ? region_huge(len) : region_anon(len);
	len *= times;
	region_write(p, len / PAGE, PAGE);
	if (locked && mlockall(MCL_CURRENT))
		err(1, "mlockall");
	signal(SIGTERM, on_term);
	signal(SIGUSR1, on_usr1);
	if (share_memory)
		child = start_sharing_child();
	printf("ready\n");
	fflush(stdout);
	begin = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	while (!ended) {
		t = now(CLOCK_MONOTONIC) - begin;
		if (seconds > 0 && t >= seconds)
			break;
		at = len - touched[0] ? (size_t)t * slide * mib % (len - touched[0] + mib) : 0;
		if (times_path && rounds < sizeof(times_of) / sizeof(times_of[0]))
			times_of[rounds].begin = now(CLOCK_REALTIME);
		if (reads)
			region_read(p + at, touched[(size_t)phase % phases] / PAGE, PAGE * stride);
		else
			region_write(p + at, touched[(size_t)phase % phases] / PAGE, PAGE * stride);
		if (more) {
			char *room = region_anon(more * PAGE);

			region_write(room, more, PAGE);
			munmap(room, more * PAGE);
		}
		if (times_path && rounds < sizeof(times_of) / sizeof(times_of[0]))
			times_of[rounds].end = now(CLOCK_REALTIME);
		rounds++;
		nanosleep(&pause, NULL);
	}
	if (child)
		kill(child, SIGKILL);
	if (times_path)
		write_times(times_path, rounds);
	printf("rounds %lu cpu %.0f\n", rounds, (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e9);
	return 0;
}
