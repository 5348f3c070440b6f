// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_protect.c - memory that mprotect() takes out of the limit. */
#include "cases.h"

#include <stdio.h>
#include <sys/mman.h>

void case_protect(void)
{
	unsigned int *p = filled(BIG), *q;
	char *page = (char *)(((unsigned long)p + 5 * PAGE) & ~(PAGE - 1ul)), *none, *ro;

	none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ro = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("none %d ro %d %d\n", touches(none, 0), touches(ro, 0), touches(ro, 1));
	printf("protect %d\n", mprotect(page, 64 * PAGE, PROT_NONE));
	printf("heap %d %d\n", touches(page, 0), touches(page + 63 * PAGE, 1));
	mprotect(page, 64 * PAGE, PROT_READ);
	printf("heap %d %d\n", touches(page, 0), touches(page, 1));
	mprotect(page, 64 * PAGE, PROT_READ | PROT_WRITE);
	printf("heap %d wrong %lu\n", touches(page, 0), wrong(p, BIG));
	q = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	q[0] = 5;
	mprotect(q, PAGE, PROT_NONE);
	printf("unmap %d\n", munmap(q, 8 * PAGE));
	for (int i = 0; i < 100; i++) {
		q = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (q[0] || q[PAGE])
			printf("not zero\n");
		q[0] = q[PAGE] = 1;
		munmap(q, 8 * PAGE);
	}
	printf("mlock %d wrong %lu\n", mlock(p, 16 * PAGE), wrong(p, BIG));
}

/* A page that is not limited lies between pages that the kernel may fill (grants). */
void case_protect_between(void)
{
	size_t cluster = 64 * PAGE;
	char *other = mmap(NULL, cluster * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *p = mmap(NULL, cluster * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* The first pages of a program are never granted. */
	for (size_t i = 0; i < cluster * 2; i += PAGE)
		other[i] = 1;
	p = (char *)(((unsigned long)p + cluster - 1) & ~(cluster - 1));
	printf("protect %d %d\n", mprotect(p + 20 * PAGE, PAGE, PROT_READ),
	       mprotect(p + 20 * PAGE, PAGE, PROT_READ | PROT_WRITE));
	p[10 * PAGE] = p[30 * PAGE] = 1;
	/* Grants end here. */
	printf("unmap %d\n", munmap(other, cluster * 2));
	printf("between %d %d\n", touches(p + 20 * PAGE, 0), touches(p + 20 * PAGE, 1));
}
