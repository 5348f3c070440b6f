// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stores.c - evictions lose no stores.
 *
 * Threads add to separate words all over a region. The limit is an eighth of the region, and
 * the sums are known. One region is backed by zeros, so changed pages go to the private file.
 * Another is backed by a file, which must have all changes after fltuffd_sync(). Then test
 * operations that must not hang: system calls on missing pages, dropped pages, a child that
 * touches the region, and a backing with errors.
 */
#include <fltuffd.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (8u << 20)
#define THREADS 4
#define ROUNDS 3

static int failed;

static void check(const char *what, int good)
{
	printf("%s %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

struct adder {
	pthread_t thread;
	volatile uint64_t *words;
	unsigned int lane;
};

static void *add(void *arg)
{
	struct adder *a = arg;

	/* lanes share pages, so evictions compete with stores of other threads */
	for (int r = 0; r < ROUNDS; r++)
		for (size_t i = a->lane; i < BYTES / 8; i += 64)
			a->words[i] += i + 1;
	return NULL;
}

static size_t compare(struct fltuffd *p)
{
	volatile uint64_t *words = fltuffd_memory(p);
	size_t wrong = 0;

	for (size_t i = 0; i < BYTES / 8; i++)
		wrong += words[i] != (i % 64 < THREADS ? (i + 1) * ROUNDS : 0);
	return wrong;
}

static size_t run(struct fltuffd *p)
{
	volatile uint64_t *words = fltuffd_memory(p);
	struct adder a[THREADS];

	for (unsigned int i = 0; i < THREADS; i++) {
		a[i] = (struct adder){ .words = words, .lane = i };
		pthread_create(&a[i].thread, NULL, add, &a[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(a[i].thread, NULL);
	return compare(p);
}

static int flaky(void *context, uint64_t offset, void *data, size_t n)
{
	(void)context;
	memset(data, 7, n);
	for (uint64_t o = offset; o < offset + n; o += 4096)
		if (o / 4096 % 16 == 5)
			return -EIO;
	return 0;
}

/* An error callback may ask the pager for its statistics and load good pages. */
struct told {
	struct fltuffd *pager;
	volatile size_t times, well;
};

static void on_error(void *context, uint64_t offset, int err)
{
	struct told *t = context;
	struct fltuffd_stats s;

	if (!t->pager)
		return;
	fltuffd_stats(t->pager, &s);
	t->well += err == -EIO && s.errors > t->times && offset / 4096 % 16 == 5 &&
		   !fltuffd_load(t->pager, offset - 4096, 4096);
	t->times++;
}

static struct fltuffd *start(struct fltuffd_config *c)
{
	struct fltuffd *p = NULL;
	int ret = fltuffd_open(&p, c);

	if (ret) {
		printf("cannot open a pager: %s\n", strerror(-ret));
		exit(1);
	}
	return p;
}

static int full(void *context, uint64_t offset, const void *data, size_t n)
{
	(void)context;
	(void)offset;
	(void)data;
	(void)n;
	return -ENOSPC;
}

/* Pages that cannot be written stay, and the error is known. */
static void write_errors(void)
{
	struct fltuffd_config c = { .bytes = BYTES, .limit = BYTES / 8, .threads = 1 };
	struct fltuffd_stats s;
	struct fltuffd *p;

	fltuffd_backing_zero(&c.backing);
	c.backing.write = full;
	p = start(&c);
	check("stores survive a full disk", !run(p));
	fltuffd_stats(p, &s);
	check("errors of writing are counted", s.errors && fltuffd_error(p) == -ENOSPC);
	check("fltuffd_load() loads pages after an error of writing", !fltuffd_load(p, 0, BYTES));
	check("fltuffd_load() refuses a range beyond the region",
	      fltuffd_load(p, 0, SIZE_MAX) == -ERANGE && fltuffd_load(p, BYTES, 1) == -ERANGE);
	fltuffd_close(p);
}

static sigjmp_buf out;

static void leave(int sig)
{
	siglongjmp(out, sig);
}

int main(void)
{
	struct fltuffd_config c = { .bytes = BYTES, .limit = BYTES / 8, .threads = 2, .prefetch = 2 };
	int fd = memfd_create("file", 0), status, pair[2];
	volatile size_t signals = 0, wrong = 0, i;
	struct told told = { NULL };
	struct fltuffd_stats s;
	struct fltuffd *p;
	uint64_t *copy;
	char *m;
	pid_t pid;

	fltuffd_backing_zero(&c.backing);
	p = start(&c);
	check("stores survive eviction to the private file", !run(p));
	fltuffd_stats(p, &s);
	check("pages were evicted and written", s.evicted > BYTES / 4096 && s.written);
	check("the pager keeps the limit", s.resident_peak <= c.limit / 4096);
	for (i = 0; i < BYTES / 8; i += 512)
		((volatile uint64_t *)fltuffd_memory(p))[i] += 0;
	check("a load evicts changed pages", !fltuffd_load(p, 0, BYTES) && !compare(p));
	fltuffd_stats(p, &s);
	check("the pager keeps the limit during the load", s.resident_peak <= c.limit / 4096);
	check("fltuffd_sync() refuses a region of zeros", fltuffd_sync(p) == -EROFS);
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		_exit(*(volatile char *)fltuffd_memory(p));
	}
	waitpid(pid, &status, 0);
	check("a child cannot access the region", WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	fltuffd_close(p);

	if (ftruncate(fd, BYTES))
		return 1;
	fltuffd_backing_file(&c.backing, fd, 0, true);
	c.policy = FLTUFFD_CLOCK;
	p = start(&c);
	check("stores survive eviction to a file", !run(p));
	check("fltuffd_sync() succeeds", !fltuffd_sync(p));
	copy = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
	check("the file has all stores after fltuffd_sync()", !memcmp(copy, fltuffd_memory(p), BYTES));
	m = fltuffd_memory(p);
	if (pipe(pair))
		return 1;
	pid = fork();
	if (!pid) {
		for (i = 0; i < BYTES; ) {
			ssize_t n = read(pair[0], (char *)malloc(65536), 65536);

			if (n <= 0)
				_exit(1);
			i += (size_t)n;
		}
		_exit(0);
	}
	check("a system call transfers missing pages completely", write(pair[1], m, BYTES) == BYTES);
	close(pair[1]);
	waitpid(pid, &status, 0);
	for (i = 0; i < BYTES; i += 4096 * 3)
		madvise(m + i, 4096, MADV_DONTNEED);
	check("dropped pages are loaded again", !memcmp(copy, m, BYTES));
	fltuffd_close(p);

	c.backing = (struct fltuffd_backing){ .read = flaky };
	c.on_error = on_error;
	c.error_context = &told;
	c.threads = 1;
	p = told.pager = start(&c);
	m = fltuffd_memory(p);
	signal(SIGBUS, leave);
	signal(SIGSEGV, leave);
	for (i = 0; i < BYTES; i += 4096) {
		int sig = sigsetjmp(out, 1);

		if (sig)
			signals++;
		else
			wrong += m[i] != 7;
	}
	check("bad pages raise signals, good pages are readable", signals == BYTES / 4096 / 16 && !wrong);
	check("on_error() is called and may use the pager",
	      told.times >= signals && told.well == told.times);
	check("fltuffd_error() returns the first error", fltuffd_error(p) == -EIO);
	check("fltuffd_load() returns the error of a bad page", fltuffd_load(p, 0, BYTES) == -EIO);
	check("fltuffd_load() loads good pages", !fltuffd_load(p, 0, 5 * 4096));
	fltuffd_close(p);
	write_errors();
	c.limit = 4096;
	check("fltuffd_open() refuses a limit that is too small", fltuffd_open(&p, &c) == -EINVAL);
	return failed;
}
