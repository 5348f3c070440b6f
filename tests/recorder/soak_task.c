// SPDX-License-Identifier: GPL-2.0-or-later
/* soak_task.c - forked and spawned processes, cancelled threads and signal handlers. */
#include "soak.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_status(struct worker *w, pid_t pid, int want, const char *what)
{
	int status = -1;
	pid_t got;

	do {
		got = waitpid(pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	if ((got != pid || status != want) && soak_is_wrong())
		fprintf(stderr, "wrong: worker %u: %s ended with %#x\n", w->number, what, (unsigned int)status);
}

void soak_task_fork(struct worker *w)
{
	unsigned long before = atomic_load(&soak_wrong);
	uint64_t how = soak_chance(w) % 4;
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pid = how == 3 ? vfork() : fork();
	if (!pid && how == 3)
		_exit(0);
	if (!pid) {
		for (int i = 0; i < BLOCKS; i++)
			if (w->block[i].word)
				soak_block_check(w, &w->block[i], "in a child");
		if (how == 1)
			execl(soak_self, "soak", "0", "1", "7", (char *)NULL);
		for (int i = 0; i < BLOCKS; i += 2) {
			soak_block_drop(w, &w->block[i]);
			soak_block_make(w, &w->block[i]);
		}
		for (int i = 0; i < BLOCKS; i++)
			if (w->block[i].word)
				soak_block_check(w, &w->block[i], "in a child, later");
		_exit(atomic_load(&soak_wrong) != before);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid < 0) {
		if (errno != EAGAIN && errno != ENOMEM)
			soak_is_wrong();
		return;
	}
	expect_status(w, pid, 0, how == 3 ? "vfork" : how == 1 ? "fork and exec" : "fork");
}

void soak_task_spawn(struct worker *w)
{
	char *const argv[] = { "sh", "-c", "exit 5", NULL };
	pid_t pid;

	if (!posix_spawnp(&pid, "sh", NULL, NULL, argv, (char *[]){ NULL }))
		expect_status(w, pid, 5 << 8, "spawn");
}

static __thread struct worker *me;

void soak_task_is(struct worker *w)
{
	me = w;
}

/* Touch limited memory without allocating any. */
void soak_task_handle(int sig)
{
	struct worker *w = me;
	int e = errno;

	(void)sig;
	if (!w || !w->told)
		return;
	w->signals++;
	for (size_t i = 0; i < 64 * PAGE / 8; i += PAGE / 8) {
		if (w->told[i] != w->signals - 1 && soak_is_wrong()) {
			static const char text[] = "wrong: a signal handler's memory\n";

			(void)!write(2, text, sizeof(text) - 1);
		}
		w->told[i] = w->signals;
	}
	errno = e;
}

void soak_task_signal(struct worker *w, struct worker *all, int n)
{
	struct worker *o = &all[soak_chance(w) % (unsigned int)n];

	/* signal itself directly, but others through the process, because they may just end */
	if (o == w)
		pthread_kill(pthread_self(), SIGUSR1);
	else
		kill(getpid(), SIGUSR2);
}

static void *cancelled(void *p)
{
	uint64_t *mine = malloc(40 * PAGE);

	pthread_cleanup_push(free, mine);
	memset(mine, 1, 40 * PAGE);
	for (;;) {
		for (int i = 0; i < 40; i++)
			mine[(size_t)i * PAGE / 8]++;
		usleep(100);
	}
	pthread_cleanup_pop(1);
	return p;
}

void soak_task_cancel(struct worker *w)
{
	pthread_t t;
	void *how = NULL;

	(void)w;
	if (pthread_create(&t, NULL, cancelled, NULL))
		return;
	usleep(soak_chance(w) % 1000);
	pthread_cancel(t);
	pthread_join(t, &how);
	if (how != PTHREAD_CANCELED)
		soak_is_wrong();
}
