// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/shmem_swap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/syscall.h>

#include "index/array.h"
#include "source/proc/machine.h"

/* include/uapi/linux/mman.h since Linux 6.5. The number is the same on all machines. */
#define NR_CACHESTAT 451

struct cachestat_range {
	uint64_t off, len;
};

struct cachestat {
	uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

struct search {
	struct flt_shmem_swap *swap;
	const struct flt_present_area *area;
	uint64_t page_size;
	int fd;
};

static int add(const struct search *s, uint64_t offset, uint64_t length)
{
	struct flt_shmem_swap *l = s->swap;
	const uint64_t page = (s->area->start + (offset - s->area->offset)) / s->page_size;
	int ret;

	l->pages += length / s->page_size;
	if (l->count && l->all[l->count - 1].end == page) {
		l->all[l->count - 1].end += length / s->page_size;
		return 0;
	}
	ret = flt_array_grow((void **)&l->all, l->count, &l->room, sizeof(*l->all));
	if (!ret)
		l->all[l->count++] = (struct flt_shmem_range){ page, page + length / s->page_size };
	return ret;
}

/* Halve the range until all or none of its pages are swapped. */
static int split(const struct search *s, uint64_t offset, uint64_t length)
{
	struct cachestat_range range = { offset, length };
	const uint64_t half = length / s->page_size / 2 * s->page_size;
	struct cachestat stat;
	int ret;

	if (syscall(NR_CACHESTAT, s->fd, &range, &stat, 0))
		return errno == ENOSYS ? -EOPNOTSUPP : -errno;
	if (!stat.evicted)
		return 0;
	if (!half || stat.evicted >= length / s->page_size)
		return add(s, offset, length);
	ret = split(s, offset, half);
	return ret ? ret : split(s, offset + half, length - half);
}

/* Holes of the file may have terabytes. */
static int each_data(const struct search *s)
{
	const uint64_t end = s->area->offset + (s->area->end - s->area->start);
	uint64_t at = s->area->offset, hole;
	off_t found;
	int ret = 0;

	while (!ret && at < end) {
		found = lseek(s->fd, (off_t)at, SEEK_DATA);
		if (found < 0)
			return errno == ENXIO ? 0 : -errno;
		at = (uint64_t)found / s->page_size * s->page_size;
		found = lseek(s->fd, found, SEEK_HOLE);
		if (found < 0)
			return errno == ENXIO ? 0 : -errno;
		hole = ((uint64_t)found + s->page_size - 1) / s->page_size * s->page_size;
		if (hole > end)
			hole = end;
		if (at < hole)
			ret = split(s, at, hole - at);
		at = hole > at ? hole : end;
	}
	return ret;
}

int flt_shmem_swap_find(struct flt_shmem_swap *swap, uint32_t pid, const struct flt_present_area *a)
{
	struct search s = { .swap = swap, .area = a, .page_size = flt_machine_page() };
	char path[96];
	int ret;

	swap->count = 0;
	swap->pages = 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid,
		 a->start, a->end);
	s.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s.fd < 0)
		return -errno;
	ret = each_data(&s);
	close(s.fd);
	return ret;
}

void flt_shmem_swap_free(struct flt_shmem_swap *swap)
{
	free(swap->all);
	*swap = (struct flt_shmem_swap){ 0 };
}
