// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_fork.c - children of all kinds: the memory of the child and of its parent. */
#include "cases.h"
#include "lib/core/sys.h"
#include "recent.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
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

/* What a child drops at once must not come back. */
void case_fork_drop(void)
{
	char *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	for (int raw = 0; raw < 2; raw++) {
		memset(p, 1, BIG);
		fflush(stdout);
		pid = raw ? raw_fork() : fork();
		if (!pid) {
			madvise(p, BIG, MADV_DONTNEED);
			usleep(300000);
			_exit(!is_zero(p, BIG));
		}
		printf("child %x\n", status_of(pid));
	}
}

static void *fork_on_small_stack(void *arg)
{
	pid_t pid = fork();

	(void)arg;
	if (!pid)
		_exit(7);
	printf("child of a small stack %x\n", status_of(pid));
	return NULL;
}

static ucontext_t first, second;

static void fork_in_coroutine(void)
{
	pid_t pid = fork();

	if (!pid) {
		char *lower = second.uc_stack.ss_sp;

		lower -= 16384;
		for (int i = 0; i < 16384; i++)
			if (lower[i] != 5)
				_exit(1);
		_exit(0);
	}
	printf("child of a coroutine %x\n", status_of(pid));
}

/* Fork on stacks that are as small as they may be. */
void case_fork_stacks(void)
{
	pthread_attr_t attr;
	pthread_t t;
	char *p = malloc(32768);

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	fflush(stdout);
	if (pthread_create(&t, &attr, fork_on_small_stack, NULL))
		printf("no thread\n");
	else
		pthread_join(t, NULL);
	memset(p, 5, 16384);
	getcontext(&second);
	second.uc_stack = (stack_t){ .ss_sp = p + 16384, .ss_size = 16384 };
	second.uc_link = &first;
	makecontext(&second, fork_in_coroutine, 0);
	fflush(stdout);
	swapcontext(&first, &second);
	free(p);
}

/* Fork while the program may open hardly any further descriptor. */
void case_fork_descriptors(void)
{
	unsigned int *p = filled(BIG);
	struct rlimit limit, few;
	pid_t pid;

	getrlimit(RLIMIT_NOFILE, &limit);
	for (few = limit, few.rlim_cur = 3; few.rlim_cur < 7; few.rlim_cur++) {
		setrlimit(RLIMIT_NOFILE, &few);
		fflush(stdout);
		pid = fork();
		if (!pid)
			_exit(wrong(p, BIG) != 0);
		printf("%d descriptors: child %x\n", (int)few.rlim_cur, status_of(pid));
	}
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Fork while there is no address space for anything new. The recorder does not see the limit. */
void case_fork_no_space(void)
{
	unsigned int *p = filled(BIG);
	struct rlimit none = { 64 << 20, RLIM_INFINITY }, limit;
	pid_t pid;

	sys4(SYS_prlimit64, 0, RLIMIT_AS, &none, &limit);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(wrong(p, BIG) != 0);
	printf("no address space: child %x\n", status_of(pid));
	sys4(SYS_prlimit64, 0, RLIMIT_AS, &limit, 0);
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
	pid = raw_fork();
	if (!pid)
		syscall(SYS_exit_group, wrong(p, BIG) ? 1 : 0);
	printf("child %x parent %lu\n", status_of(pid), wrong(p, BIG));
}

static unsigned int *shared_words;

static void *churn(void *p)
{
	for (int i = 0; i < 8; i++)
		free(filled(BIG / 8));
	return p;
}

/* Use the heap in all ways in a process that fork() did not make. */
static int live(void *unused)
{
	unsigned long bad = wrong(shared_words, BIG);
	unsigned int *q;
	pthread_t t;
	pid_t pid;

	(void)unused;
	for (size_t i = 0; i < BIG / 4; i += 1000)
		shared_words[i] = 7;
	q = filled(BIG / 2);
	pthread_create(&t, NULL, churn, NULL);
	bad += wrong(q, BIG / 2);
	pthread_join(t, NULL);
	pid = fork();
	if (!pid)
		_exit(wrong(q, BIG / 2) ? 1 : 0);
	bad += status_of(pid) != 0;
	q = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bad += q[5] != 0;
	q[5] = 1;
	bad += madvise(q, BIG, MADV_DONTNEED) || q[5] || munmap(q, BIG);
	bad += close(1000) != -1;
	_exit(bad ? 1 : 0);
}

void case_fork_strange(void)
{
	static char stack[1 << 20] __attribute__((aligned(16)));
	struct { unsigned long flags, pidfd, child, parent, signal, rest[3]; } args = { .signal = SIGCHLD };
	pid_t pid;

	shared_words = filled(BIG);
	fflush(stdout);
	printf("clone %x ", status_of(clone(live, stack + sizeof(stack), SIGCHLD, NULL)));
	printf("wrong %lu\n", wrong(shared_words, BIG));
	fflush(stdout);
	pid = _Fork();
	if (!pid)
		live(NULL);
	printf("_Fork %x wrong %lu\n", status_of(pid), wrong(shared_words, BIG));
	fflush(stdout);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid)
		live(NULL);
	printf("clone %x wrong %lu\n", status_of(pid), wrong(shared_words, BIG));
	fflush(stdout);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (!pid)
		live(NULL);
	printf("clone3 %x wrong %lu\n", status_of(pid), wrong(shared_words, BIG));
	printf("bad clone3 %ld", syscall(SYS_clone3, NULL, sizeof(args)));
	printf(" %s\n", strerror(errno));
	free(shared_words);
}

