// SPDX-License-Identifier: GPL-2.0-or-later
/* lineage.c - descent of processes, also of those that end during the question. */
#include "source/proc/lineage.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static volatile int gone;

static void *reap(void *pid)
{
	waitpid(*(pid_t *)pid, NULL, 0);
	gone = 1;
	return NULL;
}

static void children_that_end_are_no_strangers(void **state)
{
	pthread_t t;
	pid_t pid;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		gone = 0;
		pid = fork();
		if (!pid)
			_exit(0);
		assert_int_equal(pthread_create(&t, NULL, reap, &pid), 0);
		while (!gone)
			assert_false(flt_lineage_is_stranger(pid, getpid()));
		pthread_join(t, NULL);
	}
}

static void ancestors_are_strangers(void **state)
{
	(void)state;
	assert_false(flt_lineage_is_stranger(getpid(), getpid()));
	assert_false(flt_lineage_is_stranger(getpid(), getppid()));
	assert_true(flt_lineage_is_stranger(getppid(), getpid()));
	assert_true(flt_lineage_is_stranger(1, getpid()));
	assert_true(flt_lineage_is_stranger(0, getpid()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_that_end_are_no_strangers),
		cmocka_unit_test(ancestors_are_strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
