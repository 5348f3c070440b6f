// SPDX-License-Identifier: GPL-2.0-or-later
#include "descriptor.h"

#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/resource.h>
#include <time.h>

/*
 * The recorder's descriptors are just below this number or the limit, out of the way of most
 * programs. A fork copies, and a server walks over, the table up to the highest descriptor.
 */
#define DESCRIPTORS 1024

/* Return the lowest number that the recorder takes. */
static long high(void)
{
	struct rlimit l = { 0 };

	sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &l);
	if (l.rlim_cur > DESCRIPTORS)
		l.rlim_cur = DESCRIPTORS;
	return l.rlim_cur < 16 ? 3 : (long)l.rlim_cur - 8;
}

int rec_descriptor_raise(int fd)
{
	long new;

	if (fd < 0)
		return fd;
	new = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, high());
	if (new < 0)
		return fd;
	sys1(SYS_close, fd);
	return (int)new;
}

/* What a thread asks the server for. */
static struct {
	uint32_t asked;		/* futex: the server has not answered yet */
	int *place, to, result;
} change;

static int ask_server(int *place, int to)
{
	struct timespec t = { .tv_nsec = 10000000 };

	change.place = place;
	change.to = to;
	__atomic_store_n(&change.asked, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&change.asked, __ATOMIC_ACQUIRE)) {
		rec_image_wake_server();
		sys4(SYS_futex, &change.asked, FUTEX_WAIT_PRIVATE, 1, &t);
	}
	return change.result;
}

static int take_number(int *place, int to)
{
	int from = *place, got = (int)sys3(SYS_fcntl, from, F_DUPFD_CLOEXEC, to);

	if (got == to) {
		__atomic_store_n(place, to, __ATOMIC_RELEASE);
		sys1(SYS_close, from);
		return 0;
	}
	if (got >= 0)
		sys1(SYS_close, got);
	return got < 0 ? got : -EBUSY;
}

void rec_descriptor_answer(void)
{
	if (!__atomic_load_n(&change.asked, __ATOMIC_ACQUIRE))
		return;
	change.result = take_number(change.place, change.to);
	__atomic_store_n(&change.asked, 0, __ATOMIC_RELEASE);
	sys3(SYS_futex, &change.asked, FUTEX_WAKE_PRIVATE, 1);
}

int rec_descriptor_renumber(int *place, bool in_server)
{
	int ret = -EMFILE, new;

	/* High numbers may be taken, or be above the limit of the server. */
	for (long from = high(); from >= 3; from /= 2) {
		new = (int)sys3(SYS_fcntl, *place, F_DUPFD_CLOEXEC, from);
		if (new < 0) {
			ret = new;
			continue;
		}
		/* The server stores the number, because it must never use one that it lacks. */
		ret = in_server ? ask_server(place, new) : 0;
		if (!ret) {
			__atomic_store_n(place, new, __ATOMIC_RELEASE);
			return 0;
		}
		sys1(SYS_close, new);
	}
	return ret;
}
