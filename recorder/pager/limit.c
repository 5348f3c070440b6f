// SPDX-License-Identifier: GPL-2.0-or-later
/* limit.c - discard pages, take them out of the limit, put them under it again. */
#include "limit.h"

#include "errand.h"
#include "image/image.h"
#include "lib/core/uffd.h"
#include "region/region.h"
#include "region/shadow.h"
#include "residency.h"

#include <errno.h>
#include <sys/mman.h>

static void discard(size_t first, size_t end)
{
	uintptr_t a = rec_page_address(first);
	size_t bytes = (end - first) * FLT_PAGE;
	size_t from = end, to = first;

	for (size_t i = first; i < end; i++) {
		enum page_state state = rec_page_state(i);

		rec_residency_leave(i);
		if (state == PAGE_EVICTED) {
			if (i < from)
				from = i;
			to = i + 1;
		}
		if (rec_page_is_limited(i))
			rec_page_reset(i, PAGE_EMPTY);
	}
	/* Faults between the two steps wait for the pager lock. */
	if (sys3(SYS_madvise, a, bytes, MADV_DONTNEED) == -EINVAL) {
		/* The program has locked the memory by an instruction of its own. */
		sys2(SYS_munlock, a, bytes);
		sys3(SYS_madvise, a, bytes, MADV_DONTNEED);
	}
	if (from < to)
		rec_shadow_drop(from, to);
	rec_residency_publish();
}

void rec_limit_discard(size_t first, size_t end)
{
	if (rec_errand_is_needed())
		rec_errand_ask(ERRAND_DISCARD, first, end);
	else
		discard(first, end);
}

void rec_limit_unmap(size_t first, size_t end)
{
	size_t bytes = (end - first) * FLT_PAGE;

	for (size_t i = first; i < end; i++) {
		rec_residency_leave(i);
		rec_page_reset(i, PAGE_EJECTED);
	}
	sys2(SYS_munmap, rec_page_address(first), bytes);
	sys2(SYS_munmap, rec_page_address(first) + rec_shadow.distance, bytes);
	rec_residency_publish();
}

static int eject(size_t first, size_t end)
{
	bool copied;
	int ret = 0, unregistered;
	size_t i;

	for (i = first; i < end; i++) {
		if (rec_page_state(i) == PAGE_EVICTED) {
			ret = rec_shadow_fetch(i, true, &copied);
			if (ret && ret != -EEXIST)
				break;
			ret = 0;
			if (copied)
				rec_shadow_drop(i, i + 1);
		}
		rec_residency_leave(i);
		rec_page_reset(i, PAGE_EJECTED);
	}
	if (i == first)
		return ret;
	/* Also after a failure, because nobody serves faults on ejected pages. */
	rec_image.totals->ejected += i - first;
	rec_residency_publish();
	unregistered = uffd_unregister(rec_region.uffd, rec_page_address(first),
				       (i - first) * FLT_PAGE);
	uffd_wake(rec_region.uffd, rec_page_address(first), (i - first) * FLT_PAGE);
	return ret ? ret : unregistered;
}

int rec_limit_eject(size_t first, size_t end)
{
	return rec_errand_is_needed() ? rec_errand_ask(ERRAND_EJECT, first, end) :
					eject(first, end);
}

void rec_limit_eject_moved(uintptr_t from, uintptr_t to, size_t len)
{
	for (size_t off = 0; off < len; off += FLT_PAGE) {
		size_t page = rec_page_at(from + off);

		if (!rec_region_contains(from + off))
			continue;
		if (rec_page_state(page) == PAGE_EVICTED)
			uffd_copy(rec_region.uffd, to + off, from + off + rec_shadow.distance,
				  FLT_PAGE, 0);
		rec_residency_leave(page);
		rec_page_reset(page, PAGE_EJECTED);
	}
	rec_image.totals->ejected += len / FLT_PAGE;
	uffd_unregister(rec_region.uffd, to, len);
}

int rec_limit_register(size_t first, size_t end)
{
	return uffd_register(rec_region.uffd, rec_page_address(first), (end - first) * FLT_PAGE,
			     UFFDIO_REGISTER_MODE_MISSING |
			     (rec_shadow.can_move ? 0 : UFFDIO_REGISTER_MODE_WP));
}

/* Return how many bits follow each other in a set, from its lowest on. */
static unsigned int run_length(uint64_t set)
{
	uint64_t behind = ~(set >> __builtin_ctzll(set));

	return behind ? (unsigned int)__builtin_ctzll(behind) : 64;
}

uint64_t rec_limit_register_set(size_t first, uint64_t set)
{
	uint64_t failed = 0, run;
	unsigned int at, length;

	for (; set; set &= ~run) {
		at = (unsigned int)__builtin_ctzll(set);
		length = run_length(set);
		run = (~0ULL >> (64 - length)) << at;
		if (rec_limit_register(first + at, first + at + length))
			failed |= run;
	}
	return failed;
}

/* Put pages under the limit, in the given state. Return 0 or -errno. */
static int put_under_limit(size_t first, size_t end, enum page_state state)
{
	int ret = rec_limit_register(first, end);

	for (size_t i = first; i < end && !ret; i++)
		rec_page_reset(i, state);
	return ret;
}

static int readopt(size_t first, size_t end)
{
	sys3(SYS_madvise, rec_page_address(first), (end - first) * FLT_PAGE, MADV_DONTNEED);
	return put_under_limit(first, end, PAGE_RESERVED);
}

int rec_limit_readopt(size_t first, size_t end)
{
	return rec_errand_is_needed() ? rec_errand_ask(ERRAND_READOPT, first, end) :
					readopt(first, end);
}

void rec_limit_run_errand(void)
{
	const struct rec_errand *e = rec_errand_take();

	if (!e)
		return;
	switch (e->kind) {
	case ERRAND_DISCARD:
		discard(e->first, e->end);
		rec_errand_finish(0);
		break;
	case ERRAND_EJECT:
		rec_errand_finish(eject(e->first, e->end));
		break;
	case ERRAND_READOPT:
		rec_errand_finish(readopt(e->first, e->end));
		break;
	}
}

int rec_limit_adopt(size_t first, size_t end)
{
	size_t bytes = (end - first) * FLT_PAGE;
	void *m = sys_mmap((void *)rec_page_address(first), bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	if (sys_failed((long)m))
		return (int)(long)m;
	sys3(SYS_madvise, m, bytes, MADV_NOHUGEPAGE);
	return put_under_limit(first, end, PAGE_EMPTY);
}
