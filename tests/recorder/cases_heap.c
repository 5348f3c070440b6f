// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_heap.c - every function of libc's heap, one by one. Their pointers must be free()able. */
#include "cases.h"
#include "recent.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
	*__libc_memalign(size_t, size_t), *__libc_valloc(size_t), *__libc_pvalloc(size_t);
extern void __libc_free(void *), old_cfree(void *);
#ifdef __x86_64__
__asm__(".symver old_cfree, cfree@GLIBC_2.2.5");
#else
__asm__(".symver old_cfree, cfree@GLIBC_2.17");
#endif

/* Without this the compiler would remove or foresee calls of the heap. */
static void *opaque(void *p)
{
	__asm__ volatile("" : "+r"(p) : : "memory");
	return p;
}

/* Print whether memory of n bytes was returned, is aligned and can be used. Free the memory. */
static void try(const char *what, void *p, size_t n, size_t align)
{
	int err = errno;

	p = opaque(p);
	if (!p) {
		printf("%s: NULL %s\n", what, strerror(err));
		return;
	}
	memset(p, 0x5a, n);
	printf("%s: aligned %d usable %d\n", what, !((uintptr_t)p % align),
	       malloc_usable_size(p) >= n);
	memset(p, 0xa5, malloc_usable_size(p));
	free(p);
}

#define TRY(call, n, align) (errno = 0, try(#call, (call), n, align))

static void aligned(void)
{
	void *p = NULL;

	TRY(aligned_alloc(64, 640), 640, 64);
	TRY(aligned_alloc(64, 65), 65, 64);
	TRY(aligned_alloc(3, 9), 9, 1);
	TRY(aligned_alloc(0, 9), 9, 1);
	TRY(aligned_alloc(1, 9), 9, 1);
	TRY(aligned_alloc(1ul << 20, 5), 5, 1ul << 20);
	TRY(aligned_alloc(64, -64ul), 0, 1);
	TRY(memalign(48, 100), 100, 64);
	TRY(memalign(0, 100), 100, 16);
	TRY(memalign(-1ul, 100), 100, 16);
	TRY(valloc(5000), 5000, PAGE);
	TRY(valloc(0), 0, PAGE);
	TRY(pvalloc(5000), 8192, PAGE);
	TRY(pvalloc(0), 0, PAGE);
	TRY(pvalloc(-1ul), 0, PAGE);
	printf("posix_memalign %d %d %d\n", posix_memalign(&p, 3, 9), posix_memalign(&p, 0, 9),
	       posix_memalign(&p, 64, 0));
	try("posix_memalign", p, 0, 64);
}

static void resized(void)
{
	char *p;

	TRY(malloc(0), 0, 16);
	TRY(malloc(5), 5, 16);
	TRY(calloc(1, 8), 8, 16);
	TRY(calloc(0, 1ul << 40), 0, 16);
	TRY(realloc(opaque(malloc(100)), 8), 8, 16);
	TRY(malloc(1ul << 63), 0, 1);
	TRY(calloc(1ul << 33, 1ul << 33), 0, 1);
	TRY(realloc(opaque(NULL), 100), 100, 16);
	TRY(realloc(opaque(malloc(100)), 0), 0, 1);
	TRY(reallocarray(opaque(NULL), 10, 100), 1000, 16);
	TRY(reallocarray(opaque(NULL), 1ul << 33, 1ul << 33), 0, 1);
	p = opaque(pvalloc(5000));
	memset(p, 7, 5000);
	p = opaque(reallocarray(p, 300, 100));
	printf("moved %d %d\n", p[0], p[4999]);
	TRY(p, 30000, 16);
	p = opaque(malloc(3000));
	memset(p, 9, 3000);
	p = opaque(realloc(p, 300000));
	printf("moved %d\n", p[2999]);
	TRY(p, 300000, 16);
}

static void named(void)
{
	TRY(__libc_malloc(100), 100, 16);
	TRY(__libc_calloc(10, 10), 100, 16);
	TRY(__libc_realloc(opaque(malloc(5)), 100), 100, 16);
	TRY(__libc_memalign(64, 100), 100, 64);
	TRY(__libc_valloc(100), 100, PAGE);
	TRY(__libc_pvalloc(100), PAGE, PAGE);
	__libc_free(opaque(malloc(100)));
	old_cfree(opaque(malloc(100)));
	printf("usable of NULL %zu\n", malloc_usable_size(opaque(NULL)));
}

/* C++: operator new(size_t, std::align_val_t) and its delete, plain and for arrays. */
static void cplusplus(void)
{
	void *lib = dlopen("libstdc++.so.6", RTLD_NOW);
	void *(*new)(size_t, size_t) = (void *(*)(size_t, size_t))dlsym(lib, "_ZnwmSt11align_val_t");
	void *(*array)(size_t, size_t) = (void *(*)(size_t, size_t))dlsym(lib, "_ZnamSt11align_val_t");
	void (*delete)(void *, size_t, size_t) =
		(void (*)(void *, size_t, size_t))dlsym(lib, "_ZdlPvmSt11align_val_t");
	void (*delete_array)(void *, size_t) = (void (*)(void *, size_t))dlsym(lib, "_ZdaPvSt11align_val_t");

	TRY(new(100, 64), 100, 64);
	TRY(array(5000, 4096), 5000, 4096);
	delete(opaque(new(9, 8192)), 9, 8192);
	delete_array(opaque(array(90, 128)), 128);
}

static void informed(void)
{
	static char text[65536];
	struct mallinfo2 before = mallinfo2(), after;
	FILE *f = fmemopen(text, sizeof(text), "w");
	char *p[1000];

	for (int i = 0; i < 1000; i++)
		memset(p[i] = malloc(10000), 1, 10000);
	after = mallinfo2();
	printf("in use grew by 10 MB: %d, mapped at least that: %d\n",
	       after.uordblks - before.uordblks >= 9500000 &&
	       after.uordblks - before.uordblks < 14000000,
	       after.arena + after.hblkhd >= after.uordblks);
	for (int i = 0; i < 1000; i++)
		free(p[i]);
	printf("in use shrank %d\n", mallinfo2().uordblks < after.uordblks - 9000000);
	malloc_trim(0);
	printf("mallopt %d\n", mallopt(M_MMAP_THRESHOLD, 1 << 20));
	printf("info %d %d\n", malloc_info(0, f), malloc_info(1, f));
	fclose(f);
	printf("starts %d ends %d\n", !strncmp(text, "<malloc version=\"1\">", 20),
	       strstr(text, "</malloc>") != NULL);
}

void case_heap(void)
{
	aligned();
	resized();
	named();
	cplusplus();
	informed();
}
