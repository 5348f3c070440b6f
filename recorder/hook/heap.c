// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heap.c - the functions of libc's heap that jemalloc does not replace, or replaces differently.
 *
 * Each function that libc exports for its heap must be here or in jemalloc. A pointer from one
 * heap that is given to the other heap crashes the program. Some functions of jemalloc are
 * renamed (recorder.mk), because jemalloc aligns small chunks to 8 bytes and refuses alignments
 * that libc accepts.
 */
#include "image/image.h"
#include "lib/core/region.h"
#include "recent.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* of jemalloc */
void *rec_jemalloc_malloc(size_t n);
void *rec_jemalloc_calloc(size_t n, size_t size);
void *rec_jemalloc_realloc(void *p, size_t n);
void *rec_jemalloc_memalign(size_t align, size_t n);
int mallctl(const char *name, void *old, size_t *old_size, void *new, size_t new_size);
#define ALL_ARENAS 4096

/* Only jemalloc's smallest chunks are not aligned to this. */
#define LEAST 16

REC_EXPORT void *malloc(size_t n)
{
	return rec_jemalloc_malloc(n < LEAST ? LEAST : n);
}

REC_EXPORT void *calloc(size_t n, size_t size)
{
	if (n < LEAST && size < LEAST && n * size < LEAST)
		return rec_jemalloc_calloc(1, LEAST);
	return rec_jemalloc_calloc(n, size);
}

/* realloc(p, 0) frees p. */
REC_EXPORT void *realloc(void *p, size_t n)
{
	return rec_jemalloc_realloc(p, n < LEAST && (n || !p) ? LEAST : n);
}

static void *fail(int err)
{
	errno = err;
	return NULL;
}

static bool is_power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

/* Like libc, round an alignment up to a power of two. */
REC_EXPORT void *memalign(size_t align, size_t n)
{
	size_t power = LEAST;
	void *p;

	if (align > SIZE_MAX / 2 + 1)
		return fail(EINVAL);
	while (power < align)
		power *= 2;
	p = rec_jemalloc_memalign(power, n);
	return p ? p : fail(ENOMEM);
}

/* Since glibc 2.38 an alignment that is not a power of two is an error. */
static bool is_strict(void)
{
	static int strict = -1;
	unsigned int major = 0, minor = 0;

	if (strict < 0) {
		const char *v = gnu_get_libc_version();

		while (*v >= '0' && *v <= '9')
			major = major * 10 + (unsigned int)(*v++ - '0');
		for (v += *v == '.'; *v >= '0' && *v <= '9'; v++)
			minor = minor * 10 + (unsigned int)(*v - '0');
		strict = major > 2 || minor >= 38;
	}
	return strict;
}

REC_EXPORT void *aligned_alloc(size_t align, size_t n)
{
	if (is_strict() && !is_power_of_two(align))
		return fail(EINVAL);
	return memalign(align, n);
}

REC_EXPORT void *pvalloc(size_t n)
{
	if (n > SIZE_MAX - (FLT_PAGE - 1))
		return fail(ENOMEM);
	n = (n + FLT_PAGE - 1) & ~(FLT_PAGE - 1);
	return memalign(FLT_PAGE, n ? n : FLT_PAGE);
}

REC_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return fail(ENOMEM);
	return realloc(p, bytes);
}

void cfree(void *);
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
	*__libc_memalign(size_t, size_t), *__libc_valloc(size_t), *__libc_pvalloc(size_t);
void __libc_free(void *);

REC_EXPORT void cfree(void *p) { free(p); }

/* Some programs call libc's heap by these names. */
REC_EXPORT void *__libc_malloc(size_t n) { return malloc(n); }
REC_EXPORT void *__libc_calloc(size_t n, size_t size) { return calloc(n, size); }
REC_EXPORT void *__libc_realloc(void *p, size_t n) { return realloc(p, n); }
REC_EXPORT void *__libc_memalign(size_t align, size_t n) { return memalign(align, n); }
REC_EXPORT void *__libc_valloc(size_t n) { return memalign(FLT_PAGE, n); }
REC_EXPORT void *__libc_pvalloc(size_t n) { return pvalloc(n); }
REC_EXPORT void __libc_free(void *p) { free(p); }

static size_t statistic(const char *name)
{
	size_t value = 0, size = sizeof(value);

	return mallctl(name, &value, &size, NULL, 0) ? 0 : value;
}

/* Freed chunks are not counted one by one, so ordblks and its like are 0. */
REC_EXPORT struct mallinfo2 mallinfo2(void)
{
	uint64_t epoch = 1;
	size_t allocated, active;

	mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch));
	allocated = statistic("stats.allocated");
	active = statistic("stats.active");
	return (struct mallinfo2){
		.arena = statistic("stats.mapped"), .uordblks = allocated,
		.fordblks = active > allocated ? active - allocated : 0,
		.keepcost = statistic("stats.retained"),
	};
}

static int saturated(size_t n)
{
	return n > INT32_MAX ? INT32_MAX : (int)n;
}

REC_EXPORT struct mallinfo mallinfo(void)
{
	struct mallinfo2 m = mallinfo2();

	return (struct mallinfo){
		.arena = saturated(m.arena), .uordblks = saturated(m.uordblks),
		.fordblks = saturated(m.fordblks), .keepcost = saturated(m.keepcost),
	};
}

REC_EXPORT int malloc_trim(size_t pad)
{
	char name[32];

	(void)pad;
	snprintf(name, sizeof(name), "arena.%d.purge", ALL_ARENAS);
	return !mallctl(name, NULL, NULL, NULL, 0);
}

/* The parameters are those of libc's heap. Accept them without an effect. */
REC_EXPORT int mallopt(int parameter, int value)
{
	(void)parameter;
	(void)value;
	return 1;
}

REC_EXPORT void malloc_stats(void)
{
	struct mallinfo2 m = mallinfo2();

	fprintf(stderr, "Total (incl. mmap):\nsystem bytes     = %10zu\nin use bytes     = %10zu\n",
		m.arena, m.uordblks);
}

REC_EXPORT int malloc_info(int options, FILE *to)
{
	struct mallinfo2 m;

	if (options)
		return EINVAL;
	m = mallinfo2();
	fprintf(to, "<malloc version=\"1\">\n"
		"<total type=\"rest\" count=\"0\" size=\"%zu\"/>\n"
		"<system type=\"current\" size=\"%zu\"/>\n<system type=\"max\" size=\"%zu\"/>\n"
		"<aspace type=\"total\" size=\"%zu\"/>\n<aspace type=\"mprotect\" size=\"%zu\"/>\n"
		"</malloc>\n", m.fordblks, m.arena, m.arena, m.arena, m.arena);
	return 0;
}
