// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * owned FILE SMAPS - bring pages in, each from a function with its name, and exit.
 *
 * FILE is created, with 1 MiB. Prints "FUNCTION KIND PAGES" for each function: how many of its
 * pages are resident at the exit (anon, file, shmem or hugetlb), or swapped (swap). Then writes
 * /proc/PID/smaps of itself and of its child to SMAPS, and exits without a further fault. The
 * child ends after its parent.
 *
 * Functions: once, again (MADV_DONTNEED), reads, copies (of a file), shares (memfd), inherited,
 * child (fork), thread, populates, locks, follows (userfaultfd), moves (mremap), lazy and freshly
 * (MADV_FREE), and if the machine has them: collapsed (MADV_COLLAPSE, which does what khugepaged
 * does, from 6.1 on, and fills pages without a function, "[collapse]") and tlb (hugetlb). huge has
 * as many pages as pagemap says. out and back depend on swap: with swap, 40 pages of out are
 * swapped (kind swap), and 20 came back.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "owner.h"
#include "page.h"
#include "uffd.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static int uffd;
static sem_t touched;

OWNER once(char *at, unsigned long pages) { write_to(at, pages); }
OWNER again(char *at, unsigned long pages) { write_to(at, pages); }
OWNER zeros(char *at, unsigned long pages) { read_from(at, pages); }
OWNER reads(char *at, unsigned long pages) { read_from(at, pages); }
OWNER copies(char *at, unsigned long pages) { write_to(at, pages); }
OWNER shares(char *at, unsigned long pages) { write_to(at, pages); }
OWNER inherited(char *at, unsigned long pages) { write_to(at, pages); }
OWNER child(char *at, unsigned long pages) { write_to(at, pages); }
OWNER thread(char *at, unsigned long pages) { write_to(at, pages); }
OWNER follows(char *at, unsigned long pages) { write_to(at, pages); }
OWNER moves(char *at, unsigned long pages) { write_to(at, pages); }
OWNER lazy(char *at, unsigned long pages) { write_to(at, pages); }
OWNER freshly(char *at, unsigned long pages) { write_to(at, pages); }
OWNER collapsed(char *at, unsigned long pages) { write_to(at, pages); }
OWNER tlb(char *at, unsigned long pages) { write_to(at, pages); }
OWNER huge(char *at, unsigned long pages) { write_to(at, pages); }
OWNER out(char *at, unsigned long pages) { write_to(at, pages); }
OWNER back(char *at, unsigned long pages) { write_to(at, pages); }

OWNER populates(unsigned long pages)
{
	long at = call(SYS_mmap, 0, (long)(pages * PAGE), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	madvise((void *)at, pages * PAGE, MADV_DONTFORK);
}

OWNER locks(char *at, unsigned long pages)
{
	call(SYS_mlock, (long)at, (long)(pages * PAGE), 0, 0, 0, 0);
}

static void *thread_main(void *at)
{
	end_silently();
	thread(at, 50);
	sem_post(&touched);
	for (;;)
		pause();
	return NULL;
}

static void *serve(void *arg)
{
	unsigned long at;

	end_silently();
	while ((at = uffd_next(uffd, -1)))
		uffd_copy(uffd, at);
	return arg;
}

static void use_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	static char block[1 << 20];
	char *at;

	memset(block, 1, sizeof(block));
	if (fd < 0 || write(fd, block, sizeof(block)) != sizeof(block))
		err(2, "%s", path);
	at = map(64, MAP_PRIVATE, fd);
	reads(at, 64);
	copies(at, 16);
	printf("reads file 48\ncopies anon 16\n");
	close(fd);
}

static void use_shared(void)
{
	int fd = memfd_create("owned", 0);

	if (fd < 0 || ftruncate(fd, 80 * PAGE))
		err(2, "memfd");
	shares(map(80, MAP_SHARED, fd), 80);
	printf("shares shmem 80\n");
}

