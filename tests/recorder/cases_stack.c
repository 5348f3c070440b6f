// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_stack.c - signals, alternate stacks and many threads. */
#include "cases.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <threads.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static int fill_memory(void *unused)
{
	unsigned int *p = filled(BIG / 2);
	unsigned long bad = wrong(p, BIG / 2);

	(void)unused;
	free(p);
	return (int)bad + 7;
}

/* A thread of C11, which libc makes without pthread_create(). */
void case_c11_thread(void)
{
	int result = -1, made;
	thrd_t t;

	made = thrd_create(&t, fill_memory, NULL);
	thrd_join(t, &result);
	printf("made %d result %d\n", made == thrd_success, result);
}

static void catch(int sig)
{
	(void)sig;
	caught++;
}

static void print_mask(void *unused)
{
	sigset_t mask;

	(void)unused;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	printf("cancelled, SIGTERM blocked: %d, SIGSEGV: %d\n", sigismember(&mask, SIGTERM),
	       sigismember(&mask, SIGSEGV));
}

static void *wait_for_end(void *unused)
{
	pthread_cleanup_push(print_mask, unused);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

/* Clean-up handlers of a cancelled thread run with the signals of the thread. */
void case_cancel(void)
{
	pthread_t t;

	for (int i = 0; i < 3; i++) {
		if (pthread_create(&t, NULL, wait_for_end, NULL))
			return;
		/* A thread that is cancelled before it sleeps gets no signal. */
		usleep(50000);
		pthread_cancel(t);
		pthread_join(t, NULL);
		fflush(stdout);
	}
	touch_pages();
}

/* A forked child gives all signals their default action by system calls, as Chromium does. */
void case_signals_reset(void)
{
	/* The kernel's struct sigaction. */
	const struct { void *handler; unsigned long flags; void *restorer; unsigned long mask; }
		standard = { 0 };
	char *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	memset(p, 1, BIG);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (int sig = 1; sig <= 64; sig++)
			syscall(SYS_rt_sigaction, sig, &standard, NULL, sizeof(standard.mask));
		memset(p, 2, BIG);
		_exit(p[BIG / 2] == 2 ? 0 : 1);
	}
	printf("child %x\n", status_of(pid));
}

void case_signals(void)
{
	struct sigaction sa = { .sa_handler = catch }, got;
	unsigned int *p;
	sigset_t all, pending;
	int n = 0;

	for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
		sigaction(s, &sa, NULL);
		sigaction(s, NULL, &got);
		n += got.sa_handler == catch;
	}
	p = filled(BIG);
	printf("handlers %d caught by faults %d wrong %lu\n", n == SIGRTMAX - SIGRTMIN + 1, caught,
	       wrong(p, BIG));
	for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
		raise(s);
	printf("caught %d\n", caught == SIGRTMAX - SIGRTMIN + 1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	printf("blocked wrong %lu", wrong(p, BIG));
	sigpending(&pending);
	n = 0;
	for (int s = 1; s <= SIGRTMAX; s++)
		n += sigismember(&pending, s) == 1;
	printf(" pending %d\n", n);
}

/* Faults while all signals are blocked are recorded, too: BIG / PAGE first touches. */
void case_blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	touch_pages();
}

void case_handlers(void)
{
	struct sigaction sa = { .sa_handler = catch };

	for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
		sigaction(s, &sa, NULL);
	touch_pages();
	printf("caught %d\n", caught);
}

static void on_stack(int sig)
{
	char room[20000];

	memset(room, sig, sizeof(room));
	caught += room[10000];
}

void case_altstack(void)
{
	stack_t s = { .ss_size = 1 << 20 };
	struct sigaction sa = { .sa_handler = on_stack, .sa_flags = SA_ONSTACK };
	unsigned int *p;

	s.ss_sp = malloc(s.ss_size);
	memset(s.ss_sp, 1, s.ss_size);
	sigaltstack(&s, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 20; i++) {
		p = filled(BIG / 2);	/* evicts the stack */
		raise(SIGUSR1);
		free(p);
	}
	printf("caught %d\n", caught == 20 * SIGUSR1);
}

/* Faults do not write below a signal stack that has no room for more than a signal. */
void case_altstack_small(void)
{
	static struct {
		char below[16384], stack[4096];
	} s;
	stack_t small = { .ss_sp = s.stack, .ss_size = sizeof(s.stack) };
	unsigned long bad;
	unsigned int *p;
	int written = 0;
	void *nowhere = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	munmap(nowhere, PAGE);
	printf("bad %d", sigaltstack(nowhere, NULL));
	printf(" %d %s\n", sigaltstack(NULL, nowhere), strerror(errno));
	sigaltstack(&small, NULL);
	p = filled(BIG);
	bad = wrong(p, BIG);
	for (size_t i = 0; i < sizeof(s.below); i++)
		written += s.below[i] != 0;
	for (size_t i = 0; i < sizeof(s.stack); i++)
		written += s.stack[i] != 0;
	printf("wrong %lu written %d\n", bad, written != 0);
}

static ucontext_t home, co;
static unsigned long co_bad;

/* A coroutine whose stack is in the heap and is evicted between its turns. */
static void coroutine(void)
{
	char keep[100000];

	memset(keep, 42, sizeof(keep));
	for (;;) {
		unsigned int *p = filled(1 << 20);

		for (size_t i = 0; i < sizeof(keep); i += 100)
			co_bad += keep[i] != 42;
		co_bad += wrong(p, 1 << 20);
		munmap(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1 << 20);
		free(p);
		swapcontext(&co, &home);
	}
}

