// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - the program's calls that map, unmap and describe memory.
 *
 * Only plain private anonymous read-write mappings at no particular place come
 * from the region; all else goes to the kernel as it is. What cannot be done
 * to limited memory without harm (protect, lock, hide from forks, map over) is
 * done after taking those pages out of the limit, and counted.
 */
#include "mmap.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>

bool rec_memory_no_more;

static void take_pager(void)
{
	struct timespec t = { .tv_nsec = 2000000 };
	uint32_t tid = rec_tid(), seen;

	for (;;) {
		rec_lock_take(&rec.pager, tid);
		if (!rec.frozen)
			return;
		seen = rec.thawed;
		rec_lock_drop(&rec.pager);
		sys4(SYS_futex, &rec.thawed, FUTEX_WAIT_PRIVATE, seen, &t);
	}
}

struct rec_held rec_memory_hold(void)
{
	struct rec_held h = { sys_block_signals() };

	rec_lock_take(&rec.map, rec_tid());
	take_pager();
	return h;
}

void rec_memory_let(struct rec_held h)
{
	rec_lock_drop(&rec.pager);
	rec_lock_drop(&rec.map);
	sys_restore_signals(h.signals);
}

static bool ready(void)
{
	return __atomic_load_n(&rec.ready, __ATOMIC_ACQUIRE) && !rec_memory_no_more;
}

bool rec_memory_part(const void *a, size_t len, size_t *first, size_t *end)
{
	uintptr_t from = (uintptr_t)a, to = from + ((len + REC_PAGE - 1) & ~(REC_PAGE - 1));

	if (!__atomic_load_n(&rec.ready, __ATOMIC_ACQUIRE) || to <= from || to <= rec.lo ||
	    from >= rec.hi || from & (REC_PAGE - 1))
		return false;
	from = from < rec.lo ? rec.lo : from;
	to = to > rec.hi ? rec.hi : to;
	*first = (from - rec.lo) / REC_PAGE;
	*end = (to - rec.lo) / REC_PAGE;
	return true;
}

long rec_memory_answer(long ret)
{
	if (!sys_failed(ret))
		return ret;
	errno = (int)-ret;
	return -1;
}

static void *take(void *hint, size_t len)
{
	size_t pages = (len + REC_PAGE - 1) / REC_PAGE;
	/* the heap wants its chunks on huge-page boundaries and trims if they are not */
	size_t align = pages >= 512 ? 512 : 1;
	void *got = NULL;
	struct rec_held h;
	ssize_t first = -1;

	h = (struct rec_held){ sys_block_signals() };
	rec_lock_take(&rec.map, rec_tid());
	if (rec.resident + rec.shadow >= rec.cfg.max_pages || pages > rec.cfg.max_pages)
		goto out;
	if (rec_in_region(hint) && rec_region_take_at(((uintptr_t)hint - rec.lo) / REC_PAGE, pages))
		first = (ssize_t)(((uintptr_t)hint - rec.lo) / REC_PAGE);
	else
		first = rec_region_take(pages, align);
	if (first >= 0)
		got = (void *)(rec.lo + (size_t)first * REC_PAGE);
	if (got) {
		rec_lock_take(&rec.pager, rec_tid());
		rec_pager_claim((size_t)first, (size_t)first + pages);
		rec_lock_drop(&rec.pager);
	}
out:
	rec_lock_drop(&rec.map);
	sys_restore_signals(h.signals);
	return got;
}

extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char etext[] __attribute__((visibility("hidden")));

EXPORT void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	/* MAP_NORESERVE is about accounting we do not change */
	int rest = flags & ~(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	char *caller = __builtin_return_address(0);
	size_t first, end;
	uint64_t *beside = NULL;	/* the total that it counts in if the kernel grants it */
	struct rec_held h;
	void *m;

	rec_fork_install();
	rec_start();
	if (ready() && len && !rec_memory_wraps(len) && prot == (PROT_READ | PROT_WRITE) && !rest &&
	    (flags & (MAP_PRIVATE | MAP_ANONYMOUS)) == (MAP_PRIVATE | MAP_ANONYMOUS) &&
	    (!addr || rec_in_region(addr))) {
		m = take(addr, len);
		if (m)
			return m;
		addr = NULL;
		beside = &rec.totals->plain_bytes;
		/* our own heap must fail where the program's would have */
		if (caller >= __ehdr_start && caller < etext)
			flags &= ~MAP_NORESERVE;
	} else if (ready() && flags & MAP_PRIVATE && flags & MAP_ANONYMOUS && prot & PROT_WRITE) {
		beside = &rec.totals->passed_bytes;
	}
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) && rec_memory_part(addr, len, &first, &end)) {
		h = rec_memory_hold();
		m = sys_mmap(addr, len, prot, flags, fd, off);
		if (!sys_failed((long)m)) {
			rec_pager_discard(first, end);
			for (size_t i = first; i < end; i++) {
				rec.page[i] = (uint8_t)((rec.page[i] & REC_QUEUED) | REC_PLAIN);
				rec_region_take_at(i, 1);
			}
		}
		rec_memory_let(h);
	} else {
		m = sys_mmap(addr, len, prot, flags, fd, off);
	}
	if (beside && !sys_failed((long)m))
		__atomic_fetch_add(beside, len, __ATOMIC_RELAXED);
	return (void *)rec_memory_answer((long)m);
}

