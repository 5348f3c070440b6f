// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_fork.c - children of all kinds: the memory of the child and of its parent. */
#include "cases.h"

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void case_fork(void)
{
	unsigned int *p = filled(BIG);

	for (int round = 0; round < 3; round++) {
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			unsigned long bad = wrong(p, BIG);

			for (size_t i = 0; i < BIG / 4; i += 1000)
				p[i] = 7;
			free(p);
			p = filled(BIG / 2);
			_exit(bad || wrong(p, BIG / 2) ? 1 : 0);
		}
		/* the parent writes the same pages while the child reads them */
		for (size_t i = 0; i < BIG / 4; i += 1000)
			p[i] = value(i);
		printf("child %x parent %lu\n", status_of(pid), wrong(p, BIG));
	}
}

void case_fork_deep(void)
{
	unsigned int *p = filled(BIG / 2);
	int status = 0;
	pid_t pid = 0;
	int depth;

	fflush(stdout);
	for (depth = 0; depth < 4; depth++) {
		pid = fork();
		if (pid)
			break;
		p[depth] = value((size_t)depth);
	}
	if (wrong(p, BIG / 2))
		_exit(9);
	if (pid)
		status = status_of(pid);
	if (depth)
		_exit(status ? 8 : 0);
	printf("status %x\n", status);
}

static void *forker(void *p)
{
	unsigned long bad = 0;

	for (int i = 0; i < 8; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(wrong(p, BIG) ? 1 : 0);
		bad += status_of(pid) != 0;
	}
	return (void *)bad;
}

void case_fork_threads(void)
{
	unsigned int *p = filled(BIG);
	unsigned long bad = 0;
	pthread_t t[3];
	void *r;

	fflush(stdout);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, forker, p);
	for (int i = 0; i < 20; i++)
		bad += wrong(p, BIG);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &r);
		bad += (unsigned long)r;
	}
	printf("bad %lu\n", bad);
}

void case_fork_raw(void)
{
	unsigned int *p = filled(BIG);
	pid_t pid;

	fflush(stdout);
	pid = (pid_t)syscall(SYS_fork);
	if (!pid)
		syscall(SYS_exit_group, wrong(p, BIG) ? 1 : 0);
	printf("child %x parent %lu\n", status_of(pid), wrong(p, BIG));
}

void case_spawn(void)
{
	char *const argv[] = { "sh", "-c", "exit 5", NULL };
	unsigned int *p = filled(BIG);
	char line[64] = "";
	pid_t pid;
	FILE *f;

	printf("system %x\n", system("exit 3"));
	f = popen("echo from a shell", "r");
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	printf("popen %s close %x\n", line, pclose(f));
	if (!posix_spawnp(&pid, "sh", NULL, NULL, argv, (char *[]){ NULL }))
		printf("spawn %x\n", status_of(pid));
	pid = vfork();
	if (!pid)
		_exit(4);
	printf("vfork %x wrong %lu\n", status_of(pid), wrong(p, BIG));
	printf("wait %d", waitpid(-1, NULL, 0));
	printf(" %s\n", strerror(errno));
}

void case_shared(void)
{
	int *s = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		*s = 77;
		_exit(0);
	}
	status_of(pid);
	printf("%d\n", *s);
}
