// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_lock.c - locks in evicted memory whose words the kernel writes. */
#include "cases.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOME (10u << 20)	/* evicts all other memory */

/* Two words that are alone in their pages. */
struct words {
	char before[3 * PAGE_MAX];
	unsigned int a;
	char between[3 * PAGE_MAX];
	unsigned int b;
	char after[3 * PAGE_MAX];
};

static void evict(void)
{
	unsigned int *p = filled(SOME);

	if (wrong(p, SOME))
		printf("wrong content\n");
	free(p);
}

static long futex(unsigned int *word, int op, unsigned int n, unsigned long more,
		  unsigned int *other, unsigned int last)
{
	long ret = syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, n, more, other, last);

	return ret < 0 ? -errno : ret;
}

static _Atomic int contender;

/* Take and release the lock, which the main thread holds. Return the results. */
static void *contend(void *arg)
{
	static char text[128];
	struct words *w = arg;
	unsigned int seen;
	long locked;

	contender = (int)syscall(SYS_gettid);
	locked = futex(&w->a, FUTEX_LOCK_PI, 0, 0, NULL, 0);
	seen = w->a & FUTEX_TID_MASK;
	evict();
	snprintf(text, sizeof(text), "locked %ld own %d unlocked %ld", locked,
		 seen == (unsigned int)contender, futex(&w->a, FUTEX_UNLOCK_PI, 0, 0, NULL, 0));
	return text;
}

/* A lock with priority inheritance, and an operation on a second word, by system calls. */
void case_futex(void)
{
	struct words *w = calloc(1, sizeof(*w));
	unsigned int tid = (unsigned int)syscall(SYS_gettid);
	pthread_t t;
	void *text;
	long got;

	evict();
	printf("lock %ld", futex(&w->a, FUTEX_LOCK_PI, 0, 0, NULL, 0));
	evict();
	printf(" unlock %ld", futex(&w->a, FUTEX_UNLOCK_PI, 0, 0, NULL, 0));
	evict();
	got = futex(&w->a, FUTEX_TRYLOCK_PI, 0, 0, NULL, 0);
	printf(" try %ld own %d\n", got, w->a == tid);
	pthread_create(&t, NULL, contend, w);
	/* The thread sets this bit before it sleeps. */
	while (!(((volatile struct words *)w)->a & FUTEX_WAITERS))
		sched_yield();
	evict();
	printf("unlock %ld\n", futex(&w->a, FUTEX_UNLOCK_PI, 0, 0, NULL, 0));
	pthread_join(t, &text);
	printf("%s\n", (char *)text);
	evict();
	printf("wake %ld", futex(&w->a, FUTEX_WAKE_OP, 1, 1, &w->b,
				 FUTEX_OP(FUTEX_OP_ADD, 7, FUTEX_OP_CMP_EQ, 0)));
	printf(" added %u\n", w->b);
	printf("null %ld\n", futex(NULL, FUTEX_LOCK_PI, 0, 0, NULL, 0));
	free(w);
}

struct shared {
	char before[3 * PAGE_MAX];
	pthread_mutex_t mutex;
	char between[3 * PAGE_MAX];
	unsigned int sum, failed;
};

static void *add(void *arg)
{
	struct shared *s = arg;

	for (int i = 0; i < 12; i++) {
		if (pthread_mutex_lock(&s->mutex))
			s->failed++;
		/* The others wait in the kernel meanwhile. */
		if (i == 5)
			evict();
		s->sum++;
		if (pthread_mutex_unlock(&s->mutex))
			s->failed++;
	}
	return NULL;
}

/* libc's mutex with priority inheritance, for which threads compete. */
void case_mutex(void)
{
	struct shared *s = calloc(1, sizeof(*s));
	pthread_mutexattr_t a;
	pthread_t t[3];

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&s->mutex, &a);
	evict();
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, add, s);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("sum %u failed %u\n", s->sum, s->failed);
	free(s);
}
