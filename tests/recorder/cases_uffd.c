// SPDX-License-Identifier: GPL-2.0-or-later
/* cases_uffd.c - a program that uses userfaultfd for its own memory. */
#include "cases.h"
#include "lib/core/uffd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES 64

static void *touch_all(void *p)
{
	unsigned long sum = 0;

	for (int i = 0; i < PAGES; i++)
		sum += ((volatile unsigned char *)p)[i * PAGE];
	return (void *)sum;
}

/* Register memory of which some pages were evicted. Serve the faults of another thread. */
static void serve(int how)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register r = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	static char content[PAGE_MAX] __attribute__((aligned(PAGE_MAX)));
	struct uffd_msg m;
	pthread_t t;
	void *sum;
	char *p;
	int ret;

	p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, 5, BIG);
	madvise(p, PAGES * PAGE, MADV_DONTNEED);
	r.range.start = (unsigned long)p;
	r.range.len = BIG / 2;
	ret = ioctl(fd, UFFDIO_API, &api);
	ret |= how ? (int)syscall(SYS_ioctl, fd, UFFDIO_REGISTER, &r) : ioctl(fd, UFFDIO_REGISTER, &r);
	printf("registered %d %s\n", ret, ret ? strerror(errno) : "");
	if (ret)
		return;
	memset(content, 3, PAGE);
	pthread_create(&t, NULL, touch_all, p);
	/* A signal ends the wait for a page, and the thread faults again: two messages of a page. */
	for (int i = 0; i < PAGES && read(fd, &m, sizeof(m)) == sizeof(m);) {
		struct uffdio_copy c = { .dst = m.arg.pagefault.address & ~(PAGE - 1UL),
					 .src = (unsigned long)content, .len = PAGE };

		if (!ioctl(fd, UFFDIO_COPY, &c))
			i++;
		else if (errno != EEXIST)
			ret = -1;
	}
	pthread_join(t, &sum);
	printf("served %d sum %lu rest %d %d\n", ret, (unsigned long)sum, p[PAGES * PAGE], p[BIG - 1]);
	close(fd);
	munmap(p, BIG);
}

void case_userfaultfd(void)
{
	serve(0);
	serve(1);
	printf("bad register %d", ioctl(0, UFFDIO_REGISTER, NULL));
	printf(" %s\n", strerror(errno));
}