static volatile int stop;

static void *reread(void *p)
{
	unsigned long bad = 0;

	while (!stop)
		bad += wrong(p, BIG);
	return (void *)bad;
}

/* Raw forks while other threads bring pages back: the children must have all of them. */
static void fork_while_threads_read(pid_t (*make_child)(void))
{
	unsigned int *p = filled(BIG);
	unsigned long bad = 0;
	pthread_t t[2];
	void *r;

	fflush(stdout);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, reread, p);
	for (int i = 0; i < 20; i++) {
		pid_t pid = make_child();

		if (!pid)
			syscall(SYS_exit_group, wrong(p, BIG) ? 1 : 0);
		bad += status_of(pid) != 0;
	}
	stop = 1;
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &r);
		bad += (unsigned long)r;
	}
	printf("bad %lu\n", bad);
}

void case_fork_raw_threads(void)
{
	fork_while_threads_read(raw_fork);
}

#define SOME (12u << 20)

/* Fork with an instruction of this file, which no library can see. */
static pid_t hidden_fork(void)
{
	return (pid_t)sys5(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

void case_fork_hidden_threads(void)
{
	fork_while_threads_read(hidden_fork);
}

/* Fork hidden, and let the child check the memory and end. */
static void *fork_hidden(void *memory)
{
	unsigned long bad = 0;

	for (int i = 0; i < 10; i++) {
		pid_t pid = hidden_fork();

		if (!pid)
			sys1(SYS_exit_group, wrong(memory, SOME) ? 1 : 0);
		bad += status_of(pid) != 0;
	}
	return (void *)bad;
}

static struct {
	unsigned int *memory;
	int go[2];
	pid_t pid;
} beside;

/* Fork hidden right after a fork, whose child has no server yet. That child outlives the other. */
static void fork_beside(void)
{
	char byte;

	beside.pid = hidden_fork();
	if (beside.pid)
		return;
	sys1(SYS_close, beside.go[1]);
	sys3(SYS_read, beside.go[0], &byte, 1);
	sys1(SYS_exit_group, wrong(beside.memory, SOME) ? 1 : 0);
}

/* Forks of both kinds at a time. */
void case_fork_mixed(void)
{
	unsigned int *p = filled(SOME);
	unsigned long bad = 0;
	pthread_t t;
	void *hidden;
	pid_t pid;

	fflush(stdout);
	beside.memory = p;
	pthread_create(&t, NULL, fork_hidden, p);
	for (int i = 0; i < 10; i++) {
		pid = fork();
		if (!pid)
			_exit(wrong(p, SOME) ? 1 : 0);
		bad += wrong(p, SOME);
		bad += status_of(pid) != 0;
	}
	pthread_join(t, &hidden);
	pthread_atfork(NULL, fork_beside, NULL);
	for (int i = 0; i < 10; i++) {
		if (pipe(beside.go))
			return;
		pid = fork();
		if (!pid)
			_exit(wrong(p, SOME) ? 1 : 0);
		bad += status_of(pid) != 0;
		/* Evict, which a freeze would prevent for ever. */
		free(filled(SOME));
		bad += wrong(p, SOME);
		close(beside.go[1]);
		bad += status_of(beside.pid) != 0;
		close(beside.go[0]);
	}
	printf("bad %lu hidden %lu wrong %lu\n", bad, (unsigned long)hidden, wrong(p, SOME));
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

/* The cost of a fork depends on the memory of the program, not on -M. Count the child's faults. */
void case_fork_small(void)
{
	struct rusage r;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(0);
	printf("child %x", status_of(pid));
	getrusage(RUSAGE_CHILDREN, &r);
	printf(" few faults %d\n", r.ru_minflt < 10000);
	if (r.ru_minflt >= 10000)
		printf("%ld faults\n", r.ru_minflt);
}
