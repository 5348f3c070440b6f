// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * moves.c - flt_move() returns a correct result, whatever the kernel returns.
 *
 * Linux 6.18 returns -EEXIST for some pages that it has moved: see lib/core/move.c. That is
 * rare, although a thread of this test clears the pages' accessed bits all the time. So every
 * third call of this test reports pages as present that were moved. Another thread counts in
 * the pages and sleeps in its faults on missing ones. /proc/self/pagemap tells where the pages are.
 *
 * The result does not depend on when the kernel runs which thread. The file in fdinfo counts
 * the faults on the userfaultfd that nobody woke, and the test waits for this number to change.
 */
#include "lib/core/region.h"
#include "lib/core/sys.h"
#include "lib/core/uffd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Do as the kernel: report only some of the pages that moved, and the next one as present. */
static int underreported_move(int fd, uintptr_t dst, uintptr_t src, size_t len, uint64_t mode,
			     size_t *moved)
{
	static unsigned int calls, told;
	size_t pages, say;
	int ret;

	/* The kernel wakes no waiters of pages that it does not report. */
	ret = uffd_move(fd, dst, src, len, calls % 3 ? mode : mode | UFFDIO_MOVE_MODE_DONTWAKE, moved);
	if (calls++ % 3 || !*moved)
		return ret;
	pages = *moved / FLT_PAGE;
	say = told++ % (pages + 1);
	if (say && !(mode & UFFDIO_MOVE_MODE_DONTWAKE))
		uffd_wake(fd, dst, say * FLT_PAGE);
	*moved = say * FLT_PAGE;
	return say == pages ? ret : say ? -EAGAIN : -EEXIST;
}
#define uffd_move underreported_move
#include "lib/core/move.c"

#define PAGES 16
#define TURNS 8000

static struct flt_region both;
static char *region, *shadow;
static uint64_t counted[PAGES];
static int counting_tid, fdinfo, pagemap;
static bool over;

static void *age(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		madvise(region, PAGES * FLT_PAGE, MADV_COLD);
		madvise(region, PAGES * FLT_PAGE, MADV_PAGEOUT);
	}
	return unused;
}

static void *count(void *unused)
{
	__atomic_store_n(&counting_tid, (int)sys0(SYS_gettid), __ATOMIC_RELEASE);
	for (uint32_t r = 1; !__atomic_load_n(&over, __ATOMIC_RELAXED);) {
		unsigned int page = (r >> 16) % PAGES;

		r = r * 1103515245 + 12345;
		++*(volatile uint64_t *)(region + page * FLT_PAGE);
		counted[page]++;
	}
	return unused;
}

static char *map(void)
{
	/* With a gap, because the kernel would merge adjacent mappings. */
	char *m = mmap(NULL, (PAGES + 2) * FLT_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(m + FLT_PAGE, PAGES * FLT_PAGE, PROT_READ | PROT_WRITE);
	madvise(m + FLT_PAGE, PAGES * FLT_PAGE, MADV_NOHUGEPAGE);
	return m + FLT_PAGE;
}

/* Return the number of pages that are present, or in swap, if the machine has swap. */
static unsigned int present(char *place)
{
	uint64_t entry[PAGES];
	unsigned int n = 0;

	if (pread(pagemap, entry, sizeof(entry), (off_t)((uintptr_t)place / FLT_PAGE * 8)) !=
	    sizeof(entry))
		perror("pagemap");
	for (int i = 0; i < PAGES; i++)
		n += entry[i] >> 62 != 0;	/* see pagemap.rst */
	return n;
}

/* Move all pages. The counting thread may have a page pinned for a moment. */
static int move(char *to, char *from)
{
	size_t done = 0, moved;
	int ret = 0;

	for (int tries = 0; done < PAGES && tries < 1000; tries++) {
		ret = flt_move(&both, (uintptr_t)to + done * FLT_PAGE, (uintptr_t)from + done * FLT_PAGE,
			       PAGES - done, 0, &moved);
		done += moved;
		if (ret && ret != -EAGAIN && ret != -EBUSY)
			break;
	}
	if (!ret && done == PAGES && present(to) == PAGES && !present(from))
		return 0;
	printf("%d after %zu of %d pages: %u there, %u not\n", ret, done, PAGES, present(to),
	       present(from));
	return 1;
}

/* A page that is really present must stay, and so must the page that would replace it. */
static int in_both_places(void)
{
	size_t moved = 9;
	int ret;

	uffd_zero(both.uffd, (uintptr_t)shadow + 5 * FLT_PAGE, FLT_PAGE, 0);
	*(uint64_t *)(region + 5 * FLT_PAGE) = 7;
	ret = flt_move(&both, (uintptr_t)shadow, (uintptr_t)region, PAGES, 0, &moved);
	if (ret != -EEXIST || moved != 5 || *(uint64_t *)(region + 5 * FLT_PAGE) != 7) {
		printf("in both places: %d, %zu moved\n", ret, moved);
		return 1;
	}
	madvise(shadow + 5 * FLT_PAGE, FLT_PAGE, MADV_DONTNEED);
	*(uint64_t *)(region + 5 * FLT_PAGE) = 0;
	return flt_move(&both, (uintptr_t)region, (uintptr_t)shadow, moved, 0, &moved);
}

/* Return true if the counting thread waits in a fault, or is about to, and was not woken. */
static bool is_waiting(void)
{
	char text[256] = "", *total;
	unsigned int n = 0;

	if (pread(fdinfo, text, sizeof(text) - 1, 0) <= 0 || !(total = strstr(text, "total:")) ||
	    sscanf(total, "total: %u", &n) != 1)
		perror("fdinfo of a userfaultfd");
	return n;
}

/* Return true if the counting thread sleeps. A thread that waits for a CPU does not sleep. */
static bool is_blocked(void)
{
	char path[64], text[16] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall",
		 __atomic_load_n(&counting_tid, __ATOMIC_ACQUIRE));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		perror(path);
	return n > 0 && strncmp(text, "running", 7);
}

