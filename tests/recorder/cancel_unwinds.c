// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cancel_unwinds.c - a case that is compiled with -fexceptions, as C++ is: a cancelled thread
 * unwinds its stack.
 */
#include "cases.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void say(const int *n)
{
	printf("left %d\n", *n);
}

static void *sleep_with_cleanup(void *n)
{
	__attribute__((cleanup(say))) int mine = *(int *)n;

	for (;;)
		pause();
	return mine ? n : NULL;
}

void case_cancel_unwinds(void)
{
	pthread_t t;

	for (int i = 1; i <= 3; i++) {
		if (pthread_create(&t, NULL, sleep_with_cleanup, &i))
			return;
		/* A thread that is cancelled before it sleeps gets no signal. */
		usleep(50000);
		pthread_cancel(t);
		pthread_join(t, NULL);
		fflush(stdout);
	}
}