static void use_anon(void)
{
	char *at = map_anon(200);

	once(at, 200);
	madvise(at, 100 * PAGE, MADV_DONTNEED);
	again(at, 100);
	printf("once anon 100\nagain anon 100\n");
	zeros(map_anon(100), 100);
	populates(128);
	printf("populates anon 128\n");
	locks(map_anon(64), 64);
	printf("locks anon 64\n");
	at = map_anon(90);
	moves(at, 90);
	if (mremap(at, 90 * PAGE, 90 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, map_anon(90)) ==
	    MAP_FAILED)
		err(2, "mremap");
	printf("moves anon 90\n");
	at = map_anon(40);
	once(at, 40);
	munmap(at, 40 * PAGE);
}

/*
 * Of 80 pages, 50 may be freed, and 30 of these are: 20 of them come back. MADV_PAGEOUT skips
 * pages in another CPU's lists (lru_add_drain() empties those of its own CPU).
 */
static void use_lazy(void)
{
	char *at = map_anon(80);
	cpu_set_t cpus = stay();

	lazy(at, 80);
	if (madvise(at, 50 * PAGE, MADV_FREE))
		err(2, "MADV_FREE");
	madvise(at, 30 * PAGE, MADV_PAGEOUT);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (resident(at, 30) || resident(at + 30 * PAGE, 50) != 50)
		errx(2, "%lu of 30 pages were not freed, and %lu of 50 were", resident(at, 30),
		     50 - resident(at + 30 * PAGE, 50));
	freshly(at, 20);
	printf("lazy anon 50\nfreshly anon 20\n");
}

static void use_huge(void)
{
	char *at = map_huge(2, MADV_HUGEPAGE);

	huge(at, 1);
	huge(at + HUGE_PAGE, 1);
	printf("huge anon %lu\n", resident(at, 2 * HUGE_PAGE / PAGE));
	at = map_huge(1, MADV_NOHUGEPAGE);
	collapsed(at, 412);
	madvise(at, HUGE_PAGE, MADV_HUGEPAGE);
	if (!madvise(at, HUGE_PAGE, MADV_COLLAPSE))
		printf("collapsed anon 412\n[collapse] anon 100\n");
	at = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (at == MAP_FAILED)
		return;
	madvise(at, 2 * HUGE_PAGE, MADV_DONTFORK);
	tlb(at, 1);
	tlb(at + HUGE_PAGE, 1);
	printf("tlb hugetlb 1024\n");
}

static void use_swap(void)
{
	char *at = map_anon(60);
	cpu_set_t cpus = stay();
	unsigned long left;

	out(at, 60);
	madvise(at, 60 * PAGE, MADV_PAGEOUT);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	left = resident(at, 60);
	if (left && left != 60)
		errx(2, "%lu of 60 pages were not swapped", left);
	back(at, 20);
	printf(left ? "out anon 60\n" : "out swap 40\nback anon 20\n");
}

static void use_threads(void)
{
	char *at = map_anon(50);

	start(thread_main, at);
	sem_wait(&touched);
	printf("thread anon 50\n");
	at = map_anon(30);
	uffd = uffd_open(at, 30 * PAGE, UFFD_MISSING);
	start(serve, NULL);
	follows(at, 30);
	printf("follows anon 30\n");
}

/* Fork a child that writes to 40 of 100 pages. Return its PID. */
static pid_t use_child(char *at)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		err(2, "pipe");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		err(2, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child(at, 40);
		call(SYS_write, ready[1], (long)"", 1, 0, 0, 0);
		for (;;)
			call(SYS_pause, 0, 0, 0, 0, 0, 0);
	}
	if (read(ready[0], &byte, 1) != 1)
		err(2, "child");
	return pid;
}

int main(int argc, char **argv)
{
	pid_t pid;
	char *at;

	if (argc != 3)
		errx(2, "usage: owned FILE SMAPS");
	memset(smaps, 1, sizeof(smaps));
	use_anon();
	use_lazy();
	use_file(argv[1]);
	use_shared();
	use_huge();
	use_swap();
	use_threads();
	at = map_anon(100);
	madvise(at, 100 * PAGE, MADV_DOFORK);
	inherited(at, 100);
	/* Of the parent, and what the child did not write. */
	printf("inherited anon 160\nchild anon 40\n");
	pid = use_child(at);
	leave(pid, argv[2]);
}
