// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmap_wait FORKS - touch new pages in one thread while another one forks so often.
 *
 * fork() holds mmap_lock and the locks of all mappings for writing while it copies page tables.
 * Print the TID of the thread that touches pages. It makes no system call that takes mmap_lock.
 */
#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "page.h"

#define COPIED 8192ul	/* pages whose entries fork() copies */
#define NEW (1ul << 18)	/* pages to touch at most */

static volatile char *fresh;
static atomic_bool done;
static atomic_int tid;

static void *map(unsigned long pages)
{
	void *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		err(2, "mmap");
	madvise(at, pages * PAGE, MADV_NOHUGEPAGE);
	return at;
}

static void *touch(void *arg)
{
	const struct timespec nap = { .tv_nsec = 100000 };
	unsigned long i;

	/* The first fault of a mapping takes mmap_lock in any case. */
	fresh[0] = 1;
	tid = (int)syscall(SYS_gettid);
	for (i = 1; i < NEW && !done; i++) {
		fresh[i * PAGE] = 1;
		nanosleep(&nap, NULL);
	}
	return arg;
}

int main(int argc, char **argv)
{
	int i, forks = argc == 2 ? atoi(argv[1]) : 0;
	volatile char *copied;
	unsigned long k;
	pthread_t t;
	pid_t pid;

	if (forks < 1)
		errx(2, "usage: mmap_wait FORKS");
	copied = map(COPIED);
	for (k = 0; k < COPIED; k++)
		copied[k * PAGE] = 1;
	fresh = map(NEW);
	if (pthread_create(&t, NULL, touch, NULL))
		errx(2, "pthread_create");
	while (!tid)
		usleep(1000);
	for (i = 0; i < forks; i++) {
		pid = fork();
		if (pid < 0)
			err(2, "fork");
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	done = true;
	pthread_join(t, NULL);
	printf("%d\n", tid);
	return 0;
}
