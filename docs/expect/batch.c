// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch - the program of the example: one thread computes batches in memory that it has touched
 * before, and a thread io-1 fills a buffer. With an argument, each batch uses one page more.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <flt_mark.h>

#define PAGE 4096
#define PAGES 64
#define BATCHES 20

static char *take_pages(size_t pages)
{
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	/* Huge pages would make the number of faults depend on free memory. */
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	return memory;
}

__attribute__((noinline)) static void process_batch(char *pool, size_t pages, int batch)
{
	size_t i;

	for (i = 0; i < pages; i++)
		pool[i * PAGE] = (char)batch;
}

static void *fill(void *buffer)
{
	pthread_setname_np(pthread_self(), "io-1");
	memset(buffer, 1, 8 * PAGE);
	return NULL;
}

int main(int argc, char **argv)
{
	char *pool = take_pages(2 * PAGES), *buffer = take_pages(8);
	size_t pages = PAGES;
	pthread_t io;
	int i;

	(void)argv;
	process_batch(pool, pages, 0);
	if (pthread_create(&io, NULL, fill, buffer))
		return 1;
	pthread_join(io, NULL);
	flt_mark("ready");
	pages += argc > 1;
	for (i = 1; i <= BATCHES; i++)
		process_batch(pool, pages, i);
	flt_mark("done");
	puts("done");
	return 0;
}
