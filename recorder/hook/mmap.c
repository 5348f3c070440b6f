// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mmap.c - mmap() and munmap().
 *
 * Private anonymous memory that is readable and writable comes from the region, and so do
 * reservations of addresses, which get such memory later. All others go to the kernel unchanged.
 * Limited pages cannot be protected, locked, hidden from forks or mapped over by anything else.
 * Such a call takes the pages out of the limit first, and the totals count them
 * (flt_ring_totals.ejected).
 */
#include "arch/tag.h"
#include "image/image.h"
#include "pager/guard.h"
#include "pager/limit.h"
#include "pager/reservation.h"
#include "range.h"
#include "region/extent.h"
#include "region/region.h"
#include "region/shadow.h"
#include "rlimit.h"
#include "start/fork.h"
#include "start/start.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/types.h>

/* The heap wants its chunks on huge-page boundaries and would trim unaligned ones. */
#define CHUNK (2UL << 20)

static bool is_ready(void)
{
	return rec_image_is_ready() && !rec_range_all_locked;
}

/* Allocate pages of the region. Return the first one, or -1. Caller holds the map lock. */
static ssize_t allocate(void *hint, size_t pages)
{
	size_t wanted = rec_page_at((uintptr_t)hint);

	if (rec_region_contains((uintptr_t)hint) && rec_extent_take_at(wanted, pages))
		return (ssize_t)wanted;
	return rec_extent_take(pages, pages >= CHUNK / FLT_PAGE ? CHUNK / FLT_PAGE : 1);
}

static void *map_limited(void *hint, size_t len)
{
	size_t pages = (len + FLT_PAGE - 1) / FLT_PAGE;
	uint64_t signals = rec_block_signals();
	ssize_t first = -1;

	rec_lock_take(&rec_map_lock, rec_tid());
	if (!rec_range_all_locked && !rec_range_is_full() && pages <= rec_image.config.max_pages)
		first = allocate(hint, pages);
	if (first >= 0) {
		rec_lock_take(&rec_pager_lock, rec_tid());
		rec_guard_map((size_t)first, (size_t)first + pages);
		rec_lock_release(&rec_pager_lock);
	}
	rec_lock_release(&rec_map_lock);
	rec_restore_signals(signals);
	return first >= 0 ? (void *)rec_page_address((size_t)first) : NULL;
}

/* Reserve pages of the region. What the limited memory may need stays free. */
static void *map_reservation(void *hint, size_t len)
{
	size_t pages = (len + FLT_PAGE - 1) / FLT_PAGE;
	struct rec_held h = rec_range_lock();
	ssize_t first = -1;

	if (!rec_range_all_locked &&
	    rec_extent_free() >= pages + rec_image.config.max_pages + REC_EXTENT_SPARE)
		first = allocate(hint, pages);
	if (first >= 0 && rec_reservation_map((size_t)first, (size_t)first + pages, false)) {
		rec_range_unmap((size_t)first, (size_t)first + pages);
		first = -1;
	}
	rec_range_unlock(h);
	return first >= 0 ? (void *)rec_page_address((size_t)first) : NULL;
}

/* Map memory or a reservation over pages of the region. Return false if that is impossible. */
static bool map_again(size_t first, size_t end, bool accessible)
{
	struct rec_held h = rec_range_lock();
	bool done = false;

	if (!rec_range_all_locked && (!accessible || !rec_range_is_full())) {
		rec_range_take(first, end);
		done = !rec_reservation_map(first, end, accessible);
	}
	rec_range_unlock(h);
	return done;
}

/*
 * Return true if the program has nothing in the range, which is in the region as a whole. After
 * mlockall() the kernel knows that, and may have put something else there.
 */
static bool is_free(const void *addr, size_t len, size_t first, size_t end)
{
	return !rec_range_all_locked && (uintptr_t)addr >= rec_region.base &&
	       len <= (end - first) * FLT_PAGE && rec_range_is_unmapped(first, end);
}

/* Map over pages of the region. They are ejected then. */
static void *map_over(void *addr, size_t len, int prot, int flags, int fd, off_t off, size_t first,
		      size_t end)
{
	struct rec_held h = rec_range_lock();
	void *m;

	/* To the kernel the whole region is mapped, to the program only a part of it. */
	if (flags & MAP_FIXED_NOREPLACE && is_free(addr, len, first, end))
		flags = (flags & ~MAP_FIXED_NOREPLACE) | MAP_FIXED;
	m = sys_mmap(addr, len, prot, flags, fd, off);
	if (!sys_failed((long)m)) {
		rec_limit_discard(first, end);
		rec_range_replaced(first, end);
	}
	rec_range_unlock(h);
	return m;
}

/* Return true if this is private anonymous memory, apart from `other` flags. */
static bool is_anonymous(size_t len, int flags, int other)
{
	/* MAP_NORESERVE changes the kernel's accounting only. */
	return len && !rec_range_overflows(len) &&
	       (flags & ~(MAP_NORESERVE | other)) == (MAP_PRIVATE | MAP_ANONYMOUS);
}

