// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_memory.c - mapping, moving, protecting and dropping memory, and failed requests. */
#include "cases.h"
#include "lib/core/sys.h"
#include "recent.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

int touches(volatile char *p, int write)
{
	int sig;

	signal(SIGSEGV, jump);
	signal(SIGBUS, jump);
	sig = sigsetjmp(back, 1);
	if (!sig) {
		if (write)
			*p = 1;
		else
			(void)*p;
	}
	return sig;
}

void case_mremap(void)
{
	char *p = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q;
	unsigned int *w = filled(BIG);

	memcpy(p, w, 4 << 20);
	q = mremap(p, 4 << 20, 16 << 20, MREMAP_MAYMOVE);
	printf("grow %d wrong %lu zero %d\n", q != MAP_FAILED, wrong((unsigned int *)q, 4 << 20),
	       q[(16 << 20) - 1]);
	q = mremap(q, 16 << 20, 1 << 20, 0);
	printf("shrink %d wrong %lu\n", q != MAP_FAILED, wrong((unsigned int *)q, 1 << 20));
	p = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p = mremap(q, 1 << 20, 1 << 20, MREMAP_MAYMOVE | MREMAP_FIXED, p);
	printf("fixed %d wrong %lu\n", p != MAP_FAILED, wrong((unsigned int *)p, 1 << 20));
	p = (char *)syscall(SYS_mremap, w, BIG / 2, BIG / 2, MREMAP_MAYMOVE | MREMAP_FIXED,
			    mmap(NULL, BIG / 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	/* the heap's header may precede w, and only a page-aligned w can be moved */
	if (p == MAP_FAILED)
		printf("raw wrong %lu\n", wrong(w, BIG));
	else
		printf("raw wrong %lu\n", wrong((unsigned int *)p, BIG / 2));
}

/* Move limited memory over limited memory, which is then used for something else. */
void case_mremap_over(void)
{
	size_t half = BIG / 4;
	char *p = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long bad = 0;

	memset(p, 1, half);
	memset(p + half, 2, half);
	if (mremap(p, half, half, MREMAP_MAYMOVE | MREMAP_FIXED, p + half) != p + half)
		printf("cannot move\n");
	touch_pages();
	for (size_t i = 0; i < half; i++)
		bad += p[half + i] != 1;
	printf("over %lu\n", bad);
	/* Over what was unmapped before: no later mapping gets these addresses. */
	munmap(p + half, half);
	p = mmap(NULL, half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, 3, half);
	munmap(p, half / 2);
	if (mremap(p + half / 2, half / 2, half / 2, MREMAP_MAYMOVE | MREMAP_FIXED, p) != p)
		printf("cannot move\n");
	for (int i = 0; i < 4; i++)
		touch_pages();
	for (size_t i = 0; i < half / 2; i++)
		bad += p[i] != 3;
	printf("over unmapped %lu\n", bad);
}

/* Drop a page by a system call that no library sees. */
void case_dropped(void)
{
	char *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long ret;

	memset(p, 1, 2 * PAGE);
	ret = sys3(SYS_madvise, p, PAGE, MADV_DONTNEED);
	printf("dropped %ld: %d %d\n", ret, *(volatile char *)p, p[PAGE]);
	touch_pages();
	printf("later: %d %d\n", p[0], p[PAGE]);
}

/* A mapping of 64 MiB with one touched page must move to grow. Another is half evicted. */
void case_sparse(void)
{
	char *p = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int *w = mmap(NULL, BIG / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *in_the_way = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p[77 * PAGE] = 5;
	*in_the_way = 6;
	p = mremap(p, 64 << 20, 128 << 20, MREMAP_MAYMOVE);
	printf("sparse %d\n", p[77 * PAGE]);
	for (size_t i = 0; i < BIG / 8; i++)
		if (i / 1024 % 3)
			w[i] = value(i);
	w = mremap(w, BIG / 2, BIG, MREMAP_MAYMOVE);
	for (size_t i = 0; i < BIG / 4; i += 64)
		if (w[i] != (i < BIG / 8 && i / 1024 % 3 ? value(i) : 0))
			printf("wrong at %zu\n", i);
	printf("dense %u beyond %d\n", w[1024], *in_the_way);
}

void case_limits(void)
{
	void *p = NULL, *q[40];
	int n = 0;

	errno = 0;
	p = malloc(1ul << 40);
	printf("1 TiB %d %s\n", p != NULL, strerror(errno));
	free(p);
	/* these lengths overflow to 0 when rounded up to pages; mappings must stay as they are */
	p = mmap(NULL, -1ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("2^64 - 1 %d %s\n", p != MAP_FAILED, strerror(errno));
	q[0] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	q[1] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*(int *)q[0] = 5;
	p = mremap(q[0], PAGE, -1ul, MREMAP_MAYMOVE);
	printf("mremap %d %s\n", p != MAP_FAILED, strerror(errno));
	n = munmap(q[0], -1ul);
	printf("munmap %d %s\n", n, strerror(errno));
	n = mprotect(q[0], -1ul, PROT_NONE);
	printf("mprotect %d %s\n", n, strerror(errno));
	n = 0;
	q[2] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("own %d kept %d\n", q[0] != q[1] && q[0] != q[2] && q[1] != q[2], *(int *)q[0]);
	printf("2^62 %d odd %d\n", posix_memalign(&p, 64, 1ul << 62), posix_memalign(&p, 3, 64));
	p = mmap(NULL, 64ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	printf("reserve %d\n", p != MAP_FAILED);
	p = mmap(NULL, 64ul << 30, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	printf("reserve %d\n", p != MAP_FAILED);
	for (int i = 0; i < 40; i++) {
		q[i] = malloc(8 << 20);
		if (q[i])
			memset(q[i], i, 8 << 20);
		n += q[i] != NULL;
	}
	for (int i = 0; i < 40; i++)
		n += ((char *)q[i])[5000000] == i;
	printf("beyond %d\n", n);
	p = calloc(1ul << 33, 1ul << 33);
	printf("calloc %d\n", p != NULL);
}

void case_reuse(void)
{
	unsigned long bad = 0;

	for (int i = 0; i < 400; i++) {
		char *p = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED) {
			printf("failed\n");
			return;
		}
		for (size_t at = 0; at < 16 << 20; at += 1 << 18) {
			bad += p[at] != 0;
			p[at] = 1;
		}
		munmap(p, 5 << 20);
		munmap(p + (5 << 20), 11 << 20);
	}
	printf("not zero %lu\n", bad);
}

/* Unmapped memory is inaccessible, and new memory at its place is zero. */
void case_unmapped(void)
{
	char *p, *q[64];
	int in[2], bad = 0;

	if (pipe(in))
		return;
	p = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, 7, 64 * PAGE);
	printf("unmap %d\n", munmap(p + 8 * PAGE, 32 * PAGE));
	printf("load %d store %d %d\n", touches(p + 8 * PAGE, 0), touches(p + 9 * PAGE, 1),
	       touches(p + 39 * PAGE, 1));
	printf("again %d %d\n", touches(p + 9 * PAGE, 0), touches(p + 9 * PAGE, 1));
	printf("write %zd\n", write(in[1], p + 10 * PAGE, 10));
	printf("kept %d %d\n", p[8 * PAGE - 1], p[40 * PAGE]);
	printf("protect %d\n", mprotect(p + 4 * PAGE, 8 * PAGE, PROT_READ | PROT_WRITE));
	printf("drop %d\n", madvise(p + 30 * PAGE, 4 * PAGE, MADV_DONTNEED));
	printf("lock %d\n", mlock(p + 30 * PAGE, 4 * PAGE));
	printf("move %d\n", mremap(p + 20 * PAGE, PAGE, 2 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED);
	printf("unmap %d\n", munmap(p + 8 * PAGE, 32 * PAGE));
	for (int i = 0; i < 64; i++) {
		q[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		bad += q[i][0] + q[i][PAGE - 1];
		q[i][9] = 1;
	}
	printf("new %d\n", bad);
	fflush(stdout);
	munmap(q[5], PAGE);
	if (!fork())
		_exit(touches(q[5], 1) + q[6][9]);
	printf("child %d\n", status_of(-1));
	printf("lock all %d gone %d\n", mlockall(MCL_CURRENT) == -2, touches(q[5], 0));
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("new %d old %d\n", *p, q[6][9]);
}


static __attribute__((noinline)) void phase_first(char *p) { for (size_t i = 0; i < BIG / 2; i += PAGE) p[i]++; }
static __attribute__((noinline)) void phase_second(char *p) { for (size_t i = 0; i < BIG / 2; i += PAGE) p[i] += 2; }
static __attribute__((noinline)) void phase_third(char *p) { for (size_t i = 0; i < BIG / 2; i += PAGE) p[i] += 3; }

void case_phases(void)
{
	char *p = malloc(BIG / 2), *q = malloc(BIG / 2);

	for (int i = 0; i < 3; i++) {
		phase_first(p);
		phase_second(q);
		phase_third(p);
	}
	printf("%d %d\n", p[0], q[PAGE]);
}

/* The same in a forked child. */
void case_phases_forked(void)
{
	pid_t pid = fork();

	if (!pid) {
		case_phases();
		fflush(stdout);
		_exit(0);
	}
	printf("child %x\n", status_of(pid));
}

#define NEIGHBOURS 6

static struct {
	char *p;
	pthread_barrier_t begun;
} shared_pages;

static void *touch_each_sixth(void *first)
{
	pthread_barrier_wait(&shared_pages.begun);
	for (size_t i = (size_t)first * PAGE; i < BIG; i += NEIGHBOURS * PAGE)
		shared_pages.p[i] = 1;
	pthread_barrier_wait(&shared_pages.begun);
	return NULL;
}

/* Threads touch new pages next to each other at the same time. */
void case_neighbours(void)
{
	pthread_t t[NEIGHBOURS];

	shared_pages.p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_barrier_init(&shared_pages.begun, NULL, NEIGHBOURS);
	for (size_t i = 0; i < NEIGHBOURS; i++)
		pthread_create(&t[i], NULL, touch_each_sixth, (void *)i);
	for (size_t i = 0; i < NEIGHBOURS; i++)
		pthread_join(t[i], NULL);
	printf("neighbours\n");
}

/* The kernel follows the advice around a hole. */
static void advise_around_a_hole(void)
{
	char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	memset(p, 7, 3 * PAGE);
	munmap(p + PAGE, PAGE);
	ret = madvise(p, 3 * PAGE, MADV_DONTNEED);
	printf("hole %d %d: %d %d\n", ret, errno, p[0], p[2 * PAGE]);
}

void case_madvise(void)
{
	char *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long bad = 0;
	pid_t pid;

	memset(p, 3, BIG);
	madvise(p, BIG / 2, MADV_DONTNEED);
	for (size_t i = 0; i < BIG; i += PAGE)
		bad += p[i] != (i < BIG / 2 ? 0 : 3);
	printf("dontneed %lu\n", bad);
	printf("wipe %d\n", madvise(p + BIG / 2, 64 * PAGE, MADV_WIPEONFORK));
	memset(p + BIG / 2, 9, 64 * PAGE);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(p[BIG / 2] + p[BIG / 2 + 63 * PAGE] + p[BIG - 1]);
	printf("child %x parent %d\n", status_of(pid), p[BIG / 2]);
	advise_around_a_hole();
}

/* Memory that is not limited must keep its content and count as not covered. */
void case_brk(void)
{
	unsigned int *p = sbrk(BIG);
	unsigned long bad;

	if (p == (void *)-1) {
		printf("no brk\n");
		return;
	}
	for (size_t i = 0; i < BIG / 4; i++)
		p[i] = value(i);
	free(filled(BIG));
	bad = wrong(p, BIG);
	printf("brk wrong %lu\n", bad);
}

void case_file(void)
{
	char path[] = "/tmp/flt-case-XXXXXX";
	unsigned int *p, *q = filled(BIG);
	unsigned long bad;
	int fd = mkstemp(path);

	unlink(path);
	if (write(fd, q, BIG) != BIG)
		printf("no file\n");
	p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	bad = wrong(p, BIG);
	for (size_t i = 0; i < BIG / 4; i += 2)
		p[i]++;
	for (size_t i = 0; i < BIG / 4; i++)
		bad += p[i] != value(i) + !(i & 1);
	/* and the file is unchanged */
	if (pread(fd, q, BIG, 0) != BIG)
		printf("no file\n");
	printf("file wrong %lu %lu\n", bad, wrong(q, BIG));
}

static unsigned long down(unsigned int depth)
{
	volatile unsigned int room[16384];
	unsigned long sum;

	for (unsigned int i = 0; i < 16384; i += 512)
		room[i] = value(depth + i);
	sum = depth ? down(depth - 1) : 0;
	for (unsigned int i = 0; i < 16384; i += 512)
		sum += room[i] != value(depth + i);
	return sum;
}

void case_big_stack(void)
{
	unsigned int *p = filled(BIG);

	/* 7 MiB of the usual 8 */
	printf("stack wrong %lu heap wrong %lu\n", down(110), wrong(p, BIG));
}

/* Advice that changes what memory is, for a range that is limited in part. */
void case_advise_mixed(void)
{
	char *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long bad = 0;
	pid_t pid;

	memset(p, 3, BIG);
	mprotect(p + 8 * PAGE, PAGE, PROT_READ);
	printf("wipe %d\n", madvise(p, BIG, MADV_WIPEONFORK));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (size_t i = 0; i < BIG; i += PAGE)
			bad += p[i] != 0;
		_exit(bad != 0);
	}
	for (size_t i = 0; i < BIG; i += PAGE)
		bad += p[i] != 3;
	printf("child %x parent %lu\n", status_of(pid), bad);
}

/* Map at addresses that were freed, and at addresses that are in use. */
void case_noreplace(void)
{
	enum { HOW = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE };
	char *p = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *q, *r;
	int err;

	memset(p, 3, 16 * PAGE);
	munmap(p + 4 * PAGE, 8 * PAGE);
	q = mmap(p + 4 * PAGE, 8 * PAGE, PROT_READ | PROT_WRITE, HOW, -1, 0);
	err = q == MAP_FAILED ? errno : 0;
	r = mmap(p + 2 * PAGE, 8 * PAGE, PROT_READ | PROT_WRITE, HOW, -1, 0);
	printf("freed %d %s used %d\n", q == p + 4 * PAGE, strerror(err), r == MAP_FAILED ? errno : 0);
	if (q != MAP_FAILED)
		printf("content %d %d %d\n", p[4 * PAGE - 1], q[0]++, p[12 * PAGE]);
}

/* Lock memory by a system call that no library sees, while pages of it are evicted. */
void case_lock_raw(void)
{
	unsigned int *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long ret;

	for (size_t i = 0; i < BIG / 4; i++)
		p[i] = value(i);
	ret = sys2(SYS_mlock, p, BIG / 32);
	printf("locked %ld wrong %lu\n", ret, wrong(p, BIG));
	munmap(p, BIG);
	p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ret = syscall(SYS_mlock2, p, BIG / 32, MLOCK_ONFAULT);
	printf("new %d locked %ld\n", is_zero((char *)p, BIG), ret);
	memset(p, 1, BIG);
	munmap(p, BIG);
	p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("new %d\n", is_zero((char *)p, BIG));
}

/* Attach shared memory at an address that was free before, and over memory with content. */
void case_shm_at(void)
{
	size_t len = 64 * PAGE;
	char *free_at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *used = (char *)filled(BIG), *over, *m;
	int id = shmget(IPC_PRIVATE, len, IPC_CREAT | 0600);

	over = (char *)(((unsigned long)used + BIG / 2) & ~(PAGE - 1));
	munmap(free_at, len);
	m = shmat(id, free_at, 0);
	printf("free %d\n", m == free_at);
	if (m == free_at)
		memset(m, 1, len);
	errno = 0;
	m = shmat(id, over, 0);
	printf("used %d %s\n", m != (void *)-1, strerror(errno));
	m = (char *)syscall(SYS_shmat, id, over + 5, SHM_RND | SHM_REMAP);
	printf("over %d %d %d\n", m == over, over[0], over[len - 1]);
	over[7] = 9;
	free(filled(BIG));
	printf("shared %d %d\n", over[7], free_at[7]);
	printf("kept %u %u\n", ((unsigned int *)used)[1] == value(1),
	       ((unsigned int *)(over + len))[0] == value((size_t)(over + len - used) / 4));
	printf("detached %d %d\n", shmdt(over), shmdt(free_at));
	shmctl(id, IPC_RMID, NULL);
	m = mmap(over, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	printf("mapped again %d %d\n", m == over, over[7]);
	printf("unmapped %d\n", munmap(over, len));
}

/* Discard memory by process_madvise() on the process itself, which Linux 6.13 allows. */
void case_advise_self(void)
{
	unsigned int *all = filled(BIG);
	char *p = (char *)(((unsigned long)all + PAGE - 1) & ~(PAGE - 1));
	const struct iovec v[] = { { p, 64 * PAGE }, { p + BIG / 2, BIG / 4 } };
	const int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	pid_t child = fork();
	char *half;
	int other;

	if (!child)
		pause();
	other = (int)syscall(SYS_pidfd_open, child, 0);
	errno = 0;
	printf("advised %zd", process_madvise(self, v, 2, MADV_DONTNEED, 0));
	printf(" %s\n", strerror(errno));
	printf("zero %d %d\n", is_zero(p, v[0].iov_len), is_zero(p + BIG / 2, v[1].iov_len));
	printf("kept %u\n", ((unsigned int *)(p + BIG / 4))[0] ==
	       value((size_t)(p + BIG / 4 - (char *)all) / 4));
	memset(p, 1, 64 * PAGE);
	printf("raw %ld", syscall(SYS_process_madvise, self, v, 1, MADV_DONTNEED, 0));
	printf(" zero %d\n", is_zero(p, v[0].iov_len));
	memset(p, 1, 64 * PAGE);
	printf("other %zd", process_madvise(other, v, 1, MADV_DONTNEED, 0));
	printf(" zero %d\n", is_zero(p, v[0].iov_len));
	printf("flags %zd\n", process_madvise(self, v, 1, MADV_DONTNEED, 1));
	/* The kernel reads all ranges before it advises the first one. */
	half = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	munmap(half + PAGE, PAGE);
	memcpy(half + PAGE - sizeof(v[0]), v, sizeof(v[0]));
	errno = 0;
	printf("half %zd", process_madvise(self, (struct iovec *)(half + PAGE) - 1, 2, MADV_DONTNEED, 0));
	printf(" %s zero %d\n", strerror(errno), is_zero(p, v[0].iov_len));
	errno = 0;
	printf("bad %ld", syscall(SYS_process_madvise, self, half + PAGE, 1, MADV_DONTNEED, 0));
	printf(" %s\n", strerror(errno));
	kill(child, SIGKILL);
	status_of(child);
}
