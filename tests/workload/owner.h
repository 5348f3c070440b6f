/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.h - bring pages in from functions with names, and exit without a further fault. */
#ifndef OWNER_H
#define OWNER_H

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "page.h"

#define OWNER __attribute__((noipa)) static void

/* Call the kernel from the function itself, so that its address is in the stack. */
static inline __attribute__((always_inline)) long call(long nr, long a, long b, long c, long d,
						       long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long ret = nr;

	__asm__ volatile("syscall" : "+a"(ret) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline __attribute__((always_inline)) void write_to(char *at, unsigned long pages)
{
	unsigned long i;

	for (i = 0; i < pages; i++)
		((volatile char *)at)[i * PAGE] = 1;
}

static inline __attribute__((always_inline)) void read_from(const char *at, unsigned long pages)
{
	unsigned long i;

	for (i = 0; i < pages; i++)
		(void)((const volatile char *)at)[i * PAGE];
}

/*
 * Map memory with small pages, between two pages that are never touched. The child does not get
 * it.
 */
static inline char *map(unsigned long pages, int flags, int fd)
{
	char *at = mmap(NULL, (pages + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		err(2, "mmap");
	at = mmap(at + PAGE, pages * PAGE, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
	if (at == MAP_FAILED)
		err(2, "mmap");
	madvise(at, pages * PAGE, MADV_NOHUGEPAGE);
	madvise(at, pages * PAGE, MADV_DONTFORK);
	return at;
}

static inline char *map_anon(unsigned long pages)
{
	return map(pages, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

/* Map so many huge pages that are aligned. The child does not get them. */
static inline char *map_huge(unsigned long n, int advice)
{
	char *at = mmap(NULL, (n + 1) * HUGE_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		err(2, "mmap");
	at = (char *)(((unsigned long)at + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	madvise(at, n * HUGE_PAGE, advice);
	madvise(at, n * HUGE_PAGE, MADV_DONTFORK);
	return at;
}

/* Keep the kernel from writing to the thread's stack at its end, after SMAPS was written. */
static inline void end_silently(void)
{
	syscall(SYS_set_tid_address, NULL);
}

/* Count the pages that are in the page table. */
static inline unsigned long resident(const char *at, unsigned long pages)
{
	static unsigned long entry[1024];
	unsigned long i, n = 0, bytes = pages * sizeof(*entry);
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (fd < 0 || bytes > sizeof(entry) ||
	    pread(fd, entry, bytes, (long)at / PAGE * (long)sizeof(*entry)) != (long)bytes)
		err(2, "pagemap");
	close(fd);
	for (i = 0; i < pages; i++)
		n += entry[i] >> 63;
	return n;
}

/* Stay on the current CPU. Return the CPUs that were allowed before. */
static inline cpu_set_t stay(void)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_getaffinity(0, sizeof(all), &all) || sched_setaffinity(0, sizeof(one), &one))
		err(2, "affinity");
	return all;
}

/*
 * Start a thread on a stack of small pages. Linux 6.1 may use a huge page, and if the child splits
 * it, pagemap and smaps do not agree on which of its pages are shared.
 */
static inline void start(void *(*main)(void *), void *arg)
{
	char *stack = map_anon(64);
	pthread_attr_t attr;
	pthread_t t;

	/* fork() of libc writes to the stacks in the child. */
	madvise(stack, 64 * PAGE, MADV_DOFORK);
	pthread_attr_init(&attr);
	if (pthread_attr_setstack(&attr, stack, 64 * PAGE) ||
	    pthread_create(&t, &attr, main, arg))
		errx(2, "pthread_create");
	pthread_attr_destroy(&attr);
}

static char smaps[1 << 20];

/* Copy a file without a fault, if the buffer and the code were used before. */
static inline __attribute__((always_inline)) void copy(int from, int to)
{
	long n;

	while ((n = call(SYS_read, from, (long)smaps, sizeof(smaps), 0, 0, 0)) > 0)
		call(SYS_write, to, (long)smaps, n, 0, 0, 0);
}

__attribute__((noipa, unused)) static void end(int own, int other, int file)
{
	int i;

	for (i = 0; i < 2; i++) {
		call(SYS_lseek, own, 0, SEEK_SET, 0, 0, 0);
		call(SYS_lseek, other, 0, SEEK_SET, 0, 0, 0);
		call(SYS_lseek, file, 0, SEEK_SET, 0, 0, 0);
		copy(own, file);
		copy(other, file);
	}
	call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* Write the smaps of this process and of its child (0: none) to a file, and exit. */
static inline void leave(pid_t child, const char *path)
{
	int own = open("/proc/self/smaps", O_RDONLY), other = -1, file;
	char name[64];

	fflush(stdout);
	snprintf(name, sizeof(name), "/proc/%d/smaps", (int)child);
	if (child)
		other = open(name, O_RDONLY);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (own < 0 || (child && other < 0) || file < 0)
		err(2, "smaps");
	end(own, other, file);
}

#endif
