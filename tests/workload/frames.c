// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames WHAT [N] - take faults with a known stack.
 *
 *   deep N     touch N pages, page i in i + 1 nested calls of down()
 *   signal     touch a page in a signal handler that interrupted busy()
 *   sort       touch pages in the comparison function of qsort()
 *   library    touch a page in memset() called from toucher()
 *   noframe    touch a page while the frame pointer is not an address above the stack
 *   wild       touch a page while the frame pointer points to unmapped memory
 *   hot N      touch N pages with the same stack
 *   many N     touch N pages, each with a different stack (at most 2^16)
 *   flood N    the same with any N, in a mapping at 0x10000000000
 *   narrow     touch a page in 32-bit code (on x86-64)
 *
 * Prints "PAGES ADDRESS": the number of pages and the address of the mapping. Compiled
 * with frame pointers and without tail calls.
 */
#include "region.h"

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static char *area;
static size_t next_page;
static int sorting;

__attribute__((noipa)) static void touch(void)
{
	/* Force a stack frame, which the compiler omits in leaf functions. */
	__asm__ volatile("" :: "r"(__builtin_frame_address(0)));
	*(volatile char *)(area + next_page++ * PAGE) = 1;
	__asm__ volatile("" ::: "memory");
}

__attribute__((noipa)) static void down(unsigned long n)
{
	if (n)
		down(n - 1);
	else
		touch();
	__asm__ volatile("" ::: "memory");
}

__attribute__((noipa)) static void on_signal(int sig)
{
	(void)sig;
	touch();
	__asm__ volatile("" ::: "memory");
}

__attribute__((noipa)) static void busy(void)
{
	raise(SIGUSR1);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noipa)) static int compare(const void *a, const void *b)
{
	if (sorting > 0) {
		sorting--;
		touch();
	}
	return *(const int *)a - *(const int *)b;
}

__attribute__((noipa)) static void toucher(void)
{
	memset(area, 1, PAGE);
	__asm__ volatile("" ::: "memory");
}

/* Set the frame pointer to the argument during the instruction that faults. */
__attribute__((noipa)) static void unframed_touch(unsigned long pointer)
{
#ifdef __x86_64__
	__asm__ volatile("push %%rbp\n\tmov %0, %%rbp\n\tmovb $1, (%1)\n\tpop %%rbp"
			 :: "r"(pointer), "r"(area) : "memory");
#else
	__asm__ volatile("mov x9, x29\n\tmov x29, %0\n\tstrb w9, [%1]\n\tmov x29, x9"
			 :: "r"(pointer), "r"(area) : "x9", "memory");
#endif
}

static char *gap;

static void touch_with_pointer_into_gap(void)
{
	unframed_touch((unsigned long)gap);
}

/* Touch a page while the frame pointer points to unmapped memory directly above the stack. */
static void wild_touch(void)
{
	const size_t size = 16 * PAGE;
	char *stack = region_anon(size + PAGE);
	ucontext_t here, there;

	gap = stack + size;
	if (munmap(gap, PAGE) || getcontext(&there))
		err(1, "a stack below a gap");
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &here;
	makecontext(&there, touch_with_pointer_into_gap, 0);
	if (swapcontext(&here, &there))
		err(1, "swapcontext");
}

#ifdef __x86_64__
/* Touch a page in compatibility mode (32-bit), which a 64-bit program can enter by a far jump. */
__attribute__((noipa)) static void narrow_touch(void)
{
	static unsigned long sp;

	/* Save rsp and clobber r8 to r15, because 32-bit code may lose the upper halves. */
	__asm__ volatile("mov %%rsp, %0\n\t"
			 "jmp 2f\n"
			 "1:\t.long 3f\n\t"
			 ".word 0x23\n"
			 "2:\tljmp *1b(%%rip)\n"
			 "3:\t.code32\n\t"
			 "movb $1, (%%ecx)\n\t"
			 "ljmp $0x33, $4f\n"
			 "4:\t.code64\n\t"
			 "mov %0, %%rsp"
			 : "+m"(sp) : "c"(area)
			 : "memory", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15");
}
#endif

/* Call a different function for each bit value, so that each number has its own stack. */
static void path(unsigned long bits, unsigned int left);

__attribute__((noipa)) static void zero(unsigned long bits, unsigned int left)
{
	path(bits, left);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noipa)) static void one(unsigned long bits, unsigned int left)
{
	path(bits, left);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noipa)) static void path(unsigned long bits, unsigned int left)
{
	if (!left)
		touch();
	else if (bits & 1)
		one(bits >> 1, left - 1);
	else
		zero(bits >> 1, left - 1);
	__asm__ volatile("" ::: "memory");
}

/* Move the untouched area to a fixed address, which tests can filter for. */
static char *move_area(unsigned long to, size_t size)
{
	char *p = mremap(area, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)to);

	if (p == MAP_FAILED)
		err(1, "mremap");
	return p;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1, i;
	const char *what = argc > 1 ? argv[1] : "";
	int numbers[8] = { 7, 3, 5, 1, 8, 2, 6, 4 };

	area = region_anon((n + 16) * PAGE);
	if (!strcmp(what, "narrow") || !strcmp(what, "flood"))
		area = move_area(what[0] == 'n' ? 0x10000000 : 0x10000000000, (n + 16) * PAGE);
	printf("%lu 0x%lx\n", n, (unsigned long)area);
	fflush(stdout);
	if (!strcmp(what, "deep")) {
		for (i = 0; i < n; i++)
			down(i);
	} else if (!strcmp(what, "signal")) {
		signal(SIGUSR1, on_signal);
		busy();
	} else if (!strcmp(what, "sort")) {
		sorting = 4;
		qsort(numbers, 8, sizeof(numbers[0]), compare);
	} else if (!strcmp(what, "library")) {
		toucher();
	} else if (!strcmp(what, "noframe")) {
		unframed_touch(1);
	} else if (!strcmp(what, "wild")) {
		wild_touch();
	} else if (!strcmp(what, "hot")) {
		for (i = 0; i < n; i++)
			touch();
	} else if (!strcmp(what, "many") || !strcmp(what, "flood")) {
		for (i = 0; i < n; i++)
			path(i, 16);
#ifdef __x86_64__
	} else if (!strcmp(what, "narrow")) {
		narrow_touch();
#endif
	} else {
		errx(2, "usage: frames "
			"deep|signal|sort|library|noframe|wild|hot|many|flood|narrow [N]");
	}
	return 0;
}