EXPORT void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
	__attribute__((alias("mmap")));

void rec_memory_give(size_t first, size_t end)
{
	size_t to;

	for (; first < end; first = to) {
		bool plain = (rec.page[first] & REC_STATE) == REC_PLAIN;

		for (to = first + 1; to < end; to++)
			if (((rec.page[to] & REC_STATE) == REC_PLAIN) != plain)
				break;
		if (plain && rec_pager_adopt(first, to))
			continue;	/* stays out of use */
		if (!plain)
			rec_pager_discard(first, to);
		rec_pager_disown(first, to);
		rec_region_give(first, to - first);
	}
}

EXPORT int munmap(void *addr, size_t len)
{
	uintptr_t from = (uintptr_t)addr, to = from + ((len + REC_PAGE - 1) & ~(REC_PAGE - 1));
	size_t first, end;
	struct rec_held h;
	long ret = 0;

	if (rec_memory_no_more || !rec_memory_part(addr, len, &first, &end))
		return (int)rec_memory_answer(sys2(SYS_munmap, addr, len));
	h = rec_memory_hold();
	rec_memory_give(first, end);
	rec_memory_let(h);
	if (from < rec.lo)
		ret = sys2(SYS_munmap, from, rec.lo - from);
	if (!ret && to > rec.hi)
		ret = sys2(SYS_munmap, rec.hi, to - rec.hi);
	return (int)rec_memory_answer(ret);
}

bool rec_memory_limited(size_t first, size_t end)
{
	while (first < end)
		if ((rec.page[first++] & REC_STATE) == REC_PLAIN)
			return false;
	return true;
}

bool rec_memory_holes(const void *a, size_t len)
{
	uintptr_t from = (uintptr_t)a & ~(REC_PAGE - 1);
	size_t first, end;

	if (rec_memory_no_more ||
	    !rec_memory_part((void *)from, len + ((uintptr_t)a - from), &first, &end))
		return false;
	while (first < end)
		if (rec_pager_free(first++))
			return true;
	return false;
}

EXPORT int madvise(void *addr, size_t len, int advice)
{
	size_t first, end;
	struct rec_held h;

	if (!rec_memory_part(addr, len, &first, &end))
		return (int)rec_memory_answer(sys3(SYS_madvise, addr, len, advice));
	if (rec_memory_holes(addr, len))
		return (int)rec_memory_answer(-ENOMEM);
	switch (advice) {
	case MADV_DONTNEED:
	case MADV_FREE:
		h = rec_memory_hold();
		if (rec_memory_limited(first, end)) {
			rec_pager_discard(first, end);
			rec_memory_let(h);
			return 0;
		}
		/* some of it is ordinary memory: the kernel's part, then ours */
		for (size_t i = first; i < end; i++)
			if ((rec.page[i] & REC_STATE) != REC_PLAIN)
				rec_pager_discard(i, i + 1);
		rec_memory_let(h);
		break;
	case MADV_NORMAL: case MADV_RANDOM: case MADV_SEQUENTIAL: case MADV_WILLNEED:
	case MADV_HUGEPAGE: case MADV_NOHUGEPAGE: case MADV_MERGEABLE: case MADV_UNMERGEABLE:
	case MADV_COLD: case MADV_PAGEOUT:
		return 0;	/* advice, and ours is the better place to take it */
	case MADV_POPULATE_READ: case MADV_POPULATE_WRITE:
		break;
	default:
		/* it would change what the memory is */
		h = rec_memory_hold();
		if (rec_memory_limited(first, end))
			rec_pager_eject(first, end);
		rec_memory_let(h);
	}
	return (int)rec_memory_answer(sys3(SYS_madvise, addr, len, advice));
}
