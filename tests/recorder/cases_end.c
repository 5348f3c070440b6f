// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_end.c - programs that end or execute another program just after faults. */
#include "cases.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each case ends after exactly BIG / PAGE first touches. */
void case_end_exit(void) { touch_pages(); _exit(7); }
void case_end_kill(void) { touch_pages(); kill(getpid(), SIGKILL); }
void case_end_abort(void) { touch_pages(); abort(); }
void case_end_segv(void) { touch_pages(); *(volatile int *)8 = 1; }
void case_end_exec(void)
{
	touch_pages();
	execl("/proc/self/exe", "cases", "end_exit", NULL);
}
static void *end_from_thread(void *p)
{
	touch_pages();
	execl("/proc/self/exe", "cases", "end_exit", NULL);
	return p;
}
void case_end_exec_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, end_from_thread, NULL);
	pthread_join(t, NULL);
}

/* The next image uses the addresses of limited memory for other mappings. */
void case_exec_many(void)
{
	char left[16];
	int n = arguments[2] ? atoi(arguments[2]) : 0;

	if (n == 0)
		n = 16;
	free(filled(BIG / 8));
	if (n == 1) {
		printf("last image\n");
		return;
	}
	snprintf(left, sizeof(left), "%d", n - 1);
	execl("/proc/self/exe", "cases", "exec_many", left, NULL);
}

static volatile int may_end;

static int await_end(void *arg)
{
	(void)arg;
	while (!may_end)
		;
	syscall(SYS_exit, 0);
	return 0;
}

/* The kernel clears the word of a thread that ends, also if the word's page was evicted. */
void case_clone_word(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	int *word = aligned_alloc(PAGE, PAGE);
	pid_t tid;

	*word = 1;
	tid = clone(await_end, stack + sizeof(stack),
		    CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_FS | CLONE_FILES |
		    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID, NULL, NULL, NULL, word);
	filled(BIG);
	may_end = 1;
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		;
	printf("word %d\n", *word);
}
