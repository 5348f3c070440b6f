// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_io.c - system calls that read and write limited memory, and file descriptors. */
#include "cases.h"
#include "lib/core/sys.h"
#include "recent.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/mman.h>
#include <unistd.h>

void case_io(void)
{
	size_t n = 4u << 20, sum = 0;
	unsigned int *p = filled(BIG);
	char *fresh = malloc(n), path[] = "/tmp/flt-case-XXXXXX";
	int fd = mkstemp(path), pair[2];
	ssize_t got;
	pid_t pid;

	unlink(path);
	printf("write untouched %zd\n", write(fd, fresh, n));
	printf("pwrite evicted %zd\n", pwrite(fd, p, BIG, 0));
	memset(fresh, 1, n);
	printf("pread %zd", pread(fd, fresh, n, 0));
	printf(" wrong %lu\n", wrong((unsigned int *)fresh, n));
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (size_t at = 0; at < n; at += 8192)
			if (write(pair[1], (char *)p + at, 8192) != 8192)
				_exit(1);
		_exit(0);
	}
	got = recv(pair[0], fresh, n / 2, MSG_WAITALL);
	printf("recv %zd wrong %lu\n", got, wrong((unsigned int *)fresh, n / 2));
	while (sum < n / 2 && (got = read(pair[0], fresh, n)) > 0)
		sum += (size_t)got;
	printf("rest %zu child %x\n", sum, status_of(pid));
}

void case_direct(void)
{
	char path[] = "./flt-direct-XXXXXX";
	unsigned int *p = filled(BIG), *q = NULL;
	int fd = mkstemp(path), direct;
	unsigned long bad = 0;
	ssize_t n = write(fd, p, BIG);

	direct = open(path, O_RDONLY | O_DIRECT);
	unlink(path);
	if (direct < 0)
		direct = fd;
	if (posix_memalign((void **)&q, PAGE, BIG))
		exit(1);
	for (size_t at = 0; at < BIG; at += 1 << 20) {
		if (pread(direct, (char *)q + at, 1 << 20, (off_t)at) != 1 << 20)
			bad++;
		bad += p[at / 4] != value(at / 4);
	}
	printf("wrote %zd bad %lu wrong %lu\n", n, bad, wrong(q, BIG));
}

#define READERS 4
#define SHARE   (BIG / READERS)

/*
 * Read a file by direct I/O into memory that other readers push out meanwhile: a page must not be
 * evicted while the device writes to it. Return the number of wrong words.
 */
static void *read_directly(void *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	unsigned int *q = NULL;
	unsigned long bad = 0;

	if (fd < 0)
		fd = open(path, O_RDONLY);
	if (fd < 0 || posix_memalign((void **)&q, PAGE, SHARE))
		exit(1);
	for (int round = 0; round < 2; round++) {
		memset(q, round, SHARE);
		for (size_t at = 0; at < SHARE; at += SHARE / 16)
			if (pread(fd, (char *)q + at, SHARE / 16, (off_t)at) != (ssize_t)(SHARE / 16))
				bad++;
		bad += wrong(q, SHARE);
	}
	close(fd);
	return (void *)bad;
}

void case_direct_threads(void)
{
	char path[] = "./flt-direct-XXXXXX";
	unsigned int *p = filled(SHARE);
	pthread_t thread[READERS];
	int fd = mkstemp(path);
	unsigned long bad = 0;
	ssize_t n = write(fd, p, SHARE);
	void *more;

	fsync(fd);
	for (int i = 0; i < READERS; i++)
		if (pthread_create(&thread[i], NULL, read_directly, path))
			exit(1);
	for (int i = 0; i < READERS; i++) {
		pthread_join(thread[i], &more);
		bad += (unsigned long)more;
	}
	unlink(path);
	printf("wrote %zd bad %lu wrong %lu\n", n, bad, wrong(p, SHARE));
}

void case_close(void)
{
	unsigned int *p = filled(BIG);
	int fd;

	for (fd = 3; fd < 70000; fd++)
		close(fd);
	closefrom(3);
	printf("first %d wrong %lu\n", open("/dev/null", O_RDONLY), wrong(p, BIG));
	/* A shell asks whether a number is open before it takes it. */
	for (fd = 1016; fd < 1020; fd++)
		printf("open %d %ld\n", fcntl(fd, F_GETFD), syscall(SYS_fcntl, fd, F_DUPFD, 3));
	for (fd = 1016; fd < 1020; fd++)
		printf("dup2 %d\n", dup2(1, fd));
	free(filled(BIG));
	printf("wrong %lu\n", wrong(p, BIG));
}

#define SOME (10u << 20)

static void *fill(void *ends)
{
	unsigned long bad = 0;

	do {
		unsigned int *p = filled(SOME);

		bad += wrong(p, SOME);
		free(p);
	} while (!__atomic_load_n((bool *)ends, __ATOMIC_ACQUIRE));
	return (void *)bad;
}

/* Give all high numbers to other files while a thread faults, and fork after that. */
void case_dup_over(void)
{
	unsigned int *p = filled(SOME);
	int done = 0, refused = 0;
	bool ends = false;
	pthread_t thread;
	void *bad;
	pid_t pid;

	pthread_create(&thread, NULL, fill, &ends);
	for (int fd = 500; fd < 1024; fd++)
		done += dup2(1, fd) == fd;
	for (int fd = 500; fd < 1024; fd++)
		refused += dup2(-1, fd) == -1 && dup3(1, fd, -1) == -1;
	__atomic_store_n(&ends, true, __ATOMIC_RELEASE);
	pthread_join(thread, &bad);
	printf("done %d refused %d bad %lu wrong %lu\n", done, refused, (unsigned long)bad,
	       wrong(p, SOME));
	for (int fd = 500; fd < 1024; fd++)
		done -= fcntl(fd, F_GETFD) >= 0;
	printf("closed %d\n", done);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(wrong(p, SOME) || dup2(1, 1023) != 1023 || wrong(p, SOME));
	printf("child %x wrong %lu\n", status_of(pid), wrong(p, SOME));
}

/* Close all descriptors by system calls that libc's functions do not see. */
void case_close_raw(void)
{
	unsigned int *p = filled(BIG);

	for (int fd = 3; fd < 70000; fd++)
		syscall(SYS_close, fd);
	printf("range %ld\n", syscall(SYS_close_range, 3, ~0u, 0));
	for (int fd = 1010; fd < 1030; fd++)
#ifdef SYS_dup2
		printf("dup2 %ld\n", syscall(SYS_dup2, 1, fd));
#else	/* arm64 */
		printf("dup3 %ld\n", syscall(SYS_dup3, 1, fd, 0));
#endif
	printf("first %d wrong %lu\n", open("/dev/null", O_RDONLY), wrong(p, BIG));
	free(filled(BIG));
	printf("wrong %lu\n", wrong(p, BIG));
}

/* A recorder whose /proc/self/mem is closed must not take this for missing pages. */
void case_mremap_blind(void)
{
	unsigned int *p = mmap(NULL, BIG / 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q;
	char path[32], link[64] = "";

	for (size_t i = 0; i < BIG / 32; i++)
		p[i] = value(i);
	for (long fd = 3; fd < 70000; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%ld", fd);
		if (readlink(path, link, sizeof(link) - 1) > 0 && strstr(link, "/mem"))
			sys1(SYS_close, fd);
	}
	mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	q = mremap(p, BIG / 8, BIG / 4, MREMAP_MAYMOVE);
	printf("moved %lu zero %u\n", wrong(q, BIG / 8), q[BIG / 32 + 5]);
}