void case_coroutine(void)
{
	getcontext(&co);
	co.uc_stack.ss_size = 1 << 20;
	co.uc_stack.ss_sp = malloc(co.uc_stack.ss_size);
	makecontext(&co, coroutine, 0);
	for (int i = 0; i < 10; i++) {
		unsigned int *p = filled(BIG / 2);

		swapcontext(&home, &co);
		co_bad += wrong(p, BIG / 2);
		free(p);
	}
	printf("bad %lu\n", co_bad);
}

static void map_and_move(void)
{
	char *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p[0] = 1;
	p = mremap(p, 1 << 16, 1 << 20, MREMAP_MAYMOVE);
	co_bad += p[0] != 1;
	mprotect(p, PAGE, PROT_READ);
	munmap(p, 1 << 20);
}

/* Cross into the next page of a stack in each function of the recorder, so that it faults there. */
void case_stack_edge(void)
{
	char *stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t below = 0; below < PAGE; below += 16) {
		madvise(stack, 1 << 20, MADV_DONTNEED);
		getcontext(&co);
		co.uc_stack.ss_sp = stack;
		co.uc_stack.ss_size = (1 << 19) + below;
		co.uc_link = &home;
		makecontext(&co, map_and_move, 0);
		swapcontext(&home, &co);
	}
	printf("bad %lu\n", co_bad);
}

static void *churn(void *arg)
{
	unsigned int seed = (unsigned int)(unsigned long)arg;
	unsigned long bad = 0;
	unsigned int *p[32] = { NULL };
	size_t n[32] = { 0 };

	for (int i = 0; i < 150; i++) {
		int k = rand_r(&seed) % 32;

		if (p[k])
			bad += wrong(p[k], n[k]);
		free(p[k]);
		n[k] = (size_t)(rand_r(&seed) % (1 << 19)) & ~3ul;
		p[k] = filled(n[k] + 4);
		if (!(i % 16))
			madvise(mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
				1 << 18, MADV_DONTNEED);
	}
	return (void *)bad;
}

void case_threads(void)
{
	unsigned long bad = 0;
	pthread_t t[6];
	void *r;

	for (unsigned long round = 0; round < 2; round++) {
		for (unsigned long i = 0; i < 6; i++)
			pthread_create(&t[i], NULL, churn, (void *)(i + round * 10));
		for (int i = 0; i < 6; i++) {
			pthread_join(t[i], &r);
			bad += (unsigned long)r;
		}
	}
	printf("bad %lu\n", bad);
}

static int deep(int depth)
{
	volatile char room[4096];

	room[0] = (char)depth;
	return depth ? deep(depth - 1) + room[0] : room[0];
}

static volatile int depth_sum;

static void catch_deep(int sig)
{
	(void)sig;
	depth_sum = deep(100);
}

static void *raise_deep(void *unused)
{
	raise(SIGUSR1);
	return unused;
}

/* Handlers that ask for an alternate stack where there is none run on the thread's own stack. */
void case_onstack(void)
{
	struct sigaction sa = { .sa_handler = catch_deep, .sa_flags = SA_ONSTACK };
	unsigned int *p = filled(BIG);
	pthread_t t;

	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	printf("main %d", depth_sum);
	pthread_create(&t, NULL, raise_deep, NULL);
	pthread_join(t, NULL);
	printf(" thread %d wrong %lu\n", depth_sum, wrong(p, BIG));
}

/* Let 100 threads fault in turn. */
static pthread_barrier_t round_begins;

static void *fault_in_turn(void *p)
{
	for (int i = 0; i < 20; i++) {
		pthread_barrier_wait(&round_begins);
		((char *)p)[i * PAGE]++;
	}
	return p;
}

void case_many_threads(void)
{
	enum { THREADS = 100 };
	char *p = mmap(NULL, THREADS * 20 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t t[THREADS];

	pthread_barrier_init(&round_begins, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, fault_in_turn, p + (size_t)i * 20 * PAGE);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("ended\n");
}

static char *fresh;

/* Recurse by one of two calls, as the bits say, and touch a page at the end. */
static __attribute__((noinline)) int branch(unsigned int depth, unsigned int bits)
{
	int below;

	if (!depth)
		return fresh[bits * PAGE]++;
	if (bits >> depth % 16 & 1)
		below = branch(depth - 1, bits) + 1;
	else
		below = branch(depth - 1, bits) + 2;
	__asm__ volatile("" : "+r"(below));
	return below;
}

/* Faults with 6000 call stacks of 240 frames, which share few frames: 1.3 million nodes. */
void case_many_stacks(void)
{
	unsigned long sum = 0;

	fresh = mmap(NULL, 6000 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned int i = 0; i < 6000; i++)
		sum += (unsigned long)branch(240, i);
	printf("sum %lu\n", sum);
}

/* The user has no room for pending signals. SIGIO from the program still has its effect. */
void case_no_signals(void)
{
	struct rlimit none = { 0, 0 };
	unsigned int *p;
	pid_t pid;

	setrlimit(RLIMIT_SIGPENDING, &none);
	p = filled(BIG);
	printf("wrong %lu\n", wrong(p, BIG));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		wrong(p, BIG);
		raise(SIGIO);
		_exit(0);
	}
	printf("child %x\n", status_of(pid));
}
