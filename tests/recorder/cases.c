// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cases.c - programs that a recorder of limited memory likes to break.
 *
 * `cases NAME` does one thing and prints what it saw; run natively it says what
 * is right. Nothing printed depends on addresses, time or order of threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096u
#define BIG (32u << 20)		/* four times the limit the tests run with */

static char **arguments;

static unsigned int value(size_t i)
{
	return (unsigned int)i * 2654435761u + 12345;
}

static unsigned int *filled(size_t bytes)
{
	unsigned int *p = malloc(bytes);

	for (size_t i = 0; i < bytes / 4; i++)
		p[i] = value(i);
	return p;
}

/* Words that are not what filled() left there. */
static unsigned long wrong(const unsigned int *p, size_t bytes)
{
	unsigned long bad = 0;

	for (size_t i = 0; i < bytes / 4; i += 127)
		bad += p[i] != value(i);
	return bad;
}

static int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static void case_fork(void)
{
	unsigned int *p = filled(BIG);

	for (int round = 0; round < 3; round++) {
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			unsigned long bad = wrong(p, BIG);

			for (size_t i = 0; i < BIG / 4; i += 1000)
				p[i] = 7;
			free(p);
			p = filled(BIG / 2);
			_exit(bad || wrong(p, BIG / 2) ? 1 : 0);
		}
		/* the parent writes the same pages while the child reads them */
		for (size_t i = 0; i < BIG / 4; i += 1000)
			p[i] = value(i);
		printf("child %x parent %lu\n", status_of(pid), wrong(p, BIG));
	}
}

static void case_fork_deep(void)
{
	unsigned int *p = filled(BIG / 2);
	int status = 0;
	pid_t pid = 0;
	int depth;

	fflush(stdout);
	for (depth = 0; depth < 4; depth++) {
		pid = fork();
		if (pid)
			break;
		p[depth] = value((size_t)depth);
	}
	if (wrong(p, BIG / 2))
		_exit(9);
	if (pid)
		status = status_of(pid);
	if (depth)
		_exit(status ? 8 : 0);
	printf("status %x\n", status);
}

static void *forker(void *p)
{
	unsigned long bad = 0;

	for (int i = 0; i < 8; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(wrong(p, BIG) ? 1 : 0);
		bad += status_of(pid) != 0;
	}
	return (void *)bad;
}

static void case_fork_threads(void)
{
	unsigned int *p = filled(BIG);
	unsigned long bad = 0;
	pthread_t t[3];
	void *r;

	fflush(stdout);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, forker, p);
	for (int i = 0; i < 20; i++)
		bad += wrong(p, BIG);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &r);
		bad += (unsigned long)r;
	}
	printf("bad %lu\n", bad);
}

static void case_fork_raw(void)
{
	unsigned int *p = filled(BIG);
	pid_t pid;

	fflush(stdout);
	pid = (pid_t)syscall(SYS_fork);
	if (!pid)
		syscall(SYS_exit_group, wrong(p, BIG) ? 1 : 0);
	printf("child %x parent %lu\n", status_of(pid), wrong(p, BIG));
}

static void case_spawn(void)
{
	char *const argv[] = { "sh", "-c", "exit 5", NULL };
	unsigned int *p = filled(BIG);
	char line[64] = "";
	pid_t pid;
	FILE *f;

	printf("system %x\n", system("exit 3"));
	f = popen("echo from a shell", "r");
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	printf("popen %s close %x\n", line, pclose(f));
	if (!posix_spawnp(&pid, "sh", NULL, NULL, argv, (char *[]){ NULL }))
		printf("spawn %x\n", status_of(pid));
	pid = vfork();
	if (!pid)
		_exit(4);
	printf("vfork %x wrong %lu\n", status_of(pid), wrong(p, BIG));
	printf("wait %d", waitpid(-1, NULL, 0));
	printf(" %s\n", strerror(errno));
}

