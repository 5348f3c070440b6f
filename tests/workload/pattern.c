// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pattern make FILE PAGES SEEDS - create files FILE.1 to FILE.SEEDS that are not cached.
 * pattern NAME FILE PAGES SEEDS - access PAGES pages in the order NAME, once per seed, in a
 *	new mapping of FILE.SEED or of anonymous memory.
 *
 *	forward backward	read each page of the file
 *	inside			read a page of each fault-around window of the file, but
 *				not the first or last one
 *	far			read every 64th page of the file
 *	random			write each page of the file once, in random order
 *	lookups			read each page of the file once, in random order, without
 *				readahead
 *	twice			forward, two times
 *	anon anonback anonstride anonrandom
 *				write anonymous pages forward, backward, every 16th page,
 *				in random order
 *	swap			write and read anonymous memory, two times
 *	threads			write anonymous memory with four threads, each forward in
 *				its quarter
 *
 * Prints "region START SEED" for each mapping.
 */
#include "region.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 4

static size_t pages;
static uint64_t state;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void file_make(const char *path)
{
	char page[PAGE_MAX];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		err(1, "%s", path);
	for (size_t i = 0; i < pages; i++) {
		memset(page, (int)(i % 251) + 1, PAGE);
		if (pwrite(fd, page, PAGE, (off_t)(i * PAGE)) != (ssize_t)PAGE)
			err(1, "%s", path);
	}
	if (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		err(1, "%s", path);
	close(fd);
}

static char *file_map(const char *path, int protection)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char *p;

	if (fd < 0)
		err(1, "%s", path);
	/* Map over an aligned region, so that fault-around windows start with the file. */
	p = region_anon(pages * PAGE);
	p = mmap(p, pages * PAGE, protection, MAP_SHARED | MAP_FIXED, fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap %s", path);
	/* Newer kernels map a large folio of a file by one fault. */
	if (madvise(p, pages * PAGE, MADV_NOHUGEPAGE) && errno != EINVAL)
		err(1, "madvise");
	close(fd);
	return p;
}

static void shuffled(char *p, size_t n, bool write)
{
	uint32_t *order = malloc(n * sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = n; i > 1; i--) {
		size_t k = next() % i;
		uint32_t t = order[i - 1];

		order[i - 1] = order[k];
		order[k] = t;
	}
	for (size_t i = 0; i < n; i++) {
		volatile char *at = p + order[i] * PAGE + next() % PAGE;

		if (write)
			*at = 1;
		else
			(void)*at;
	}
	free(order);
}

static void backward(volatile char *p, bool write)
{
	for (size_t i = pages; i-- > 0;) {
		if (write)
			p[i * PAGE] = 1;
		else
			(void)p[i * PAGE];
	}
}

static void *quarter(void *p)
{
	region_write(p, pages / THREADS, PAGE);
	return NULL;
}

static void threads(char *p)
{
	pthread_t thread[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, quarter, p + i * (pages / THREADS) * PAGE))
			errx(1, "pthread_create");
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static char *touch_anon(const char *name)
{
	char *p = region_anon(pages * PAGE);

	if (!strcmp(name, "anon")) {
		region_write(p, pages, PAGE);
	} else if (!strcmp(name, "anonback")) {
		backward(p, true);
	} else if (!strcmp(name, "anonstride")) {
		region_write(p + next() % 16 * PAGE, pages / 16, 16 * PAGE);
	} else if (!strcmp(name, "anonrandom")) {
		shuffled(p, pages, true);
	} else if (!strcmp(name, "threads")) {
		threads(p);
	} else if (!strcmp(name, "swap")) {
		for (int i = 0; i < 2; i++) {
			region_write(p, pages, PAGE);
			region_read(p, pages, PAGE);
		}
	} else {
		return NULL;
	}
	return p;
}

static char *touch_file(const char *name, const char *path)
{
	char *p = file_map(path, PROT_READ | PROT_WRITE);

	if (!strcmp(name, "forward")) {
		region_read(p, pages, PAGE);
	} else if (!strcmp(name, "backward")) {
		backward(p, false);
	} else if (!strcmp(name, "inside")) {
		if (AROUND < 3)
			errx(2, "a fault-around window of %lu pages has no inside", AROUND);
		region_read(p + (1 + next() % (AROUND - 2)) * PAGE, pages / AROUND, AROUND * PAGE);
	} else if (!strcmp(name, "far")) {
		region_read(p + next() % 64 * PAGE, pages / 64, 64 * PAGE);
	} else if (!strcmp(name, "random")) {
		shuffled(p, pages, true);
	} else if (!strcmp(name, "lookups")) {
		if (madvise(p, pages * PAGE, MADV_RANDOM))
			err(1, "madvise");
		shuffled(p, pages, false);
	} else if (!strcmp(name, "twice")) {
		region_read(p, pages, PAGE);
		region_read(p, pages, PAGE);
	} else {
		errx(2, "invalid pattern '%s'", name);
	}
	return p;
}

int main(int argc, char **argv)
{
	unsigned long seed, seeds;
	char path[4096], *p;

	if (argc != 5)
		errx(2, "usage: pattern make|NAME FILE PAGES SEEDS");
	pages = strtoul(argv[3], NULL, 10);
	seeds = strtoul(argv[4], NULL, 10);
	if (!pages || !seeds)
		errx(2, "usage: pattern make|NAME FILE PAGES SEEDS");
	for (seed = 1; seed <= seeds; seed++) {
		state = 88172645463325252ull + seed * 0x9e3779b97f4a7c15ull;
		snprintf(path, sizeof(path), "%s.%lu", argv[2], seed);
		if (!strcmp(argv[1], "make")) {
			file_make(path);
			continue;
		}
		p = touch_anon(argv[1]);
		if (!p)
			p = touch_file(argv[1], path);
		printf("region %p %lu\n", (void *)p, seed);
	}
	return 0;
}
