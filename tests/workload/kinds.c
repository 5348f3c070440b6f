// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kinds KIND N [FILE] - take exactly N page faults, all of one kind, in a section.
 *
 *   anon       write to N fresh pages
 *   zero       read N fresh pages: the zero page
 *   huge       write to N fresh huge pages
 *   folio      write to N fresh folios (of FOLIO bytes; they must be enabled)
 *   hugefile   read N huge pages of FILE after its cache was dropped (the file system must have
 *              large folios)
 *   file       read N windows of 64 KiB of a cached file (fault-around maps the rest)
 *   major      read N pages of FILE after its cache was dropped
 *   shared     write to N cached pages of a shared mapping of FILE (tmpfs)
 *   cow        write to N pages of a private file mapping after reading them
 *   cowfile    write to N fresh pages of a private file mapping
 *   cowfork    a child writes N pages that it shares with its parent
 *   cowfolio   a child writes N pages of folios that it shares with its parent
 *   wp         write to N pages of a shared mapping of FILE after reading them (the
 *              file system must track the first write; not tmpfs)
 *   reuse      write to N pages that were shared with a child, which has ended
 *   swap       read N pages that were paged out (swap must be on; zram)
 *   uffd       write to N missing pages of a userfaultfd range
 *   uffdwp     write to N pages that userfaultfd write-protects
 *   hugetlb    write to N fresh hugetlb pages
 *   cowhuge    a child writes N hugetlb pages that it shares with its parent
 *   device     N children each read the data page of the vDSO for the first time
 *   populate   MAP_POPULATE N fresh pages, which faults without an exception
 */
#include "region.h"
#include "section.h"
#include "uffd.h"

#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static size_t n;
static const char *path;

static void kind_anon(void)
{
	char *p = region_anon(n * PAGE);

	section_begin();
	region_write(p, n, PAGE);
	section_end("anon", (long)n, 0, (long)n);
}

static void kind_zero(void)
{
	char *p = region_anon(n * PAGE);

	section_begin();
	region_read(p, n, PAGE);
	section_end("zero", (long)n, 0, (long)n);
}

static void kind_huge(void)
{
	char *p = region_huge(n * HUGE_PAGE);

	section_begin();
	region_write(p, n, HUGE_PAGE);
	section_end("huge", (long)n, 0, (long)n);
}

static void kind_folio(void)
{
	char *p = region_huge(n * FOLIO);

	section_begin();
	region_write(p, n, FOLIO);
	section_end("folio", (long)n, 0, (long)n);
}

