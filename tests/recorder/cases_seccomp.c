// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_seccomp.c - programs that restrict their own system calls and go on using memory. */
#include "cases.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Kill the process at each system call that libc's heap and stdio would not make. */
static void allow_heap_only(unsigned int flags)
{
	static const unsigned short allowed[] = {
		SYS_write, SYS_exit, SYS_exit_group, SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap,
		SYS_rt_sigreturn, SYS_wait4,
	};
	enum { N = sizeof(allowed) / sizeof(allowed[0]) };
	struct sock_filter code[N + 3] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { N + 3, code };

	for (unsigned char i = 0; i < N; i++)
		code[i + 1] = (struct sock_filter)
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], (unsigned char)(N - i), 0);
	code[N + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[N + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program))
		printf("no filter\n");
}

/* Kill the process at one of at most 16 system calls. */
static void forbid(const unsigned short *forbidden, unsigned char n)
{
	struct sock_filter code[16 + 3] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { n + 3u, code };

	for (unsigned char i = 0; i < n; i++)
		code[i + 1] = (struct sock_filter)
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], (unsigned char)(n - i), 0);
	code[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		printf("no filter\n");
}

/* Refuse what only a recorder needs, and kill a process that asks for it. */
static void forbid_recorder(void)
{
	static const unsigned short forbidden[] = {
		SYS_userfaultfd, SYS_perf_event_open, SYS_bpf, SYS_socket, SYS_connect, SYS_sendmsg,
		SYS_pidfd_open, SYS_sigaltstack,
	};

	forbid(forbidden, sizeof(forbidden) / sizeof(forbidden[0]));
}

/* Use old memory and new memory. */
static unsigned long use(unsigned int *p)
{
	unsigned long bad = wrong(p, BIG);
	unsigned int *q;
	char *m;

	for (int i = 0; i < 20; i++) {
		q = filled(BIG / 16);
		bad += wrong(q, BIG / 16);
		free(q);
	}
	m = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < BIG; i += PAGE) {
		bad += m[i] != 0;
		m[i] = 1;
	}
	m = mremap(m, BIG, 2 * BIG, MREMAP_MAYMOVE);
	for (size_t i = 0; i < BIG; i += PAGE)
		bad += m[i] != 1;
	bad += munmap(m, 2 * BIG) != 0;
	free(p);
	return bad;
}

void case_seccomp(void)
{
	unsigned int *p = filled(BIG);

	printf("before %lu\n", wrong(p, BIG));
	fflush(stdout);
	allow_heap_only(0);
	printf("after %lu\n", use(p));
}

static volatile unsigned long turns, bad_turns;

static void *turn(void *p)
{
	for (;;) {
		bad_turns += wrong(p, BIG);
		turns++;
	}
	return NULL;
}

/* The filter is set for a thread that takes faults meanwhile. */
void case_seccomp_threads(void)
{
	unsigned int *p = filled(BIG);
	unsigned long bad, before;
	pthread_t t;

	printf("threads\n");	/* libc asks for the kind of the file */
	fflush(stdout);
	pthread_create(&t, NULL, turn, p);
	while (!turns)
		;
	allow_heap_only(SECCOMP_FILTER_FLAG_TSYNC);
	before = turns;
	bad = use(filled(BIG));
	while (turns < before + 2)
		;
	printf("all %lu\n", bad + bad_turns);
	fflush(stdout);
	_exit(0);
}

/* A child finds its pages, although threads fault pages in while the process forks. */
void case_seccomp_fork_threads(void)
{
	unsigned int *p = filled(BIG);
	unsigned long bad = 0;
	pthread_t t[3];

	printf("threads\n");
	fflush(stdout);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, turn, p);
	while (!turns)
		;
	forbid_recorder();
	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(wrong(p, BIG) ? 1 : 0);
		bad += status_of(pid) != 0;
	}
	printf("children %lu, threads %lu\n", bad, bad_turns);
	fflush(stdout);
	_exit(0);
}

#define HOLE (16u << 20)	/* larger than any gap between libraries */