static void case_shared(void)
{
	int *s = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		*s = 77;
		_exit(0);
	}
	status_of(pid);
	printf("%d\n", *s);
}

static sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

static int touches(volatile char *p, int write)
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

static void case_protect(void)
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

static void case_io(void)
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

static void case_direct(void)
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

static void case_mremap(void)
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
	/* the heap's own header may lie before w: only a page-aligned w can be moved */
	if (p == MAP_FAILED)
		printf("raw wrong %lu\n", wrong(w, BIG));
	else
		printf("raw wrong %lu\n", wrong((unsigned int *)p, BIG / 2));
}

static void case_limits(void)
{
	void *p = NULL, *q[40];
	int n = 0;

	errno = 0;
	p = malloc(1ul << 40);
	printf("1 TiB %d %s\n", p != NULL, strerror(errno));
	free(p);
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

static void case_reuse(void)
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

static void case_madvise(void)
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
}

static volatile sig_atomic_t caught;

static void catch(int sig)
{
	(void)sig;
	caught++;
}

static void case_signals(void)
{
	struct sigaction sa = { .sa_handler = catch }, got;
	unsigned int *p;
	sigset_t all, pending;
	int n = 0;

	for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
		sigaction(s, &sa, NULL);
		sigaction(s, NULL, &got);
		n += got.sa_handler == catch;
	}
	p = filled(BIG);
	printf("handlers %d caught by faults %d wrong %lu\n", n == SIGRTMAX - SIGRTMIN + 1, caught,
	       wrong(p, BIG));
	for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
		raise(s);
	printf("caught %d\n", caught == SIGRTMAX - SIGRTMIN + 1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	printf("blocked wrong %lu", wrong(p, BIG));
	sigpending(&pending);
	n = 0;
	for (int s = 1; s <= SIGRTMAX; s++)
		n += sigismember(&pending, s) == 1;
	printf(" pending %d\n", n);
}

static void on_stack(int sig)
{
	char room[20000];

	memset(room, sig, sizeof(room));
	caught += room[10000];
}

static void case_altstack(void)
{
	stack_t s = { .ss_size = 1 << 20 };
	struct sigaction sa = { .sa_handler = on_stack, .sa_flags = SA_ONSTACK };
	unsigned int *p;

	s.ss_sp = malloc(s.ss_size);
	memset(s.ss_sp, 1, s.ss_size);
	sigaltstack(&s, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 20; i++) {
		p = filled(BIG / 2);	/* pushes the stack out */
		raise(SIGUSR1);
		free(p);
	}
	printf("caught %d\n", caught == 20 * SIGUSR1);
}

static ucontext_t home, co;
static unsigned long co_bad;

/* A coroutine on a heap stack, which is itself evicted between its turns. */
static void coroutine(void)
{
	char keep[100000];

	memset(keep, 42, sizeof(keep));
	for (;;) {
		unsigned int *p = filled(1 << 20);

		for (size_t i = 0; i < sizeof(keep); i += 100)
			co_bad += keep[i] != 42;
		co_bad += wrong(p, 1 << 20);
		munmap(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1 << 20);
		free(p);
		swapcontext(&co, &home);
	}
}

static void case_coroutine(void)
{
	getcontext(&co);
	co.uc_stack.ss_size = 1 << 20;
	co.uc_stack.ss_sp = malloc(co.uc_stack.ss_size);
	makecontext(&co, coroutine, 0);
	for (int i = 0; i < 10; i++) {
		unsigned int *p = filled(BIG / 2);

		swapcontext(&home, &co);
		co_bad += wrong(p, BIG / 2);
		free(p);
	}
	printf("bad %lu\n", co_bad);
}

