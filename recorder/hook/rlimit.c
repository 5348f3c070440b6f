// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rlimit.c - getrlimit(), setrlimit() and prlimit().
 *
 * The kernel counts the region and its shadow in RLIMIT_AS and RLIMIT_DATA, where the program
 * means its own memory. So each finite limit in the kernel is larger than the program's limit,
 * by the addresses of the recorder. The kernel would allow the program what is free in the
 * region, so mmap() asks here first.
 *
 * A program without a recorder inherits the larger limit. Limits that another process sets are
 * not adjusted.
 */
#include "rlimit.h"

#include "image/image.h"
#include "range.h"
#include "region/region.h"
#include "region/shadow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static bool limited;	/* the program has set a finite limit, or started with one */

static bool is_adjusted(unsigned int resource)
{
	return rec_image_is_ready() && (resource == RLIMIT_AS || resource == RLIMIT_DATA);
}

static rlim_t addresses(void)
{
	return flt_rec_addresses(rec_region.count, FLT_PAGE);
}

static rlim_t of_kernel(rlim_t l)
{
	return l < RLIM_INFINITY - addresses() ? l + addresses() : RLIM_INFINITY;
}

static rlim_t of_program(rlim_t l)
{
	if (l == RLIM_INFINITY)
		return l;
	return l > addresses() ? l - addresses() : 0;
}

/* Return the program's soft limit. */
static rlim_t soft(unsigned int resource)
{
	struct rlimit l = { RLIM_INFINITY, RLIM_INFINITY };

	sys4(SYS_prlimit64, 0, resource, 0, &l);
	return of_program(l.rlim_cur);
}

static bool is_limited(void)
{
	static bool known;

	if (!known)
		limited |= soft(RLIMIT_AS) != RLIM_INFINITY || soft(RLIMIT_DATA) != RLIM_INFINITY;
	known = true;
	return limited;
}

/* Read two numbers of /proc/self/statm, in bytes: all addresses, and data with stacks. */
static bool read_sizes(uint64_t *all, uint64_t *data)
{
	char text[128], *p = text;
	long got, fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	got = sys3(SYS_read, fd, text, sizeof(text) - 1);
	sys1(SYS_close, fd);
	text[got > 0 ? got : 0] = 0;
	*all = strtoul(p, &p, 10) * FLT_PAGE;
	for (int i = 0; i < 5; i++)
		*data = strtoul(p, &p, 10) * FLT_PAGE;
	return *all;
}

/* Return true if `bytes` more exceed the limit, when the image has `mapped`, without the region. */
static bool exceeds(unsigned int resource, uint64_t mapped, size_t bytes)
{
	/*
	 * In the region, only pages with content count. The rest may be addresses that the heap
	 * keeps after free(), where libc's heap would have unmapped them.
	 */
	uint64_t used = (rec_region.resident + rec_shadow.pages) * FLT_PAGE;

	used += mapped > addresses() ? mapped - addresses() : 0;
	return used + bytes > soft(resource);
}

bool rec_rlimit_forbids(size_t bytes, bool data)
{
	uint64_t all, private;

	/* A filtered image must not make other system calls where the program calls mmap(). */
	if (rec_image.filtered || !is_limited() || !read_sizes(&all, &private))
		return false;
	return exceeds(RLIMIT_AS, all, bytes) || (data && exceeds(RLIMIT_DATA, private, bytes));
}

long rec_rlimit_call(long n, pid_t pid, unsigned int resource, const struct rlimit *new,
		     struct rlimit *old)
{
	bool adjusted = is_adjusted(resource) && (!pid || pid == rec_image.pid);
	struct rlimit larger;
	long ret;

	if (adjusted && new) {
		larger.rlim_cur = of_kernel(new->rlim_cur);
		larger.rlim_max = of_kernel(new->rlim_max);
		limited |= new->rlim_cur != RLIM_INFINITY;
		new = &larger;
	}
	if (n == SYS_prlimit64)
		ret = sys4(n, pid, resource, new, old);
	else
		ret = sys2(n, resource, new ? (void *)new : old);
	if (adjusted && old && !ret) {
		old->rlim_cur = of_program(old->rlim_cur);
		old->rlim_max = of_program(old->rlim_max);
	}
	return rec_range_result(ret);
}

REC_EXPORT int getrlimit(__rlimit_resource_t resource, struct rlimit *l)
{
	return (int)rec_rlimit_call(SYS_prlimit64, 0, resource, NULL, l);
}

REC_EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *l)
{
	return (int)rec_rlimit_call(SYS_prlimit64, 0, resource, l, NULL);
}

REC_EXPORT int prlimit(pid_t pid, __rlimit_resource_t resource, const struct rlimit *new,
		       struct rlimit *old)
{
	return (int)rec_rlimit_call(SYS_prlimit64, pid, resource, new, old);
}

REC_EXPORT int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *l)
	__attribute__((alias("getrlimit")));
REC_EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *l)
	__attribute__((alias("setrlimit")));
REC_EXPORT int prlimit64(pid_t pid, __rlimit_resource_t resource, const struct rlimit64 *new,
			 struct rlimit64 *old) __attribute__((alias("prlimit")));
