// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_exit.c - words that the kernel writes when a thread ends must not be evicted then. */
#include "cases.h"
#include "lib/core/sys.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int wake[2];
static volatile int tid;
static char told[1];

/* Wait for a byte, then end this thread. Touch no memory in between. */
static void *wait_and_end(void *mutex)
{
	if (mutex)
		pthread_mutex_lock(mutex);
	tid = (int)syscall(SYS_gettid);
	/* Both calls are inlined, and their arguments are constants and addresses. */
	sys3(SYS_read, wake[0], told, 1);
	sys1(SYS_exit, 0);
	return NULL;
}

/* Return the number of the system call that the thread executes, -1: none, -2: it has ended. */
static int system_call_of(int id)
{
	char path[64], text[256] = "-1";
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", id);
	f = fopen(path, "r");
	if (!f)
		return -2;
	n = fgets(text, sizeof(text), f) && sscanf(text, "%d", &n) == 1 ? n : -1;
	fclose(f);
	return n;
}

/*
 * Evict all memory of the thread that waits, then let it end. Wait for that without its memory,
 * which pthread_join() would bring back.
 */
static unsigned long evict_and_wake(void)
{
	unsigned long bad;
	unsigned int *p;

	while (!tid || system_call_of(tid) != SYS_read)
		;
	p = filled(BIG);
	bad = wrong(p, BIG);
	free(p);
	if (write(wake[1], "x", 1) != 1)
		bad++;
	while (system_call_of(tid) != -2)
		;
	return bad;
}

/* The stack, with libc's description of the thread, is memory of the heap. */
void case_setstack(void)
{
	enum { BYTES = 512 << 10 };
	unsigned long bad;
	pthread_attr_t a;
	pthread_t t;
	void *stack;

	/* rseq touches the description after each sleep. */
	if (!getenv("GLIBC_TUNABLES")) {
		setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		execl("/proc/self/exe", "cases", "setstack", NULL);
	}
	if (pipe(wake) || posix_memalign(&stack, PAGE, BYTES))
		return;
	pthread_attr_init(&a);
	pthread_attr_setstack(&a, stack, BYTES);
	pthread_create(&t, &a, wait_and_end, NULL);
	bad = evict_and_wake();
	pthread_join(t, NULL);
	printf("joined, wrong %lu\n", bad);
	free(stack);
}

/* A robust mutex in memory of the heap, whose owner ends. */
void case_robust(void)
{
	struct { char before[3 * PAGE_MAX]; pthread_mutex_t mutex; char after[PAGE_MAX]; } *m;
	pthread_mutexattr_t a;
	unsigned long bad;
	pthread_t t;
	int ret;

	if (pipe(wake))
		return;
	m = malloc(sizeof(*m));
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m->mutex, &a);
	pthread_create(&t, NULL, wait_and_end, &m->mutex);
	bad = evict_and_wake();
	pthread_join(t, NULL);
	ret = pthread_mutex_lock(&m->mutex);
	printf("%s, wrong %lu\n", ret == EOWNERDEAD ? "owner died" : "locked", bad);
	free(m);
}

static bool is_zombie(int id)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", id);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state == 'Z';
}

static void *outlive_main_thread(void *arg)
{
	unsigned int *p;

	while (!is_zombie(getpid()))
		;
	/* The fault server looks after half a second without work whether the program is there. */
	usleep(1500000);
	p = filled(BIG);
	printf("wrong %lu\n", wrong(p, BIG));
	exit(0);
	return arg;
}

/* The main thread ends before another one. */
void case_end_main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, outlive_main_thread, NULL);
	pthread_exit(NULL);
}
