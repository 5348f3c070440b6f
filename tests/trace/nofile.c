// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nofile - cause faults in code that is in no file: the vdso, and code generated at run time.
 * Some of this code is listed in /tmp/perf-PID.map, like the code of JIT compilers. Each kind
 * faults at PAGES fresh pages. Prints the PID and the address of the code that is not listed.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lines.h"

static char *fresh_pages(void)
{
	char *at = mmap(NULL, PAGES * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	madvise(at, PAGES * 4096ul, MADV_NOHUGEPAGE);
	return at;
}

/* Generate a function that stores to *argument, at `offset` of a new page. */
static void (*made(size_t offset))(char *)
{
	static const unsigned char store[] = { 0xc6, 0x07, 0x05, 0xc3 };	/* movb $5, (%rdi); ret */
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	memcpy(at + offset, store, sizeof(store));
	return (void (*)(char *))(at + offset);
}

static void (*volatile told)(char *), (*volatile untold)(char *);

int main(void)
{
	char *pages, path[64];
	FILE *map;
	int i;

	told = made(0x40);
	untold = made(0x80);
	pages = fresh_pages();
	for (i = 0; i < PAGES; i++)
		told(pages + i * 4096);
	pages = fresh_pages();
	for (i = 0; i < PAGES; i++)
		untold(pages + i * 4096);
	pages = fresh_pages();
	for (i = 0; i < PAGES; i++)
		getcpu((unsigned int *)(pages + i * 4096), NULL);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx 4 made at run time\n", (unsigned long)told);
	fclose(map);
	printf("%d %lx\n", (int)getpid(), (unsigned long)untold);
	return 0;
}
