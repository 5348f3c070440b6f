// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - faults with known call stacks.
 *
 * Prints for each case its name, its address range, and the functions that must be on the
 * stack of each fault in the range, innermost first. The program has no frame pointers, so
 * the recorder needs unwind tables.
 */
#include "tests/workload/page.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGES 256u

static char *region(const char *name, const char *stack)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	printf("%s %lx %lx %s\n", name, (unsigned long)p, (unsigned long)p + PAGES * PAGE, stack);
	return p;
}

__attribute__((noinline)) static void touch(char *p)
{
	for (unsigned int i = 0; i < PAGES; i++)
		p[i * PAGE] = 1;
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static int deep(char *p, int n)
{
	volatile int keep = n;

	if (!n)
		touch(p);
	else
		deep(p, n - 1);
	return keep;
}

__attribute__((noinline)) static void big_frame(char *p)
{
	volatile char room[20000];

	room[0] = room[19999] = 1;
	touch(p);
	room[1] = room[0];
}

static inline __attribute__((always_inline)) void inlined(char *p)
{
	touch(p);
}

__attribute__((noinline)) static void outer(char *p)
{
	inlined(p);
	__asm__ volatile("" ::: "memory");
}

static char *sorted;

static int compare(const void *a, const void *b)
{
	static unsigned int n;

	if (n < PAGES)
		sorted[n++ * PAGE] = 1;
	return *(const int *)a - *(const int *)b;
}

static char *signalled;

static void handler(int sig)
{
	(void)sig;
	touch(signalled);
}

__attribute__((noinline)) static void raiser(void)
{
	raise(SIGUSR1);
	__asm__ volatile("" ::: "memory");
}

/* The kernel touches the pages, in a system call of the program. */
__attribute__((noinline)) static void filled(char *p)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	syscall(SYS_read, zero, p, PAGES * PAGE);
	close(zero);
}

static ucontext_t home, co;
static char *switched;

static void coroutine(void)
{
	touch(switched);
	swapcontext(&co, &home);
}

/* Code without unwind tables and without frame pointers, as python -X perf generates it. */
#ifdef __x86_64__
static const unsigned char trampoline[] = {
	0x48, 0x83, 0xec, 0x08,				/* sub $8, %rsp */
	0xff, 0xd6,					/* call *%rsi */
	0x48, 0x83, 0xc4, 0x08,				/* add $8, %rsp */
	0xc3,						/* ret */
};
/* Changes the registers that the compiler's tables of main() may refer to. */
static const unsigned char saving[] = {
	0x55, 0x53, 0x41, 0x54, 0x41, 0x57,		/* push %rbp, %rbx, %r12, %r15 */
	0x31, 0xed, 0x31, 0xdb,				/* xor %ebp, %ebp; xor %ebx, %ebx */
	0x45, 0x31, 0xe4, 0x45, 0x31, 0xff,		/* xor %r12d, %r12d; xor %r15d, %r15d */
	0x48, 0x81, 0xec, 0x08, 0x04, 0, 0,		/* sub $1032, %rsp */
	0xff, 0xd6,					/* call *%rsi */
	0xc5, 0xf8, 0x77,				/* vzeroupper */
	0x48, 0x81, 0xc4, 0x08, 0x04, 0, 0,		/* add $1032, %rsp */
	0x41, 0x5f, 0x41, 0x5c, 0x5b, 0x5d,		/* pop %r15, %r12, %rbx, %rbp */
	0xc3,
};
#else
static const unsigned int trampoline[] = {
	0xf81f0ffe,		/* str x30, [sp, #-16]! */
	0xd63f0020,		/* blr x1 */
	0xf84107fe,		/* ldr x30, [sp], #16 */
	0xd65f03c0,		/* ret */
};
static const unsigned int saving[] = {
	0xa9bf7bfd,		/* stp x29, x30, [sp, #-16]! */
	0xa9be53f3,		/* stp x19, x20, [sp, #-32]! */
	0xa90173f5,		/* stp x21, x28, [sp, #16] */
	0xd280001d, 0xd2800013,	/* mov x29, #0; mov x19, #0 */
	0xd2800014, 0xd2800015,	/* mov x20, #0; mov x21, #0 */
	0xd280001c,		/* mov x28, #0 */
	0xd11043ff,		/* sub sp, sp, #1040 */
	0xd63f0020,		/* blr x1 */
	0x911043ff,		/* add sp, sp, #1040 */
	0xa94173f5,		/* ldp x21, x28, [sp, #16] */
	0xa8c253f3,		/* ldp x19, x20, [sp], #32 */
	0xa8c17bfd,		/* ldp x29, x30, [sp], #16 */
	0xd65f03c0,		/* ret */
};
#endif

static void generated(const void *code, size_t size, char *p)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(at, code, size);
	__builtin___clear_cache(at, (char *)at + size);
	((void (*)(char *, void (*)(char *)))at)(p, touch);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	int numbers[1000];
	stack_t alt = { .ss_size = 65536 };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	void (*loaded)(char *, unsigned int);
	void *library;

	touch(region("plain", "touch main"));
	deep(region("deep", "touch deep deep deep deep deep deep main"), 5);
	deep(region("deeper", "touch deep deep deep"), 90);
	big_frame(region("big", "touch big_frame main"));
	outer(region("inline", "touch inlined outer main"));
	for (int i = 0; i < 1000; i++)
		numbers[i] = i * 7919 % 1009;
	sorted = region("qsort", "compare * main");
	qsort(numbers, 1000, sizeof(numbers[0]), compare);
	alt.ss_sp = malloc(alt.ss_size);
	sigaltstack(&alt, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	signalled = region("signal", "touch handler * raiser main");
	raiser();
	filled(region("syscall", "syscall filled main"));
	switched = region("coroutine", "touch coroutine");
	getcontext(&co);
	co.uc_stack.ss_size = 65536;
	co.uc_stack.ss_sp = malloc(65536);
	makecontext(&co, coroutine, 0);
	swapcontext(&home, &co);
	generated(trampoline, sizeof(trampoline), region("trampoline", "touch * generated main"));
	generated(saving, sizeof(saving), region("saving", "touch * generated main"));
	library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (library) {
		loaded = (void (*)(char *, unsigned int))dlsym(library, "touch_loaded");
		loaded(region("dlopen", "touch_loaded main"), PAGES);
	}
	return 0;
}
