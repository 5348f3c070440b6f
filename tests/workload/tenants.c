// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tenants MODE SMAPS [FILE] - bring pages in, each from a function with its name, and exit.
 *
 * Prints, and writes to SMAPS, what owned does. Modes:
 *   folios    Pages of large folios of anonymous memory, of which one page is touched. Without such
 *             folios the functions have fewer pages.
 *   shared    A shared mapping of FILE, which is created, a private one, shared anonymous memory,
 *             and System V memory, each of a parent and its child. With swap, swaps has swapped
 *             pages.
 *   faultfd   Minor and write-protect faults of userfaultfd, and pages that userfaultfd fills
 *             without a fault (stale).
 *   exec      The program executes itself, and has pages at the addresses of the old ones.
 *   replaced  New memory at the addresses of old memory: a file in the place of anonymous memory, and
 *             anonymous memory in the place of a file and of anonymous memory.
 *   late      before brings pages in. After a byte on standard input, grows brings in more.
 *   collapse  Wait until khugepaged has made a huge page of the pages of gathers.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "owner.h"
#include "page.h"
#include "uffd.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define FOLIO_PAGES (FOLIO / PAGE)
#define FOLIOS 4
#define SHARED_PAGES 112
#define FILLED_PAGES 64
#define TEXT_PAGES 32
#define PLACE ((char *)0x200000000000)
#define PLACE_PAGES 40ul

static int uffd;
static const char *smaps_path, *file_path;

OWNER folios(char *at) { write_to(at, 1); }
OWNER drops(char *at) { write_to(at, 1); }
OWNER refills(char *at) { write_to(at, 1); }
OWNER splits(char *at) { write_to(at, 1); }
OWNER writes(char *at, unsigned long pages) { write_to(at, pages); }
OWNER fills(char *at, unsigned long pages) { write_to(at, pages); }
OWNER sees(char *at, unsigned long pages) { read_from(at, pages); }
OWNER adds(char *at, unsigned long pages) { write_to(at, pages); }
OWNER finds(char *at, unsigned long pages) { read_from(at, pages); }
OWNER texts(char *at, unsigned long pages) { read_from(at, pages); }
OWNER rereads(char *at, unsigned long pages) { read_from(at, pages); }
OWNER sysv(char *at, unsigned long pages) { write_to(at, pages); }
OWNER swaps(char *at, unsigned long pages) { write_to(at, pages); }
OWNER minors(char *at, unsigned long pages) { read_from(at, pages); }
OWNER protects(char *at, unsigned long pages) { write_to(at, pages); }
OWNER unprotects(char *at, unsigned long pages) { write_to(at, pages); }
OWNER stale(char *at, unsigned long pages) { write_to(at, pages); }
OWNER before(char *at, unsigned long pages) { write_to(at, pages); }
OWNER after(char *at, unsigned long pages) { write_to(at, pages); }
OWNER grows(char *at, unsigned long pages) { write_to(at, pages); }
OWNER gathers(char *at, unsigned long pages) { write_to(at, pages); }

OWNER populates(char *at, unsigned long pages)
{
	call(SYS_mmap, (long)at, (long)(pages * PAGE), PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0);
}

/* Map memory for large folios, but not for a huge page. */
static char *map_folios(void)
{
	char *at = map_anon(2 * FOLIOS * FOLIO_PAGES);

	at = (char *)(((unsigned long)at + FOLIO - 1) & ~(FOLIO - 1));
	madvise(at, FOLIOS * FOLIO, MADV_HUGEPAGE);
	return at;
}

static void use_folios(void)
{
	char *at = map_folios();
	int i;

	for (i = 0; i < FOLIOS; i++)
		folios(at + i * FOLIO + 5 * PAGE);
	printf("folios anon %lu\n", resident(at, FOLIOS * FOLIO_PAGES));
	at = map_folios();
	for (i = 0; i < FOLIOS; i++)
		drops(at + i * FOLIO + 5 * PAGE);
	madvise(at, FOLIOS * FOLIO, MADV_DONTNEED);
	refills(at + 9 * PAGE);
	printf("drops anon 0\nrefills anon %lu\n", resident(at, FOLIOS * FOLIO_PAGES));
	/* One folio in two mappings. */
	at = map_folios();
	splits(at + 3 * PAGE);
	mprotect(at + FOLIO / 2, FOLIO / 2, PROT_READ);
	printf("splits anon %lu\n", resident(at, FOLIOS * FOLIO_PAGES));
}

