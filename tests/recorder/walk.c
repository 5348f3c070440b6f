// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - print the PID and touch 32 MiB again and again until a signal, or for N seconds.
 * `walk fork`: wait for SIGUSR1 instead and fork. The child counts wrong pages in the file `child`.
 */
#include "tests/workload/page.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void fork_when_told(const char *p, size_t n)
{
	size_t wrong = 0;
	sigset_t set;
	FILE *f;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	sigwait(&set, &sig);
	if (fork())
		for (;;)
			pause();
	for (size_t i = 0; i < n; i += PAGE)
		wrong += p[i] != 1;
	f = fopen("child", "w");
	fprintf(f, "%zu\n", wrong);
	fclose(f);
}

int main(int argc, char **argv)
{
	time_t end = argc > 1 ? time(NULL) + atoi(argv[1]) : 0;
	size_t n = 32u << 20;
	char *p = malloc(n);

	memset(p, 1, n);
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		fork_when_told(p, n);
		return 0;
	}
	printf("%d\n", getpid());
	fflush(stdout);
	while (!end || time(NULL) < end)
		for (size_t i = 0; i < n; i += PAGE)
			p[i]++;
	return 0;
}