static void *churn(void *arg)
{
	unsigned int seed = (unsigned int)(unsigned long)arg;
	unsigned long bad = 0;
	unsigned int *p[32] = { NULL };
	size_t n[32] = { 0 };

	for (int i = 0; i < 150; i++) {
		int k = rand_r(&seed) % 32;

		if (p[k])
			bad += wrong(p[k], n[k]);
		free(p[k]);
		n[k] = (size_t)(rand_r(&seed) % (1 << 19)) & ~3ul;
		p[k] = filled(n[k] + 4);
		if (!(i % 16))
			madvise(mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
				1 << 18, MADV_DONTNEED);
	}
	return (void *)bad;
}

static void case_threads(void)
{
	unsigned long bad = 0;
	pthread_t t[6];
	void *r;

	for (unsigned long round = 0; round < 2; round++) {
		for (unsigned long i = 0; i < 6; i++)
			pthread_create(&t[i], NULL, churn, (void *)(i + round * 10));
		for (int i = 0; i < 6; i++) {
			pthread_join(t[i], &r);
			bad += (unsigned long)r;
		}
	}
	printf("bad %lu\n", bad);
}

static void case_close(void)
{
	unsigned int *p = filled(BIG);
	int fd;

	for (fd = 3; fd < 70000; fd++)
		close(fd);
	closefrom(3);
	printf("first %d wrong %lu\n", open("/dev/null", O_RDONLY), wrong(p, BIG));
	dup2(1, 1016);
	dup2(1, 1017);
	free(filled(BIG));
	printf("wrong %lu\n", wrong(p, BIG));
}

static void case_words(void)
{
	for (int i = 2; arguments[i]; i++)
		printf("[%s]", arguments[i]);
	printf("\n");
}

/* Ends of all kinds, each after exactly this many pages of first touches. */
static void touch_pages(void)
{
	char *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < BIG; i += PAGE)
		p[i] = 1;
	printf("touched\n");
	fflush(stdout);
}

static void case_end_exit(void) { touch_pages(); _exit(7); }
static void case_end_kill(void) { touch_pages(); kill(getpid(), SIGKILL); }
static void case_end_abort(void) { touch_pages(); abort(); }
static void case_end_segv(void) { touch_pages(); *(volatile int *)8 = 1; }
static void case_end_exec(void)
{
	touch_pages();
	execl("/proc/self/exe", "cases", "end_exit", NULL);
}
static void *end_from_thread(void *p)
{
	touch_pages();
	execl("/proc/self/exe", "cases", "end_exit", NULL);
	return p;
}
static void case_end_exec_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, end_from_thread, NULL);
	pthread_join(t, NULL);
}

/* The next image has other things at the addresses that were limited before. */
static void case_exec_many(void)
{
	char left[16];
	int n = arguments[2] ? atoi(arguments[2]) : 0;

	if (n == 0)
		n = 16;
	free(filled(BIG / 8));
	if (n == 1) {
		printf("last image\n");
		return;
	}
	snprintf(left, sizeof(left), "%d", n - 1);
	execl("/proc/self/exe", "cases", "exec_many", left, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "fork", case_fork }, { "fork_deep", case_fork_deep }, { "fork_threads", case_fork_threads },
	{ "fork_raw", case_fork_raw }, { "spawn", case_spawn }, { "shared", case_shared },
	{ "protect", case_protect }, { "io", case_io }, { "direct", case_direct },
	{ "mremap", case_mremap }, { "limits", case_limits }, { "reuse", case_reuse },
	{ "madvise", case_madvise }, { "signals", case_signals }, { "altstack", case_altstack },
	{ "coroutine", case_coroutine }, { "threads", case_threads }, { "close", case_close },
	{ "words", case_words }, { "exec_many", case_exec_many },
	{ "end_exit", case_end_exit }, { "end_kill", case_end_kill }, { "end_abort", case_end_abort },
	{ "end_segv", case_end_segv }, { "end_exec", case_end_exec },
	{ "end_exec_thread", case_end_exec_thread },
};

int main(int argc, char **argv)
{
	arguments = argv;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name))
			continue;
		if (argc > 1) {
			cases[i].run();
			return 0;
		}
		printf("%s\n", cases[i].name);
	}
	return argc > 1 ? 2 : 0;
}
