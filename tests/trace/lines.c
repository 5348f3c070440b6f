// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lines - cause faults at known lines. Each marked line touches PAGES fresh pages, one store
 * each. The test finds the number of a line by its mark.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lines.h"

static volatile char *fresh;

static volatile char *fresh_pages(void)
{
	void *at = mmap(NULL, PAGES * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	/* Get one fault per page even if huge pages are enabled. */
	madvise(at, PAGES * 4096ul, MADV_NOHUGEPAGE);
	return at;
}

static __attribute__((noinline)) int recursion(int depth)
{
	int i, deeper;

	if (depth > 0) {
		deeper = recursion(depth - 1);
		__asm__ volatile("" : "+r"(deeper));	/* prevent a loop */
		return deeper + 1;
	}
	for (i = 0; i < PAGES; i++)
		fresh[i * 4096] = 1;	/* MARK recursion */
	return 0;
}

static inline __attribute__((always_inline)) void innermost(int i)
{
	fresh[i * 4096] = 2;	/* MARK inlined */
}

static inline __attribute__((always_inline)) void between(int i)
{
	innermost(i);	/* MARK between */
}

static __attribute__((noinline)) void inlined(void)
{
	int i;

	for (i = 0; i < PAGES; i++)
		between(i);	/* MARK outer */
}

static __attribute__((noinline, optimize("omit-frame-pointer"))) void frameless(void)
{
	int i;

	for (i = 0; i < PAGES; i++)
		fresh[i * 4096] = 3;	/* MARK frameless */
}

static int touched;

static int compare(const void *a, const void *b)
{
	if (touched < PAGES)
		fresh[touched++ * 4096] = 4;	/* MARK callback */
	return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) void sorted(void)
{
	int numbers[PAGES * 2], i;

	for (i = 0; i < PAGES * 2; i++)
		numbers[i] = (i * 7919) % 1000;
	qsort(numbers, PAGES * 2, sizeof(numbers[0]), compare);
}

int main(int argc, char **argv)
{
	void (*touch)(volatile char *);
	void *library;

	if (argc < 2)
		return 2;
	fresh = fresh_pages();
	recursion(20);
	fresh = fresh_pages();
	inlined();
	fresh = fresh_pages();
	frameless();
	fresh = fresh_pages();
	sorted();
	library = dlopen(argv[1], RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	touch = (void (*)(volatile char *))(unsigned long)dlsym(library, "lines_touch");
	if (!touch)
		return 1;
	touch(fresh_pages());
	return 0;
}