/* Each fault is tried again after the kernel has read the huge page. */
static void kind_hugefile(void)
{
	size_t len = n * HUGE_PAGE;
	char *p = region_huge(len);
	int fd;

	region_file(path, len, PROT_READ, MAP_SHARED, &fd);
	if (mmap(p, len, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != p ||
	    madvise(p, len, MADV_HUGEPAGE) || madvise(p, len, MADV_RANDOM) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		err(1, "%s", path);
	section_begin();
	region_read(p, n, HUGE_PAGE);
	section_end("hugefile", SECTION_ANY, SECTION_ANY, (long)n);
}

static void kind_file(void)
{
	int fd;
	char *p = region_file(path, n << 16, PROT_READ, MAP_SHARED, &fd);

	section_begin();
	region_read(p, n, 1 << 16);
	section_end("file", (long)n, 0, (long)n);
}

static void kind_major(void)
{
	int fd;
	char *p = region_file(path, n * PAGE, PROT_READ, MAP_SHARED, &fd);

	if (madvise(p, n * PAGE, MADV_RANDOM) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		err(1, "%s", path);
	section_begin();
	region_read(p, n, PAGE);
	section_end("major", 0, (long)n, (long)n);
}

static void kind_shared(void)
{
	int fd;
	char *p = region_file(path, n * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, &fd);

	section_begin();
	region_write(p, n, PAGE);
	section_end("shared", (long)n, 0, (long)n);
}

static void kind_cow(void)
{
	int fd;
	char *p = region_file(path, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, &fd);

	region_read(p, n, PAGE);
	section_begin();
	region_write(p, n, PAGE);
	section_end("cow", (long)n, 0, (long)n);
}

static void kind_cowfile(void)
{
	int fd;
	char *p = region_file(path, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, &fd);

	section_begin();
	region_write(p, n, PAGE);
	section_end("cowfile", (long)n, 0, (long)n);
}

static void child_wait(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(1, "child");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		errx(1, "the child failed (status %#x)", status);
}

/* Fork. The child writes to the n pages at p, which it shares with its parent. */
static void write_in_child(char *p, size_t page, const char *kind)
{
	pid_t pid;

	region_write(p, n, page);
	pid = fork();
	if (pid == 0) {
		section_begin();
		region_write(p, n, page);
		section_end(kind, (long)n, 0, (long)n);
		_exit(0);
	}
	child_wait(pid);
}

static void kind_cowfork(void)
{
	write_in_child(region_anon(n * PAGE), PAGE, "cowfork");
}

static void kind_cowfolio(void)
{
	write_in_child(region_huge(n * PAGE), PAGE, "cowfolio");
}

/*
 * Return true if a call that dirties a page of a shared mapping returns RETRY, so that the
 * kernel counts a major fault. Since 6.0 the call returns COMPLETED ("mm: avoid unnecessary
 * page fault retires on shared memory types").
 */
static bool dirty_is_major(void)
{
	struct utsname kernel;

	return !uname(&kernel) && atoi(kernel.release) < 6;
}

static void kind_wp(void)
{
	long major = dirty_is_major() ? (long)n : 0;
	int fd;
	char *p = region_file(path, n * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, &fd);

	region_read(p, n, PAGE);
	section_begin();
	region_write(p, n, PAGE);
	section_end("wp", (long)n - major, major, (long)n);
}

static void kind_reuse(void)
{
	char *p = region_anon(n * PAGE);
	pid_t pid;

	region_write(p, n, PAGE);
	pid = fork();
	if (pid == 0)
		_exit(0);
	child_wait(pid);
	section_begin();
	region_write(p, n, PAGE);
	section_end("reuse", (long)n, 0, (long)n);
}

static size_t resident(char *p)
{
	unsigned char *map = malloc(n);
	size_t have = 0;

	if (!map || mincore(p, n * PAGE, map))
		err(1, "mincore");
	for (size_t i = 0; i < n; i++)
		have += map[i] & 1;
	free(map);
	return have;
}

static void kind_swap(void)
{
	char *p = region_anon(n * PAGE);
	cpu_set_t cpu;

	/*
	 * MADV_PAGEOUT skips a page while an LRU batch of another CPU holds a reference to it, so
	 * stay on one. It is best effort even so: wait until all pages are swapped out. This only
	 * prepares the section.
	 */
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		err(1, "sched_setaffinity");
	region_write(p, n, PAGE);
	for (int i = 0; i < 20 && resident(p); i++) {
		if (madvise(p, n * PAGE, MADV_PAGEOUT))
			err(1, "MADV_PAGEOUT");
		if (i)
			usleep(100000);
	}
	if (resident(p))
		errx(1, "%zu of %zu pages were not swapped out", resident(p), n);
	section_begin();
	region_read(p, n, PAGE);
	section_end("swap", 0, (long)n, (long)n);
}

static int uffd;

static void *answer_missing(void *unused)
{
	unsigned long addr;

	(void)unused;
	while ((addr = uffd_next(uffd, -1)))
		uffd_copy(uffd, addr);
	return NULL;
}

static void *answer_protected(void *unused)
{
	unsigned long addr;

	(void)unused;
	while ((addr = uffd_next(uffd, -1)))
		uffd_unprotect(uffd, addr);
	return NULL;
}

/* Faults before the section, which map the code and the stack of the answering thread. */
enum { WARM = 2 };

static void kind_uffd(void)
{
	char *p = region_anon((n + WARM) * PAGE);
	pthread_t t;

	uffd = uffd_open(p, (n + WARM) * PAGE, UFFD_MISSING);
	if (pthread_create(&t, NULL, answer_missing, NULL))
		errx(1, "pthread_create");
	region_write(p, WARM, PAGE);
	section_begin();
	region_write(p + WARM * PAGE, n, PAGE);
	section_end("uffd", SECTION_ANY, SECTION_ANY, (long)n);
}

static void kind_uffdwp(void)
{
	char *p = region_anon((n + WARM) * PAGE);
	pthread_t t;

	region_write(p, n + WARM, PAGE);
	uffd = uffd_open(p, (n + WARM) * PAGE, UFFD_WP);
	if (pthread_create(&t, NULL, answer_protected, NULL))
		errx(1, "pthread_create");
	region_write(p, WARM, PAGE);
	section_begin();
	region_write(p + WARM * PAGE, n, PAGE);
	section_end("uffdwp", SECTION_ANY, SECTION_ANY, (long)n);
}

static char *map_hugetlb(void)
{
	char *p = mmap(NULL, n * HUGE_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (p == MAP_FAILED)
		err(1, "MAP_HUGETLB (raise /proc/sys/vm/nr_hugepages)");
	return p;
}

static void kind_cowhuge(void)
{
	write_in_child(map_hugetlb(), HUGE_PAGE, "cowhuge");
}

static void kind_hugetlb(void)
{
	char *p = map_hugetlb();

	section_begin();
	region_write(p, n, HUGE_PAGE);
	section_end("hugetlb", (long)n, 0, (long)n);
}

/*
 * Map the code of clock_gettime() and the ELF tables of the vDSO, so that the first call
 * faults only on the data page.
 */
static void vdso_text_touch(void)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const void *)vdso;

	if (!vdso)
		errx(77, "no vDSO");
	for (size_t off = 0; off < eh->e_shoff; off += PAGE)
		(void)*(const volatile char *)(vdso + off);
	(void)*(const volatile char *)(vdso + eh->e_shoff);
}

static void kind_device(void)
{
	for (size_t i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			struct timespec ts = { 0, 0 };

			vdso_text_touch();
			section_begin();
			/* Other clocks may read the page of a paravirtual clock source too. */
			clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
			section_end("device", 1, 0, 1);
			_exit(0);
		}
		child_wait(pid);
	}
}

static void kind_populate(void)
{
	char *p;

	section_begin();
	p = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	section_end("populate", (long)n, 0, (long)n);
	if (p == MAP_FAILED)
		err(1, "mmap");
}

static const struct kind {
	const char *name;
	void (*make)(void);
	int file;
} kinds[] = {
	{ "anon", kind_anon, 0 },	{ "zero", kind_zero, 0 },
	{ "huge", kind_huge, 0 },	{ "hugefile", kind_hugefile, 1 },
	{ "folio", kind_folio, 0 },	{ "file", kind_file, 1 },
	{ "major", kind_major, 1 },	{ "shared", kind_shared, 1 },
	{ "cow", kind_cow, 1 },		{ "cowfile", kind_cowfile, 1 },
	{ "cowfork", kind_cowfork, 0 }, { "cowfolio", kind_cowfolio, 0 },
	{ "wp", kind_wp, 1 },
	{ "reuse", kind_reuse, 0 },	{ "swap", kind_swap, 0 },
	{ "uffd", kind_uffd, 0 },	{ "uffdwp", kind_uffdwp, 0 },
	{ "hugetlb", kind_hugetlb, 0 }, { "cowhuge", kind_cowhuge, 0 },
	{ "device", kind_device, 0 },	{ "populate", kind_populate, 0 },
};

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: kinds KIND N [FILE]");
	n = strtoul(argv[2], NULL, 10);
	path = argv[3];
	if (!n)
		errx(2, "invalid N '%s' (expected a positive number)", argv[2]);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		if (kinds[i].file && !path)
			errx(2, "missing FILE for kind '%s'", argv[1]);
		kinds[i].make();
		return 0;
	}
	errx(2, "invalid kind '%s'", argv[1]);
}
