// SPDX-License-Identifier: GPL-2.0-or-later
#include "page.h"
#include "uffd.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFDIO_REGISTER_MODE_MINOR
#define UFFDIO_REGISTER_MODE_MINOR (1ull << 2)
#define UFFDIO_CONTINUE _IOWR(UFFDIO, 7, struct uffdio_continue)
struct uffdio_continue {
	struct uffdio_range range;
	unsigned long long mode;
	long long mapped;
};
#endif

static unsigned long long mode_of(int mode)
{
	switch (mode) {
	case UFFD_WP:
		return UFFDIO_REGISTER_MODE_WP;
	case UFFD_MINOR:
		return UFFDIO_REGISTER_MODE_MINOR;
	default:
		return UFFDIO_REGISTER_MODE_MISSING;
	}
}

int uffd_open(void *base, size_t len, int mode)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (unsigned long)base, len },
		.mode = mode_of(mode),
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		err(1, "userfaultfd");
	if (mode == UFFD_WP) {
		struct uffdio_writeprotect wp = {
			.range = { (unsigned long)base, len },
			.mode = UFFDIO_WRITEPROTECT_MODE_WP,
		};

		if (ioctl(fd, UFFDIO_WRITEPROTECT, &wp))
			err(1, "UFFDIO_WRITEPROTECT");
	}
	return fd;
}

unsigned long uffd_next(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct uffd_msg m;

	for (;;) {
		int n = poll(&p, 1, timeout_ms);

		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return 0;
		if (n > 0 && read(fd, &m, sizeof(m)) == sizeof(m) &&
		    m.event == UFFD_EVENT_PAGEFAULT)
			return m.arg.pagefault.address & ~(PAGE - 1);
	}
}

void uffd_copy(int fd, unsigned long addr)
{
	static const char page[PAGE_MAX] __attribute__((aligned(PAGE_MAX))) = { 1 };
	struct uffdio_copy c = { .dst = addr, .src = (unsigned long)page, .len = PAGE };

	while (ioctl(fd, UFFDIO_COPY, &c)) {
		if (errno == EEXIST) {
			uffd_wake(fd, addr);
			return;
		}
		if (errno != EAGAIN)
			err(1, "UFFDIO_COPY");
	}
}

void uffd_continue(int fd, unsigned long addr)
{
	struct uffdio_continue c = { .range = { addr, PAGE } };

	while (ioctl(fd, UFFDIO_CONTINUE, &c)) {
		if (errno == EEXIST) {
			uffd_wake(fd, addr);
			return;
		}
		if (errno != EAGAIN)
			err(1, "UFFDIO_CONTINUE");
	}
}

void uffd_wake(int fd, unsigned long addr)
{
	struct uffdio_range r = { addr, PAGE };

	if (ioctl(fd, UFFDIO_WAKE, &r))
		err(1, "UFFDIO_WAKE");
}

void uffd_unprotect(int fd, unsigned long addr)
{
	struct uffdio_writeprotect wp = { .range = { addr, PAGE } };

	if (ioctl(fd, UFFDIO_WRITEPROTECT, &wp))
		err(1, "UFFDIO_WRITEPROTECT");
}