static void *map_shared(void)
{
	return mmap(NULL, HOLE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* The kernel puts other mappings where the program has unmapped memory. */
void case_seccomp_unmap(void)
{
	char *p = mmap(NULL, HOLE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *q[3];

	memset(p, 1, HOLE);
	forbid_recorder();
	munmap(p, HOLE);
	for (int i = 0; i < 3; i++)
		q[i] = map_shared();
	for (int i = 2; i > 0; i--) {
		munmap(q[i], HOLE);
		for (int k = 0; k < i; k++)
			memset(q[k], 2, HOLE);
	}
	printf("unmapped\n");
}

/* Memory changes its kind by system calls that the program makes, and by no others. */
void case_seccomp_limit(void)
{
	static const unsigned short recorder[] = {
		SYS_ioctl, SYS_futex, SYS_getpid, SYS_gettid, SYS_process_vm_readv, SYS_pread64,
	}, advice[] = { SYS_madvise };
	enum { LEN = 64 * PAGE_MAX, HALF = LEN / 2, HOW = MAP_PRIVATE | MAP_ANONYMOUS };
	char *mixed = mmap(NULL, LEN, PROT_READ | PROT_WRITE, HOW, -1, 0);
	char *closed = mmap(NULL, LEN, PROT_READ | PROT_WRITE, HOW, -1, 0);
	char *over = mmap(NULL, LEN, PROT_READ | PROT_WRITE, HOW, -1, 0);
	pthread_mutex_t *mutex = malloc(sizeof(*mutex));
	unsigned int *p;
	pthread_mutexattr_t a;
	unsigned long bad = 0;

	memset(mixed, 1, LEN);
	memset(closed, 2, LEN);
	memset(over, 3, LEN);
	mprotect(mixed, PAGE, PROT_READ);
	mprotect(mixed, PAGE, PROT_READ | PROT_WRITE);
	mprotect(closed, HALF, PROT_NONE);
	p = filled(BIG);	/* evicts the rest */
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	printf("limit\n");
	fflush(stdout);
	forbid(recorder, sizeof(recorder) / sizeof(recorder[0]));
	printf("mutex %d", pthread_mutex_init(mutex, &a));
	printf(" %d", pthread_mutex_lock(mutex));
	printf(" %d\n", pthread_mutex_unlock(mutex));
	mixed = mremap(mixed, LEN, 2 * LEN, MREMAP_MAYMOVE);
	for (size_t i = 0; i < LEN; i += PAGE)
		bad += mixed[i] != 1 || mixed[LEN + i];
	printf("remapped %lu\n", bad);
	printf("closed %d", madvise(closed, LEN, MADV_DONTNEED));
	printf(" %d", mprotect(closed, HALF, PROT_READ | PROT_WRITE));
	printf(" %d\n", is_zero(closed, LEN));
	printf("locked %d", mlock(closed, HALF));
	printf(" %d\n", madvise(closed + HALF, HALF, MADV_DONTFORK));
	forbid(advice, 1);
	printf("over %d", mmap(over, HALF, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
			       -1, 0) == over);
	printf(" %d %d\n", is_zero(over, HALF), over[HALF]);
	printf("wrong %lu\n", wrong(p, BIG));
}

static void *nothing(void *p)
{
	return p;
}

/* A new thread makes no system call that it would not make without the recorder. */
void case_seccomp_create(void)
{
	static const unsigned short forbidden[] = { SYS_gettid, SYS_sched_getaffinity };
	unsigned int *p = filled(BIG);
	pthread_t t;

	printf("thread\n");
	fflush(stdout);
	forbid(forbidden, sizeof(forbidden) / sizeof(forbidden[0]));
	printf("created %d\n", pthread_create(&t, NULL, nothing, NULL));
	printf("joined %d, wrong %lu\n", pthread_join(t, NULL), wrong(p, BIG));
}

/* The addresses of a former reservation are free, and the filter forbids to make them accessible. */
void case_seccomp_reserved(void)
{
	unsigned int *p = filled(BIG);
	void *reserved = mmap(NULL, 2 * BIG, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(reserved, 2 * BIG);
	printf("reserved\n");
	fflush(stdout);
	allow_heap_only(0);
	printf("after %lu\n", use(p));
}

/* Only read, write, exit and sigreturn are left. */
void case_seccomp_strict(void)
{
	unsigned int *p = filled(BIG);
	char text[32];
	int n;

	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	n = snprintf(text, sizeof(text), "strict %lu\n", wrong(p, BIG));
	free(malloc(100));
	n = (int)write(1, text, (size_t)n);
	syscall(SYS_exit, n > 0 ? 3 : 4);
}

/* A child that restricts itself, forks and executes programs. */
void case_seccomp_exec(void)
{
	unsigned int *p = filled(BIG);
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		forbid_recorder();
		printf("in child %lu\n", wrong(p, BIG));
		fflush(stdout);
		if (!fork())
			_exit(wrong(p, BIG) ? 1 : 0);
		printf("grandchild %x\n", status_of(-1));
		fflush(stdout);
		execl("./missing", "missing", NULL);
		execl("/bin/echo", "echo", "executed", NULL);
	}
	printf("child %x parent %lu\n", status_of(pid), use(p));
}

/* A program that is executed under a filter makes the same system calls as natively. */
void case_seccomp_exec_calls(void)
{
	static const unsigned short forbidden[] = {
		SYS_gettid, SYS_sched_getaffinity, SYS_madvise, SYS_readlinkat,
	};

	printf("execute\n");
	fflush(stdout);
	forbid(forbidden, sizeof(forbidden) / sizeof(forbidden[0]));
	execlp("echo", "echo", "executed", NULL);
}

/* Ask whether the kernel has filters, as many programs do, and go on without one. */
void case_seccomp_probe(void)
{
	unsigned int *p = filled(BIG);
	pid_t pid;

	printf("probe %d", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL));
	printf(" %ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL));
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(wrong(p, BIG) ? 1 : 0);
	printf("child %x parent %lu\n", status_of(pid), use(p));
}

/* A child of a raw fork that restricts itself and forks. */
void case_seccomp_raw(void)
{
	unsigned int *p = filled(BIG);
	pid_t pid;

	fflush(stdout);
	pid = raw_fork();
	if (!pid) {
		forbid_recorder();
		pid = fork();
		if (!pid)
			_exit(wrong(p, BIG) ? 1 : 0);
		_exit(status_of(pid) || wrong(p, BIG) ? 2 : 0);
	}
	printf("child %x parent %lu\n", status_of(pid), use(p));
}