/*
 * An address is a hint. But who wants memory below 4 GiB cannot do without, for example because
 * its pointers have 32 bits.
 */
static bool is_plain(void *addr, size_t len, int prot, int flags)
{
	return is_anonymous(len, flags, 0) && prot == (PROT_READ | PROT_WRITE) &&
	       (!addr || (uintptr_t)addr >> 32);
}

/* Smaller mappings without access are guards, which never get memory. */
#define RESERVATION_LEAST (64UL << 10)

/* A filtered image must not call mprotect() where the program calls mmap(). */
static bool is_reservation(size_t len, int prot, int flags)
{
	return is_anonymous(len, flags, 0) && prot == PROT_NONE && len >= RESERVATION_LEAST &&
	       !rec_image.filtered;
}

static bool is_again(void *addr, size_t len, int prot, int flags)
{
	return is_ready() && flags & MAP_FIXED && is_anonymous(len, flags, MAP_FIXED) &&
	       (prot == (PROT_READ | PROT_WRITE) || prot == PROT_NONE) &&
	       rec_range_is_inside(addr, len) && !rec_image.filtered;
}

extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char etext[] __attribute__((visibility("hidden")));

static bool is_of_heap(const char *caller)
{
	return caller >= __ehdr_start && caller < etext;
}

/* Map a chunk on its boundary. Return the address or -errno. */
static long map_chunk(void)
{
	uintptr_t m, from, end;

	m = (uintptr_t)sys_mmap(NULL, 2 * CHUNK, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed((long)m))
		return (long)m;
	from = (m + CHUNK - 1) & ~(CHUNK - 1);
	end = from + CHUNK;
	if (from > m)
		sys2(SYS_munmap, m, from - m);
	sys2(SYS_munmap, end, m + 2 * CHUNK - end);
	return (long)from;
}

/*
 * Return unlimited memory for the heap in this library, up to its first chunk, which has its
 * tables and no data of the program. Return NULL afterwards. A program that starts faults 23 times
 * there, and not natively. These would be most of the faults of a small program.
 */
static void *map_first_tables(size_t len)
{
	static bool done;	/* the heap starts under its own lock */
	long m;

	if (done)
		return NULL;
	done = len >= CHUNK;
	m = len == CHUNK ? map_chunk() : (long)sys_mmap(NULL, len, PROT_READ | PROT_WRITE,
						       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return sys_failed(m) ? NULL : (void *)m;
}

REC_EXPORT void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	char *caller = __builtin_return_address(0);
	uint64_t *total = NULL;	/* counts this mapping if the kernel grants it */
	size_t first, end;
	void *m;

	rec_fork_install();
	rec_start();
	if (is_ready() && is_plain(addr, len, prot, flags)) {
		if (rec_rlimit_forbids(len, true, is_of_heap(caller)))
			return (void *)rec_range_result(-ENOMEM);
		m = is_of_heap(caller) ? map_first_tables(len) : NULL;
		if (!m)
			m = map_limited(addr, len);
		if (m)
			return m;
		addr = NULL;
		total = &rec_image.totals->plain_bytes;
		/* The heap in this library must fail when the program's heap would have. */
		if (is_of_heap(caller))
			flags &= ~MAP_NORESERVE;
	} else if (is_ready() && is_reservation(len, prot, flags)) {
		if (rec_rlimit_forbids(len, false, false))
			return (void *)rec_range_result(-ENOMEM);
		m = map_reservation(addr, len);
		if (m)
			return m;
	} else if (is_ready() && flags & MAP_PRIVATE && flags & MAP_ANONYMOUS &&
		   prot & PROT_WRITE) {
		total = &rec_image.totals->passed_bytes;
	}
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) && rec_range_pages(addr, len, &first, &end)) {
		if (is_again(addr, len, prot, flags) && map_again(first, end, prot != PROT_NONE))
			return addr;
		m = map_over(addr, len, prot, flags, fd, off, first, end);
	} else {
		m = sys_mmap(addr, len, prot, flags, fd, off);
	}
	if (total && !sys_failed((long)m))
		__atomic_fetch_add(total, len, __ATOMIC_RELAXED);
	return (void *)rec_range_result((long)m);
}

REC_EXPORT void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
	__attribute__((alias("mmap")));

REC_EXPORT int munmap(void *addr, size_t len)
{
	uintptr_t from = rec_tag_remove(addr), to = from + ((len + FLT_PAGE - 1) & ~(FLT_PAGE - 1));
	size_t first, end;
	struct rec_held h;
	long ret = 0;

	if (rec_range_all_locked || !rec_range_pages(addr, len, &first, &end))
		return (int)rec_range_result(sys2(SYS_munmap, addr, len));
	h = rec_range_lock();
	rec_range_unmap(first, end);
	rec_range_unlock(h);
	if (from < rec_region.base)
		ret = sys2(SYS_munmap, from, rec_region.base - from);
	if (!ret && to > rec_region_end())
		ret = sys2(SYS_munmap, rec_region_end(), to - rec_region_end());
	return (int)rec_range_result(ret);
}
