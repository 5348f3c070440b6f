// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * close.c - a program that closes all descriptors must not close those of the recorder.
 *
 * To the program the recorder's descriptors are not open: close() and fcntl() fail with EBADF, and
 * closing a range skips them. If the program makes a descriptor that has the number of one, the
 * recorder gives its own descriptor another number first.
 */
#include "image/descriptor.h"
#include "image/image.h"
#include "pager/touch_ring.h"
#include "range.h"
#include "recent.h"
#include "region/extent.h"
#include "region/region.h"
#include "thread/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdarg.h>
#include <unistd.h>

#define OWN    5
#define SHARED 3	/* the first ones of these are also in the table of the server */

/* List where the numbers of the recorder's descriptors are; NULL = none. */
static void list_own(int *own[OWN])
{
	own[0] = &rec_region.uffd;
	own[1] = &rec_region.memory;
	own[2] = &rec_threads.filter;
	rec_touch_ring_descriptors(own + 3);
	for (int i = 0; i < OWN; i++)
		if (!rec_image_is_ready() || (own[i] && *own[i] < 0))
			own[i] = NULL;
}

/* Return the index in list_own(), or -1. */
static int own_index(int fd)
{
	int *own[OWN];

	list_own(own);
	for (int i = 0; i < OWN; i++)
		if (own[i] && fd == *own[i])
			return i;
	return -1;
}

static bool is_own(int fd)
{
	return own_index(fd) >= 0;
}

typedef int fcntl_fn(int, int, ...);
static fcntl_fn *next_fcntl;

/* fcntl() may be called in a signal handler, so look libc's function up before. */
__attribute__((constructor(102))) static void find_next(void)
{
	next_fcntl = (fcntl_fn *)dlsym(RTLD_NEXT, "fcntl64");
}

/* For large files, both have the same arguments in a 64-bit program. */
REC_EXPORT int fcntl64(int fd, int command, ...)
{
	va_list ap;
	void *arg;

	/* Not used if the command has no argument. */
	va_start(ap, command);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (is_own(fd))
		return (int)rec_range_result(-EBADF);
	if (!next_fcntl)
		return (int)rec_range_result(sys3(SYS_fcntl, fd, command, arg));
	return next_fcntl(fd, command, arg);
}

REC_EXPORT int fcntl(int fd, int command, ...) __attribute__((alias("fcntl64")));

REC_EXPORT int close(int fd)
{
	return (int)rec_range_result(is_own(fd) ? -EBADF : sys1(SYS_close, fd));
}

/* Return true if the calling thread, which may be the child of a vfork, has the table of all. */
static bool has_common_table(void)
{
	long tid = sys0(SYS_gettid), ret;

	if (tid == rec_image.pid)
		return true;
	ret = sys5(SYS_kcmp, tid, rec_image.pid, KCMP_FILES, 0, 0);
	return !ret || (sys_failed(ret) && sys0(SYS_getpid) == rec_image.pid);
}

/* Give the recorder's descriptor of this number another one. Caller holds the map lock. */
static long move_own(int fd)
{
	int *own[OWN], i = own_index(fd);
	long ret;

	if (i < 0)
		return 0;
	list_own(own);
	ret = rec_descriptor_renumber(own[i], i < SHARED);
	/* After that no thread uses the old number any more. */
	rec_lock_take(&rec_pager_lock, rec_tid());
	rec_lock_release(&rec_pager_lock);
	return ret;
}

/* Duplicate a descriptor over one of the recorder. */
static long replace(int old, int new, int flags)
{
	uint64_t signals;
	long ret;

	if (rec_image.filtered || !has_common_table())
		return -EBADF;
	signals = rec_block_signals();
	rec_lock_take(&rec_map_lock, rec_tid());
	ret = move_own(new);
	if (!ret) {
		ret = sys3(SYS_dup3, old, new, flags);
		if (sys_failed(ret))
			sys1(SYS_close, new);
	}
	rec_lock_release(&rec_map_lock);
	rec_restore_signals(signals);
	return ret;
}

REC_EXPORT int dup2(int old, int new)
{
	if (is_own(old))
		return (int)rec_range_result(-EBADF);
	if (is_own(new))
		return (int)rec_range_result(replace(old, new, 0));
#ifdef SYS_dup2
	return (int)rec_range_result(sys2(SYS_dup2, old, new));
#else
	/* dup3() refuses to copy a descriptor to itself. */
	if (old == new && !sys_failed(sys2(SYS_fcntl, old, F_GETFD)))
		return new;
	if (old == new)
		return (int)rec_range_result(-EBADF);
	return (int)rec_range_result(sys3(SYS_dup3, old, new, 0));
#endif
}

REC_EXPORT int dup3(int old, int new, int flags)
{
	if (is_own(old))
		return (int)rec_range_result(-EBADF);
	if (is_own(new))
		return (int)rec_range_result(replace(old, new, flags));
	return (int)rec_range_result(sys3(SYS_dup3, old, new, flags));
}

REC_EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	uint64_t from = first, gap;
	int *own[OWN];
	long ret = 0;

	if (!rec_image_is_ready() || first > last)
		return (int)rec_range_result(sys3(SYS_close_range, first, last, flags));
	list_own(own);
	while (!ret && from <= last) {
		/* Close up to the recorder's next descriptor and go on after it. */
		gap = (uint64_t)last + 1;
		for (int i = 0; i < OWN; i++)
			if (own[i] && (uint64_t)*own[i] >= from && (uint64_t)*own[i] < gap)
				gap = (uint64_t)*own[i];
		if (gap > from)
			ret = sys3(SYS_close_range, from, gap - 1, flags);
		from = gap + 1;
	}
	return (int)rec_range_result(ret);
}

REC_EXPORT void closefrom(int first)
{
	close_range(first < 0 ? 0 : (unsigned int)first, ~0u, 0);
}
