// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * moves.c - what rec_move() says of pages is true, whatever the kernel says of them.
 *
 * Linux 6.18 says of some that it has moved that they were there before (see move.c). That
 * is rare, though one thread here takes the pages' accessed bits and locks away all the while; so
 * every third time it is also said of pages that have gone properly. Another thread counts
 * in them and sleeps where they are missing; mincore(2) tells where they are.
 */
#include "../../recorder/rec.h"
#include "../../recorder/uffd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* As the kernel: some of the pages it has moved, and of the next that it is in the way. */
static int slandered_move(int fd, uintptr_t dst, uintptr_t src, size_t len, uint64_t mode, size_t *moved)
{
	static unsigned int calls, told;
	size_t pages, say;
	int ret;

	/* the kernel wakes nobody for what it does not own up to */
	ret = uffd_move(fd, dst, src, len, calls % 3 ? mode : mode | UFFDIO_MOVE_MODE_DONTWAKE, moved);
	if (calls++ % 3 || !*moved)
		return ret;
	pages = *moved / REC_PAGE;
	say = told++ % (pages + 1);
	if (say && !(mode & UFFDIO_MOVE_MODE_DONTWAKE))
		uffd_wake(fd, dst, say * REC_PAGE);
	*moved = say * REC_PAGE;
	return say == pages ? ret : say ? -EAGAIN : -EEXIST;
}
#define uffd_move slandered_move
#include "../../recorder/pager/move.c"

#define PAGES 16
#define TURNS 8000

struct rec rec;
static char *region, *shadow;
static uint64_t counted[PAGES], counts;
static bool over;

void rec_pager_wake(uintptr_t page)
{
	uffd_wake(rec.uffd, page, REC_PAGE);
}

static void *age(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		madvise(region, PAGES * REC_PAGE, MADV_COLD);
		madvise(region, PAGES * REC_PAGE, MADV_PAGEOUT);
	}
	return unused;
}

static void *count(void *unused)
{
	for (uint32_t r = 1; !__atomic_load_n(&over, __ATOMIC_RELAXED);) {
		unsigned int page = (r >> 16) % PAGES;

		r = r * 1103515245 + 12345;
		++*(volatile uint64_t *)(region + page * REC_PAGE);
		counted[page]++;
		__atomic_store_n(&counts, counts + 1, __ATOMIC_RELEASE);
	}
	return unused;
}

static char *map(void)
{
	/* never side by side with another: the kernel would make them one mapping */
	char *m = mmap(NULL, (PAGES + 2) * REC_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(m + REC_PAGE, PAGES * REC_PAGE, PROT_READ | PROT_WRITE);
	madvise(m + REC_PAGE, PAGES * REC_PAGE, MADV_NOHUGEPAGE);
	return m + REC_PAGE;
}

/* How many of its pages are there. */
static unsigned int present(char *place)
{
	unsigned char in[PAGES];
	unsigned int n = 0;

	if (mincore(place, PAGES * REC_PAGE, in))
		perror("mincore");
	for (int i = 0; i < PAGES; i++)
		n += in[i] & 1;
	return n;
}

/* All pages to the other place. The thread that counts may have one pinned for a moment. */
static int move(char *to, char *from)
{
	size_t done = 0, moved;
	int ret = 0;

	for (int tries = 0; done < PAGES && tries < 1000; tries++) {
		ret = rec_move((uintptr_t)to + done * REC_PAGE, (uintptr_t)from + done * REC_PAGE,
			       PAGES - done, 0, &moved);
		done += moved;
		if (ret && ret != -EAGAIN && ret != -EBUSY)
			break;
	}
	if (!ret && done == PAGES && present(to) == PAGES && !present(from))
		return 0;
	printf("%d after %zu of %d pages: %u there, %u not\n", ret, done, PAGES, present(to), present(from));
	return 1;
}

/* There in truth: it must stay, and so must what it would have been moved over. */
static int in_both_places(void)
{
	size_t moved = 9;
	int ret;

	uffd_zero(rec.uffd, (uintptr_t)shadow + 5 * REC_PAGE, REC_PAGE, 0);
	*(uint64_t *)(region + 5 * REC_PAGE) = 7;
	ret = rec_move((uintptr_t)shadow, (uintptr_t)region, PAGES, 0, &moved);
	if (ret != -EEXIST || moved != 5 || *(uint64_t *)(region + 5 * REC_PAGE) != 7) {
		printf("in both places: %d, %zu moved\n", ret, moved);
		return 1;
	}
	madvise(shadow + 5 * REC_PAGE, REC_PAGE, MADV_DONTNEED);
	*(uint64_t *)(region + 5 * REC_PAGE) = 0;
	return rec_move((uintptr_t)region, (uintptr_t)shadow, moved, 0, &moved);
}

/* All is in its place: nobody may sleep on. */
static int sleeps_on(void)
{
	uint64_t before = __atomic_load_n(&counts, __ATOMIC_ACQUIRE), until = sys_now() + 5000000000;

	while (__atomic_load_n(&counts, __ATOMIC_ACQUIRE) == before) {
		sched_yield();
		if (sys_now() < until)
			continue;
		printf("nobody has told the thread that counts\n");
		return 1;
	}
	return 0;
}

int main(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_MOVE };
	int wrong = 0;
	pthread_t a, c;

	rec.uffd = (int)sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (rec.uffd < 0)
		rec.uffd = (int)sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	if (rec.uffd < 0 || sys3(SYS_ioctl, rec.uffd, UFFDIO_API, &api)) {
		printf("no UFFDIO_MOVE here: nothing to see\n");
		return 0;
	}
	rec.memfd_self = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	region = map();
	shadow = map();
	memset(region, 0, PAGES * REC_PAGE);
	uffd_register(rec.uffd, (uintptr_t)region, PAGES * REC_PAGE, UFFDIO_REGISTER_MODE_MISSING);
	uffd_register(rec.uffd, (uintptr_t)shadow, PAGES * REC_PAGE, UFFDIO_REGISTER_MODE_MISSING);
	wrong = in_both_places();
	pthread_create(&a, NULL, age, NULL);
	pthread_create(&c, NULL, count, NULL);
	for (int turn = 0; turn < TURNS && !wrong; turn++)
		wrong = move(shadow, region) || move(region, shadow) || sleeps_on();
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	/* whatever was not moved, so that the thread ends */
	for (size_t i = 0; i < PAGES; i++) {
		uffd_zero(rec.uffd, (uintptr_t)region + i * REC_PAGE, REC_PAGE, 0);
		uffd_wake(rec.uffd, (uintptr_t)region + i * REC_PAGE, REC_PAGE);
	}
	pthread_join(a, NULL);
	pthread_join(c, NULL);
	for (int i = 0; i < PAGES; i++)
		if (*(uint64_t *)(region + i * REC_PAGE) != counted[i]) {
			printf("page %d lost\n", i);
			wrong = 1;
		}
	printf("%d times there and back%s\n", TURNS, wrong ? ": not so" : "");
	return wrong;
}
