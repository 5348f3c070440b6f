// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/stream/comms.h"

#include <linux/flt.h>

#define NOBODY 0x7fffff01u	/* above every pid_max */

static struct flt_fault fault(uint32_t tid, uint64_t time)
{
	return (struct flt_fault){ .pid = tid, .tid = tid, .time = time };
}

static void life(struct flt_comms *c, uint8_t what, uint32_t tid, uint64_t time, const char *name)
{
	union flt_stream_note note = {
		.life = { .type = FLT_EVENT_LIFE, .what = what, .tid = tid, .time = time },
	};
	char bytes[FLT_COMM_LEN] = "";

	memcpy(bytes, name, strlen(name));
	flt_comms_put(c, &note, bytes);
}

static void ended_thread_keeps_its_name(void **state)
{
	struct flt_fault f = fault(NOBODY, 50);
	struct flt_comms *c = flt_comms_new();

	(void)state;
	assert_non_null(c);
	assert_null(flt_comms_get(c, &f));
	life(c, FLT_LIFE_FORK, NOBODY, 60, "sixteen-letters!");
	assert_string_equal(flt_comms_get(c, &f), "sixteen-letters!");
	life(c, FLT_LIFE_EXEC, NOBODY, 70, "cc1");
	life(c, FLT_LIFE_EXIT, NOBODY, 80, "");
	f.time = 80 + 5 * FLT_COMMS_FRESH_NS;
	assert_string_equal(flt_comms_get(c, &f), "cc1");
	/* An unknown thread that hashes to the same slot has no name. */
	f = fault(NOBODY + 1024, f.time);
	assert_null(flt_comms_get(c, &f));
	flt_comms_free(c);
}

/* A thread that existed before the stream has a name, although it ended before its first fault. */
static void looked_up_thread_keeps_its_name(void **state)
{
	struct flt_comms *c = flt_comms_new();
	struct flt_fault f;
	char byte;
	int ready[2];
	pid_t pid;

	(void)state;
	assert_non_null(c);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, "short-lived");
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_true(pid > 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	flt_comms_look(c, (uint32_t)pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	f = fault((uint32_t)pid, 50);
	assert_string_equal(flt_comms_get(c, &f), "short-lived");
	flt_comms_free(c);
	close(ready[0]);
	close(ready[1]);
}

static void cached_name_expires(void **state)
{
	struct flt_fault f = fault((uint32_t)getpid(), 1000);
	struct flt_comms *c = flt_comms_new();

	(void)state;
	assert_non_null(c);
	prctl(PR_SET_NAME, "first");
	assert_string_equal(flt_comms_get(c, &f), "first");
	prctl(PR_SET_NAME, "second");
	f.time += FLT_COMMS_FRESH_NS - 1;
	assert_string_equal(flt_comms_get(c, &f), "first");
	f.time++;
	assert_string_equal(flt_comms_get(c, &f), "second");
	/* The note arrived during the fault, so its name counts. */
	life(c, FLT_LIFE_EXEC, f.tid, f.time + 10, "noted");
	assert_string_equal(flt_comms_get(c, &f), "noted");
	flt_comms_free(c);
}

/* The note of a thread that was not seen before names its first faults. */
static void note_precedes_first_fault(void **state)
{
	struct flt_fault f = fault((uint32_t)getpid(), 1000);
	struct flt_comms *c = flt_comms_new();

	(void)state;
	assert_non_null(c);
	prctl(PR_SET_NAME, "later");
	life(c, FLT_LIFE_EXEC, f.tid, f.time - 10, "noted");
	assert_string_equal(flt_comms_get(c, &f), "noted");
	f.time += FLT_COMMS_FRESH_NS;
	assert_string_equal(flt_comms_get(c, &f), "later");
	flt_comms_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ended_thread_keeps_its_name),
		cmocka_unit_test(looked_up_thread_keeps_its_name),
		cmocka_unit_test(cached_name_expires),
		cmocka_unit_test(note_precedes_first_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