/*
 * Return true if the counting thread was not woken, although all pages are there. A thread that
 * was only about to sleep finds its page, does not sleep and leaves the fault.
 */
static bool is_asleep(void)
{
	while (is_waiting()) {
		if (!is_blocked() || !is_waiting()) {
			sched_yield();
			continue;
		}
		printf("the counting thread was not woken\n");
		return true;
	}
	return false;
}

/*
 * Wait until the counting thread faults, because no page is there. Do not wait in every other
 * turn, so that the thread also faults while pages move.
 */
static void wait_for_fault(int turn)
{
	struct pollfd fault = { .fd = both.uffd, .events = POLLIN };

	if (turn % 2)
		return;
	while (poll(&fault, 1, -1) != 1)
		;
}

int main(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_MOVE };
	char path[64];
	int wrong = 0;
	pthread_t a, c;

	both.uffd = (int)sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (both.uffd < 0)
		both.uffd = (int)sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (both.uffd < 0 || sys3(SYS_ioctl, both.uffd, UFFDIO_API, &api)) {
		printf("skipped: this kernel lacks UFFDIO_MOVE\n");
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", both.uffd);
	fdinfo = open(path, O_RDONLY | O_CLOEXEC);
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	both.memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	region = map();
	shadow = map();
	memset(region, 0, PAGES * FLT_PAGE);
	uffd_register(both.uffd, (uintptr_t)region, PAGES * FLT_PAGE, UFFDIO_REGISTER_MODE_MISSING);
	uffd_register(both.uffd, (uintptr_t)shadow, PAGES * FLT_PAGE, UFFDIO_REGISTER_MODE_MISSING);
	wrong = in_both_places();
	pthread_create(&a, NULL, age, NULL);
	pthread_create(&c, NULL, count, NULL);
	for (int turn = 0; turn < TURNS && !wrong; turn++) {
		wrong = move(shadow, region);
		if (!wrong)
			wait_for_fault(turn);
		wrong = wrong || move(region, shadow) || is_asleep();
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	/* Fill pages that were not moved, so that the thread ends. */
	for (size_t i = 0; i < PAGES; i++) {
		uffd_zero(both.uffd, (uintptr_t)region + i * FLT_PAGE, FLT_PAGE, 0);
		uffd_wake(both.uffd, (uintptr_t)region + i * FLT_PAGE, FLT_PAGE);
	}
	pthread_join(a, NULL);
	pthread_join(c, NULL);
	for (int i = 0; i < PAGES; i++)
		if (*(uint64_t *)(region + i * FLT_PAGE) != counted[i]) {
			printf("page %d lost\n", i);
			wrong = 1;
		}
	printf("%d times there and back%s\n", TURNS, wrong ? ": failed" : "");
	return wrong;
}
