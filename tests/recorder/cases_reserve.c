// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_reserve.c - addresses that are reserved without access, and get memory later. */
#include "cases.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RESERVE = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, READ_WRITE = PROT_READ | PROT_WRITE };

static void fill(unsigned int *p, size_t bytes)
{
	for (size_t i = 0; i < bytes / 4; i++)
		p[i] = value(i);
}

static unsigned long not_zero(const unsigned int *p, size_t bytes)
{
	unsigned long n = 0;

	for (size_t i = 0; i < bytes / 4; i++)
		n += p[i] != 0;
	return n;
}

/* Reserve addresses and make them accessible later by mprotect(). */
void case_reserve(void)
{
	unsigned int *p = mmap(NULL, 4 * BIG, PROT_NONE, RESERVE, -1, 0), *heap = filled(BIG / 4);

	mprotect(p, 2 * BIG, READ_WRITE);
	fill(p, 2 * BIG);
	printf("reserved %lu heap %lu\n", wrong(p, 2 * BIG), wrong(heap, BIG / 4));
	printf("beyond %d\n", touches((char *)p + 2 * BIG, 0));
}

/* The kernel fills the memory at once, so it is not limited. */
void case_populate(void)
{
	unsigned int *p = mmap(NULL, 2 * BIG, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	fill(p, 2 * BIG);
	usleep(300000);	/* fltctl samples the memory */
	printf("populated %lu\n", wrong(p, 2 * BIG));
}

/* As a JVM: reserve much, map parts of it again in steps, give half back, take it again. */
void case_commit(void)
{
	char *p = mmap(NULL, 1ul << 30, PROT_NONE, RESERVE, -1, 0);
	size_t step = 4 << 20, half = BIG / 2;

	for (size_t at = 0; at < BIG; at += step)
		if (mmap(p + at, step, READ_WRITE, RESERVE | MAP_FIXED, -1, 0) != p + at)
			printf("cannot commit\n");
	fill((unsigned int *)p, BIG);
	printf("committed %lu beyond %d %d\n", wrong((unsigned int *)p, BIG), touches(p + BIG, 0),
	       touches(p + BIG + half, 1));
	printf("give back %d\n", mmap(p + half, half, PROT_NONE, RESERVE | MAP_FIXED, -1, 0) == p + half);
	printf("half %d %d\n", touches(p + half - 1, 1), touches(p + half, 0));
	fill((unsigned int *)p, half);
	/* Commit over memory and over reserved addresses. What was there goes. */
	printf("again %d\n", mmap(p + half / 2, 2 * half, READ_WRITE, RESERVE | MAP_FIXED, -1, 0) ==
	       p + half / 2);
	printf("zero %lu kept %lu\n", not_zero((unsigned int *)(p + half / 2), 2 * half),
	       wrong((unsigned int *)p, half / 2));
	fill((unsigned int *)p, BIG);
	printf("unmap %d wrong %lu\n", munmap(p + BIG, (1ul << 30) - BIG), wrong((unsigned int *)p, BIG));
	printf("gone %d\n", touches(p + BIG, 0));
}

#define CHUNKS 200

/* As V8: reserve chunks at random addresses, trim them to their alignment, protect parts. */
void case_trim(void)
{
	size_t bytes = 256 << 10, spare = bytes - PAGE;
	unsigned int *chunk[CHUNKS];
	unsigned long bad = 0;

	for (int i = 0; i < CHUNKS; i++) {
		char *hint = (char *)(0x300000000000 + i * 0x1234500000), *p, *q;

		p = mmap(hint, bytes + spare, PROT_NONE, RESERVE, -1, 0);
		bad += madvise(p, bytes + spare, MADV_DONTFORK) != 0;
		q = (char *)(((uintptr_t)p + bytes - 1) & ~(uintptr_t)(bytes - 1));
		if (q > p)
			munmap(p, (size_t)(q - p));
		if (q + bytes < p + bytes + spare)
			munmap(q + bytes, (size_t)(p + spare - q));
		bad += mprotect(q, bytes, READ_WRITE) != 0;
		chunk[i] = (unsigned int *)q;
		bad += not_zero(chunk[i], bytes);
		fill(chunk[i], bytes);
	}
	for (int i = 0; i < CHUNKS; i += 10)
		bad += mprotect(chunk[i], 4 * PAGE, PROT_READ) != 0;
	for (int i = 0; i < CHUNKS; i++)
		bad += wrong(chunk[i], bytes);
	printf("wrong %lu read only %d %d\n", bad, touches((char *)chunk[10], 0),
	       touches((char *)chunk[10], 1));
	for (int i = 0; i < CHUNKS; i += 2)
		munmap(chunk[i], bytes);
	printf("gone %d %d\n", touches((char *)chunk[0], 0), touches((char *)chunk[2], 1));
	for (int i = 1; i < CHUNKS; i += 2)
		bad += wrong(chunk[i], bytes);
	printf("kept %lu\n", bad);
	/* Close all, drop the content of every second one, and open them again. */
	for (int i = 1; i < CHUNKS; i += 2) {
		bad += mprotect(chunk[i], bytes, PROT_NONE) != 0;
		if (i % 4 == 1)
			bad += madvise(chunk[i], bytes, MADV_DONTNEED) != 0;
	}
	printf("closed %d %d\n", touches((char *)chunk[1], 0), touches((char *)chunk[3], 1));
	for (int i = 1; i < CHUNKS; i += 2) {
		bad += mprotect(chunk[i], bytes, READ_WRITE) != 0;
		bad += i % 4 == 1 ? not_zero(chunk[i], bytes) : wrong(chunk[i], bytes);
		fill(chunk[i], bytes);
	}
	for (int i = 1; i < CHUNKS; i += 2)
		bad += wrong(chunk[i], bytes);
	printf("opened %lu\n", bad);
}

/* Everything else that a program can do to reserved addresses. */
void case_reserve_mixed(void)
{
	char *p = mmap(NULL, 4 * BIG, PROT_NONE, RESERVE, -1, 0), *q, *r;
	FILE *f = tmpfile();

	for (size_t i = 0; f && i < 16 * PAGE; i++)
		putc('f', f);
	if (!f || fflush(f))
		printf("no file\n");
	/* every second piece of 64 pages is memory */
	for (size_t at = 0; at < BIG; at += 128 * PAGE)
		mprotect(p + at, 64 * PAGE, READ_WRITE);
	for (size_t at = 0; at < BIG; at += 128 * PAGE)
		fill((unsigned int *)(p + at), 64 * PAGE);
	printf("drop %d\n", madvise(p, BIG / 2, MADV_DONTNEED));
	printf("zero %lu\n", not_zero((unsigned int *)p, 64 * PAGE));
	q = p + BIG / 2;
	printf("file %d\n", mmap(q + 32 * PAGE, 16 * PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fileno(f), 0) ==
	       q + 32 * PAGE);
	printf("content %c %lu\n", q[33 * PAGE], wrong((unsigned int *)q, 32 * PAGE));
	/* over memory, a file, and reserved addresses */
	printf("open %d\n", mprotect(q, 128 * PAGE, READ_WRITE));
	printf("content %c %lu\n", q[33 * PAGE], wrong((unsigned int *)q, 32 * PAGE));
	q[33 * PAGE] = 'g';
	printf("execute %d\n", mprotect(q + 128 * PAGE, 256 * PAGE, PROT_READ | PROT_EXEC));
	printf("content %lu %d\n", wrong((unsigned int *)(q + 128 * PAGE), 64 * PAGE), touches(q + 128 * PAGE, 1));
	printf("close %d\n", mprotect(q + 128 * PAGE, 256 * PAGE, PROT_NONE));
	printf("inside %d\n", touches(q + 128 * PAGE, 0));
	r = mremap(p + 3 * BIG, BIG, 2 * BIG, MREMAP_MAYMOVE);
	printf("move %d %d\n", r != MAP_FAILED, touches(r, 0));
	printf("lock %d\n", mlock(p + 2 * BIG, PAGE));
	printf("advise %d\n", madvise(p + 2 * BIG, BIG / 2, MADV_DONTDUMP));
	q = mmap(p + 2 * BIG, BIG, READ_WRITE, RESERVE | MAP_FIXED, -1, 0);
	fill((unsigned int *)q, BIG);
	printf("last %lu\n", wrong((unsigned int *)q, BIG));
	printf("unmap %d %d\n", munmap(p, BIG), munmap(p + 2 * BIG, BIG));
	/* New memory at these addresses is empty and accessible. */
	q = mmap(NULL, 3 * BIG, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("new %lu\n", not_zero((unsigned int *)q, 3 * BIG));
}

/* A child has the reservations and the closed memory of its parent. Both use them afterwards. */
void case_reserve_fork(void)
{
	unsigned int *p = mmap(NULL, 1ul << 30, PROT_NONE, RESERVE, -1, 0);
	unsigned int *closed = mmap(NULL, BIG / 8, READ_WRITE, RESERVE, -1, 0);
	unsigned long bad;
	pid_t pid;

	fill(closed, BIG / 8);
	mprotect(closed, BIG / 8, PROT_NONE);
	mprotect(p, BIG, READ_WRITE);
	fill(p, BIG);
	fflush(stdout);
	pid = fork();
	mprotect(p, 2 * BIG, READ_WRITE);
	bad = wrong(p, BIG) + not_zero(p + BIG / 4, BIG);
	fill(p, 2 * BIG);
	bad += wrong(p, 2 * BIG) + (unsigned long)!touches((char *)p + 2 * BIG, 0);
	bad += (unsigned long)!touches((char *)closed, 0);
	madvise(closed, BIG / 8, MADV_DONTNEED);
	mprotect(closed, BIG / 8, READ_WRITE);
	bad += not_zero(closed, BIG / 8);
	if (!pid)
		_exit(bad != 0);
	printf("child %x parent %lu\n", status_of(pid), bad);
}
