// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/perf/grace.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "text/clock.h"

struct flt_grace {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Guarded by the lock. */
	bool asked, ending;
	uint64_t horizon;
};

void flt_grace_wait(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static void *serve(void *arg)
{
	struct flt_grace *g = arg;
	uint64_t now;

	pthread_mutex_lock(&g->lock);
	for (;;) {
		while (!g->asked && !g->ending)
			pthread_cond_wait(&g->changed, &g->lock);
		if (g->ending)
			break;
		g->asked = false;
		pthread_mutex_unlock(&g->lock);
		now = flt_clock_ns(CLOCK_MONOTONIC);
		flt_grace_wait();
		pthread_mutex_lock(&g->lock);
		g->horizon = now;
	}
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

/* Start the thread without signals, which belong to the loop of the command. */
static int start(struct flt_grace *g)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&g->thread, NULL, serve, g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

int flt_grace_new(struct flt_grace **out)
{
	struct flt_grace *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, NULL);
	err = start(g);
	if (err)
		free(g);
	else
		*out = g;
	return err;
}

void flt_grace_free(struct flt_grace *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->ending = true;
	pthread_cond_signal(&g->changed);
	pthread_mutex_unlock(&g->lock);
	pthread_join(g->thread, NULL);
	pthread_cond_destroy(&g->changed);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

uint64_t flt_grace_horizon(struct flt_grace *g)
{
	uint64_t horizon;

	pthread_mutex_lock(&g->lock);
	horizon = g->horizon;
	g->asked = true;
	pthread_cond_signal(&g->changed);
	pthread_mutex_unlock(&g->lock);
	return horizon;
}
