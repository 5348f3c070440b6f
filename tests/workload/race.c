// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * race late N     - two threads write each of N fresh pages at the same time, so that
 *                   the second fault finds the page mapped. A third thread holds
 *                   mmap_lock until both have faulted.
 * race moved N    - migrate a page between two nodes N times. The page has hundreds of mappings.
 *                   All of them become migration entries before the page moves. Meanwhile a
 *                   thread of a higher priority takes the CPU again and again, and reads.
 *
 * The outcome of the races is not known in advance. The section prints the number of
 * faults.
 */
#include "region.h"
#include "section.h"

#include <err.h>
#include <errno.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HELD_PAGES = 8192, CHILDREN = 200 };

static char *area, *fresh;
static long n;
static atomic_long arrived;
static atomic_int ready, over;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

static void start(pthread_t *t, void *(*fn)(void *), void *arg)
{
	if (pthread_create(t, NULL, fn, arg))
		errx(1, "pthread_create");
}

/* Both writers run on one CPU, so the first completes its fault before the second runs. */
static void *write_late(void *unused)
{
	(void)unused;
	pin(0);
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < 4)
		sched_yield();
	for (long i = 0; i < n; i++) {
		/* Sleep, so that the third thread runs and most likely takes the lock. */
		usleep(200);
		atomic_fetch_add(&arrived, 1);
		while (atomic_load(&arrived) < 2 * (i + 1))
			sched_yield();
		fresh[i * PAGE] = 1;
	}
	atomic_fetch_add(&over, 1);
	while (atomic_load(&over) < 3)
		sched_yield();
	return NULL;
}

/*
 * Change the protection of the whole area and back. This holds mmap_lock and the VMA lock
 * for writing while thousands of page table entries are changed.
 */
static void *hold_lock(void *unused)
{
	int prot[] = { PROT_READ | PROT_WRITE | PROT_EXEC, PROT_READ | PROT_WRITE };

	(void)unused;
	pin(1);
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < 4)
		sched_yield();
	for (unsigned int i = 0; atomic_load(&over) < 2; i++)
		if (mprotect(area, (HELD_PAGES + (size_t)n) * PAGE, prot[i & 1]))
			err(1, "mprotect");
	while (atomic_load(&over) < 3)
		sched_yield();
	return NULL;
}

static void late(void)
{
	pthread_t t[3];

	area = region_anon((HELD_PAGES + (size_t)n) * PAGE);
	fresh = area + HELD_PAGES * (size_t)PAGE;
	region_write(area, HELD_PAGES, PAGE);
	start(&t[0], write_late, NULL);
	start(&t[1], write_late, NULL);
	start(&t[2], hold_lock, NULL);
	while (atomic_load(&ready) < 3)
		sched_yield();
	section_begin();
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&over) < 2)
		sched_yield();
	section_end("late", SECTION_ANY, 0, SECTION_ANY);
	atomic_fetch_add(&over, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void *read_moved(void *unused)
{
	struct sched_param param = { .sched_priority = 1 };

	(void)unused;
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		err(77, "SCHED_FIFO");
	atomic_store(&ready, 1);
	while (!atomic_load(&over)) {
		usleep(100);
		region_read(area, 1, PAGE);
	}
	atomic_store(&over, 2);
	while (atomic_load(&over) < 3)
		usleep(100);
	return NULL;
}

/* Start children that share the page and sleep until this thread ends. */
static void map_in_children(void)
{
	pid_t parent = getpid(), child;

	for (int i = 0; i < CHILDREN; i++) {
		child = fork();
		if (child < 0)
			err(1, "fork");
		if (child)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
}

static void moved(void)
{
	void *page;
	pthread_t t;
	long there = 0;
	int node, status;

	pin(0);
	area = region_anon(PAGE);
	region_write(area, 1, PAGE);
	map_in_children();
	page = area;
	start(&t, read_moved, NULL);
	while (!atomic_load(&ready))
		sched_yield();
	section_begin();
	for (long i = 0; i < n; i++) {
		node = !(i & 1);
		status = -1;
		if (syscall(SYS_move_pages, 0, 1UL, &page, &node, &status,
			    MPOL_MF_MOVE_ALL) < 0)
			err(77, "move_pages");
		there += status == node;
	}
	atomic_store(&over, 1);
	while (atomic_load(&over) < 2)
		sched_yield();
	section_end("moved", SECTION_ANY, 0, SECTION_ANY);
	atomic_store(&over, 3);
	pthread_join(t, NULL);
	/* A page that never moves is on the wanted node half of the times. */
	if (there < n * 3 / 4)
		errx(1, "the page was on the wanted node %ld of %ld times", there, n);
}

int main(int argc, char **argv)
{
	n = argc == 3 ? atol(argv[2]) : 0;
	if (n < 1)
		errx(2, "usage: race late|moved N");
	if (!strcmp(argv[1], "late"))
		late();
	else if (!strcmp(argv[1], "moved"))
		moved();
	else
		errx(2, "invalid race '%s' (expected late or moved)", argv[1]);
	return 0;
}
