// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * huge - execute steps with huge pages.
 *
 *   huge STEP...
 *	map=N		map N aligned regions of the size of a huge page with MADV_NOHUGEPAGE
 *	allow, forbid	MADV_HUGEPAGE or MADV_NOHUGEPAGE on all regions
 *	write, read	access the first byte of each region
 *	fill		write to every page of each region
 *	last		write to the last page of each region
 *	punch, free	MADV_DONTNEED or MADV_FREE the second page of each region
 *	protect		make the second page of each region read-only
 *	collapse	MADV_COLLAPSE each region; errors are ignored
 *	fork		start a child that ends without touching the regions
 *	crumble=MB	allocate MB in small pages, free every second page and lock the
 *			others
 *	gate		print "gate" and wait for a line on standard input
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "page.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static unsigned char *base;
static unsigned long regions;

static void map(unsigned long n)
{
	uintptr_t at;
	void *p = mmap(NULL, (n + 1) * HUGE_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	at = ((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	base = (unsigned char *)at;
	regions = n;
	if (madvise(base, n * HUGE_PAGE, MADV_NOHUGEPAGE))
		err(1, "madvise");
}

static void advise(unsigned long offset, unsigned long length, int advice)
{
	for (unsigned long i = 0; i < regions; i++)
		if (madvise(base + i * HUGE_PAGE + offset, length, advice) &&
		    advice != MADV_COLLAPSE)
			err(1, "madvise");
}

static void touch(unsigned long offset, unsigned long step, int write)
{
	for (unsigned long i = 0; i < regions; i++) {
		for (unsigned long at = offset; at < HUGE_PAGE; at += step) {
			volatile unsigned char *p = base + i * HUGE_PAGE + at;

			if (write)
				*p = 1;
			else
				(void)*p;
		}
	}
}

static void protect(void)
{
	for (unsigned long i = 0; i < regions; i++)
		if (mprotect(base + i * HUGE_PAGE + PAGE, PAGE, PROT_READ))
			err(1, "mprotect");
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void crumble(unsigned long megabytes)
{
	unsigned long bytes = megabytes << 20;
	unsigned char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || madvise(p, bytes, MADV_NOHUGEPAGE))
		err(1, "mmap");
	for (unsigned long at = 0; at < bytes; at += PAGE)
		p[at] = 1;
	for (unsigned long at = 0; at < bytes; at += 2 * PAGE)
		if (madvise(p + at, PAGE, MADV_DONTNEED))
			err(1, "madvise");
	/* Compaction does not move locked pages if compact_unevictable_allowed is 0. */
	if (mlock2(p, bytes, MLOCK_ONFAULT))
		err(1, "mlock2");
}

static void gate(void)
{
	char line[16];

	puts("gate");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(0);
}

static int step(const char *s)
{
	if (!strncmp(s, "map=", 4))
		map(strtoul(s + 4, NULL, 10));
	else if (!strncmp(s, "crumble=", 8))
		crumble(strtoul(s + 8, NULL, 10));
	else if (!strcmp(s, "allow"))
		madvise(base, regions * HUGE_PAGE, MADV_HUGEPAGE);
	else if (!strcmp(s, "forbid"))
		madvise(base, regions * HUGE_PAGE, MADV_NOHUGEPAGE);
	else if (!strcmp(s, "write"))
		touch(0, HUGE_PAGE, 1);
	else if (!strcmp(s, "read"))
		touch(0, HUGE_PAGE, 0);
	else if (!strcmp(s, "fill"))
		touch(0, PAGE, 1);
	else if (!strcmp(s, "last"))
		touch(HUGE_PAGE - PAGE, HUGE_PAGE, 1);
	else if (!strcmp(s, "punch"))
		advise(PAGE, PAGE, MADV_DONTNEED);
	else if (!strcmp(s, "free"))
		advise(PAGE, PAGE, MADV_FREE);
	else if (!strcmp(s, "protect"))
		protect();
	else if (!strcmp(s, "collapse"))
		advise(0, HUGE_PAGE, MADV_COLLAPSE);
	else if (!strcmp(s, "fork"))
		fork_once();
	else if (!strcmp(s, "gate"))
		gate();
	else
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (step(argv[i]))
			errx(2, "invalid step '%s'", argv[i]);
	return 0;
}
