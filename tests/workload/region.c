// SPDX-License-Identifier: GPL-2.0-or-later
#include "region.h"

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char *reserve(size_t len)
{
	char *p = mmap(NULL, len + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return (char *)(((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
}

static char *anon(size_t len, int advice)
{
	char *p = mmap(reserve(len), len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	/* A kernel without huge pages refuses both kinds of advice, and needs neither. */
	(void)madvise(p, len, advice);
	return p;
}

char *region_anon(size_t len)
{
	return anon(len, MADV_NOHUGEPAGE);
}

char *region_huge(size_t len)
{
	return anon(len, MADV_HUGEPAGE);
}

char *region_file(const char *path, size_t len, int prot, int flags, int *fd)
{
	static char page[PAGE_MAX];
	char *p;

	*fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (*fd < 0)
		err(1, "%s", path);
	for (size_t off = 0; off < len; off += PAGE)
		if (pwrite(*fd, page, PAGE, (off_t)off) != (ssize_t)PAGE)
			err(1, "%s", path);
	if (fsync(*fd))
		err(1, "%s", path);
	p = mmap(reserve(len), len, prot, flags | MAP_FIXED, *fd, 0);
	if (p == MAP_FAILED)
		err(1, "mmap %s", path);
	return p;
}

void region_write(volatile char *p, size_t n, size_t step)
{
	for (size_t i = 0; i < n; i++)
		p[i * step] = 1;
}

void region_read(volatile char *p, size_t n, size_t step)
{
	for (size_t i = 0; i < n; i++)
		(void)p[i * step];
}