static void tell(int fd)
{
	call(SYS_write, fd, (long)"", 1, 0, 0, 0);
}

static void await(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		err(2, "read");
}

/* Create the file with 2 * TEXT_PAGES pages. */
static int make_file(void)
{
	int fd = open(file_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	static char block[64 * PAGE_MAX];

	memset(block, 1, sizeof(block));
	if (fd < 0 || write(fd, block, 2 * TEXT_PAGES * PAGE) != (ssize_t)(2 * TEXT_PAGES * PAGE))
		err(2, "%s", file_path);
	return fd;
}

static void use_file(char **text)
{
	const int fd = make_file();

	writes(map(TEXT_PAGES, MAP_SHARED, fd), TEXT_PAGES);
	*text = map(TEXT_PAGES, MAP_PRIVATE, fd);
	madvise(*text, TEXT_PAGES * PAGE, MADV_DOFORK);
	texts(*text, TEXT_PAGES);
	printf("writes file %d\ntexts file %d\nrereads file %d\n", TEXT_PAGES, TEXT_PAGES,
	       TEXT_PAGES);
	close(fd);
}

static void use_sysv(void)
{
	int id = shmget(IPC_PRIVATE, 30 * PAGE, 0600);
	char *at = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	if (at == (void *)-1)
		err(2, "shmat");
	shmctl(id, IPC_RMID, NULL);
	madvise(at, 30 * PAGE, MADV_DONTFORK);
	sysv(at, 30);
	printf("sysv shmem 30\n");
}

/* Return whether there is swap: /proc/swaps has more lines than its heading. */
static int has_swap(void)
{
	char line[512];
	FILE *file = fopen("/proc/swaps", "r");
	int n = 0;

	while (file && fgets(line, sizeof(line), file))
		n++;
	if (file)
		fclose(file);
	return n > 1;
}

static void use_swap(void)
{
	char *at = map(40, MAP_SHARED | MAP_ANONYMOUS, -1);
	cpu_set_t cpus = stay();
	unsigned long left;

	swaps(at, 40);
	madvise(at, 30 * PAGE, MADV_PAGEOUT);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	left = resident(at, 40);
	if (left != 10)
		errx(2, "%lu of 40 pages are in memory", left);
	printf("swaps swap 30\nswaps shmem 10\n");
}

static void use_shared(void)
{
	char *at, *text;
	int ready[2];
	pid_t pid;

	use_file(&text);
	use_sysv();
	if (has_swap())
		use_swap();
	/* A fault-around window is of the parent or of the child. */
	at = map(SHARED_PAGES + AROUND, MAP_SHARED | MAP_ANONYMOUS, -1);
	madvise(at, (SHARED_PAGES + AROUND) * PAGE, MADV_DOFORK);
	at += -(unsigned long)at % (AROUND * PAGE);
	fills(at, FILLED_PAGES);
	printf("fills shmem 64\nfinds shmem 64\nadds shmem 48\nsees shmem 48\n");
	fflush(stdout);
	if (pipe(ready))
		err(2, "pipe");
	pid = fork();
	if (pid < 0)
		err(2, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		finds(at, FILLED_PAGES);
		adds(at + FILLED_PAGES * PAGE, SHARED_PAGES - FILLED_PAGES);
		rereads(text, TEXT_PAGES);
		tell(ready[1]);
		for (;;)
			call(SYS_pause, 0, 0, 0, 0, 0, 0);
	}
	await(ready[0]);
	sees(at + FILLED_PAGES * PAGE, SHARED_PAGES - FILLED_PAGES);
	leave(pid, smaps_path);
}

static void *serve_minor(void *arg)
{
	unsigned long at;

	end_silently();
	while ((at = uffd_next(uffd, -1)))
		uffd_continue(uffd, at);
	return arg;
}

static void *serve_wp(void *arg)
{
	unsigned long at;
	int fd = *(int *)arg;

	end_silently();
	while ((at = uffd_next(fd, -1)))
		uffd_unprotect(fd, at);
	return arg;
}

static void use_faultfd(void)
{
	static char bytes[30 * PAGE_MAX];
	static int protector;
	int fd = memfd_create("tenants", 0), filler, i;
	char *at;

	if (fd < 0 || write(fd, bytes, 30 * PAGE) != (ssize_t)(30 * PAGE))
		err(2, "memfd");
	at = map(30, MAP_SHARED, fd);
	uffd = uffd_open(at, 30 * PAGE, UFFD_MINOR);
	start(serve_minor, NULL);
	minors(at, 30);
	at = map_anon(20);
	protects(at, 20);
	protector = uffd_open(at, 20 * PAGE, UFFD_WP);
	start(serve_wp, &protector);
	unprotects(at, 20);
	at = map_anon(20);
	stale(at, 20);
	madvise(at, 20 * PAGE, MADV_DONTNEED);
	filler = uffd_open(at, 20 * PAGE, UFFD_MISSING);
	for (i = 0; i < 20; i++)
		uffd_copy(filler, (unsigned long)at + i * PAGE);
	printf("minors shmem 30\nprotects anon 20\nunprotects anon 0\nstale anon 20\n");
}

static char *map_place(int number, int flags, int fd)
{
	char *at = mmap(PLACE + number * 16 * HUGE_PAGE, PLACE_PAGES * PAGE,
			PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);

	if (at == MAP_FAILED)
		err(2, "mmap");
	return at;
}

static char *map_anon_place(int number)
{
	return map_place(number, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void use_replaced(void)
{
	const int fd = make_file();
	char *at = map_anon_place(0);

	before(at, PLACE_PAGES);
	munmap(at, PLACE_PAGES * PAGE);
	rereads(map_place(0, MAP_PRIVATE, fd), TEXT_PAGES);
	at = map_place(1, MAP_PRIVATE, fd);
	texts(at, TEXT_PAGES);
	populates(at, PLACE_PAGES);
	at = map_anon_place(2);
	stale(at, 20);
	munmap(at, PLACE_PAGES * PAGE);
	populates(at, 20);
	printf("before anon 0\nbefore file 0\nrereads file %d\ntexts file 0\ntexts anon 0\n"
	       "stale anon 0\npopulates anon %lu\n", TEXT_PAGES, PLACE_PAGES + 20);
}

static void use_exec(void)
{
	before(map_anon_place(0), PLACE_PAGES);
	execl("/proc/self/exe", "tenants", "executed", smaps_path, NULL);
	err(2, "exec");
}

static void use_executed(void)
{
	after(map_anon_place(0), 20);
	populates(PLACE + 20 * PAGE, 20);
	printf("before anon 0\nafter anon 20\npopulates anon 20\n");
}

static void use_late(void)
{
	before(map_anon(300), 300);
	printf("before anon 0\ngrows anon 200\nready\n");
	fflush(stdout);
	await(0);
	grows(map_anon(200), 200);
}

static void use_collapse(void)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	char *at = map_huge(1, MADV_NOHUGEPAGE);
	int i;

	gathers(at, HUGE_PAGE / PAGE - 100);
	madvise(at, HUGE_PAGE, MADV_HUGEPAGE);
	for (i = 0; i < 6000 && resident(at, HUGE_PAGE / PAGE) != HUGE_PAGE / PAGE; i++)
		nanosleep(&moment, NULL);
	if (i == 6000)
		errx(2, "khugepaged made no huge page");
	printf("gathers anon %d\n[collapse] anon 100\n", (int)(HUGE_PAGE / PAGE) - 100);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*use)(void);
	} modes[] = {
		{ "folios", use_folios }, { "shared", use_shared }, { "faultfd", use_faultfd },
		{ "exec", use_exec }, { "executed", use_executed }, { "replaced", use_replaced },
		{ "late", use_late }, { "collapse", use_collapse },
	};
	size_t i;

	if (argc < 3)
		errx(2, "usage: tenants MODE SMAPS [FILE]");
	smaps_path = argv[2];
	file_path = argc > 3 ? argv[3] : "tenants.file";
	memset(smaps, 1, sizeof(smaps));
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (strcmp(modes[i].name, argv[1]))
			continue;
		modes[i].use();
		leave(0, smaps_path);
	}
	errx(2, "invalid mode '%s'", argv[1]);
}
