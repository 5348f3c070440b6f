// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * memory.c - the program's calls that map, unmap and describe memory.
 *
 * Only plain private anonymous read-write mappings at no particular place come
 * from the region; all else goes to the kernel as it is. What cannot be done
 * to limited memory without harm (protect, lock, hide from forks, map over) is
 * done after taking those pages out of the limit, and counted.
 */
#include "rec.h"
#include "uffd.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

static bool no_more;		/* mlockall(MCL_FUTURE): new memory must stay in */

struct held {
	uint64_t signals;
};

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

/* Both locks, and no fork under way. */
static struct held hold(void)
{
	struct held h = { sys_block_signals() };

	rec_lock_take(&rec.map, rec_tid());
	take_pager();
	return h;
}

static void let(struct held h)
{
	rec_lock_drop(&rec.pager);
	rec_lock_drop(&rec.map);
	sys_restore_signals(h.signals);
}

static bool ready(void)
{
	return __atomic_load_n(&rec.ready, __ATOMIC_ACQUIRE) && !no_more;
}

/* The part of [a, a + len) in the region, as pages; false if there is none. */
static bool part(const void *a, size_t len, size_t *first, size_t *end)
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

static long answer(long ret)
{
	if (!sys_failed(ret))
		return ret;
	errno = (int)-ret;
	return -1;
}

/* Rounding up to pages would make nothing of it: the kernel knows what to say. */
static bool wraps(size_t len)
{
	return len > SIZE_MAX - (REC_PAGE - 1);
}

static void *take(void *hint, size_t len)
{
	size_t pages = (len + REC_PAGE - 1) / REC_PAGE;
	/* the heap wants its chunks on huge-page boundaries and trims if they are not */
	size_t align = pages >= 512 ? 512 : 1;
	void *got = NULL;
	struct held h;
	ssize_t first = -1;

	h = (struct held){ sys_block_signals() };
	rec_lock_take(&rec.map, rec_tid());
	if (rec.resident + rec.shadow >= rec.cfg.max_pages || pages > rec.cfg.max_pages)
		goto out;
	if (rec_in_region(hint) && rec_region_take_at(((uintptr_t)hint - rec.lo) / REC_PAGE, pages))
		first = (ssize_t)(((uintptr_t)hint - rec.lo) / REC_PAGE);
	else
		first = rec_region_take(pages, align);
	if (first >= 0)
		got = (void *)(rec.lo + (size_t)first * REC_PAGE);
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
	struct held h;
	void *m;

	rec_fork_install();
	rec_start();
	if (ready() && len && !wraps(len) && prot == (PROT_READ | PROT_WRITE) && !rest &&
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
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) && part(addr, len, &first, &end)) {
		h = hold();
		m = sys_mmap(addr, len, prot, flags, fd, off);
		if (!sys_failed((long)m)) {
			rec_pager_discard(first, end);
			for (size_t i = first; i < end; i++) {
				rec.page[i] = (uint8_t)((rec.page[i] & REC_QUEUED) | REC_PLAIN);
				rec_region_take_at(i, 1);
			}
		}
		let(h);
	} else {
		m = sys_mmap(addr, len, prot, flags, fd, off);
	}
	if (beside && !sys_failed((long)m))
		__atomic_fetch_add(beside, len, __ATOMIC_RELAXED);
	return (void *)answer((long)m);
}

EXPORT void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
	__attribute__((alias("mmap")));

/* Pages [first, end) are unmapped by the program: clean, and free for others. */
static void give(size_t first, size_t end)
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
		rec_region_give(first, to - first);
	}
}

EXPORT int munmap(void *addr, size_t len)
{
	uintptr_t from = (uintptr_t)addr, to = from + ((len + REC_PAGE - 1) & ~(REC_PAGE - 1));
	size_t first, end;
	struct held h;
	long ret = 0;

	if (!part(addr, len, &first, &end))
		return (int)answer(sys2(SYS_munmap, addr, len));
	h = hold();
	give(first, end);
	let(h);
	if (from < rec.lo)
		ret = sys2(SYS_munmap, from, rec.lo - from);
	if (!ret && to > rec.hi)
		ret = sys2(SYS_munmap, rec.hi, to - rec.hi);
	return (int)answer(ret);
}

static bool all_ours(size_t first, size_t end)
{
	while (first < end)
		if ((rec.page[first++] & REC_STATE) == REC_PLAIN)
			return false;
	return true;
}

EXPORT void *mremap(void *old, size_t old_len, size_t new_len, int flags, ...)
{
	size_t first, end, pages = (new_len + REC_PAGE - 1) / REC_PAGE;
	void *fixed = NULL, *to;
	struct held h;
	bool ours, grown = false;
	va_list ap;

	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) {
		va_start(ap, flags);
		fixed = va_arg(ap, void *);
		va_end(ap);
	}
	if (!old_len || !new_len || wraps(new_len) || !part(old, old_len, &first, &end))
		return (void *)answer(sys5(SYS_mremap, old, old_len, new_len, flags, fixed));
	h = hold();
	ours = all_ours(first, end) && !(flags & ~MREMAP_MAYMOVE);
	if (!ours)
		rec_pager_eject(first, end);
	else if (pages <= end - first)
		give(first + pages, end);
	else
		grown = rec_region_take_at(end, pages - (end - first));
	let(h);
	if (!ours)
		return (void *)answer(sys5(SYS_mremap, old, old_len, new_len, flags, fixed));
	if (pages <= end - first || grown)
		return old;
	if (!(flags & MREMAP_MAYMOVE)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	to = mmap(NULL, new_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == MAP_FAILED)
		return to;
	memcpy(to, old, (end - first) * REC_PAGE);
	munmap(old, (end - first) * REC_PAGE);
	return to;
}

EXPORT int madvise(void *addr, size_t len, int advice)
{
	size_t first, end;
	struct held h;

	if (!part(addr, len, &first, &end))
		return (int)answer(sys3(SYS_madvise, addr, len, advice));
	switch (advice) {
	case MADV_DONTNEED:
	case MADV_FREE:
		h = hold();
		if (all_ours(first, end)) {
			rec_pager_discard(first, end);
			let(h);
			return 0;
		}
		/* some of it is ordinary memory: the kernel's part, then ours */
		for (size_t i = first; i < end; i++)
			if ((rec.page[i] & REC_STATE) != REC_PLAIN)
				rec_pager_discard(i, i + 1);
		let(h);
		break;
	case MADV_NORMAL: case MADV_RANDOM: case MADV_SEQUENTIAL: case MADV_WILLNEED:
	case MADV_HUGEPAGE: case MADV_NOHUGEPAGE: case MADV_MERGEABLE: case MADV_UNMERGEABLE:
	case MADV_COLD: case MADV_PAGEOUT:
		return 0;	/* advice, and ours is the better place to take it */
	case MADV_POPULATE_READ: case MADV_POPULATE_WRITE:
		break;
	default:
		/* it would change what the memory is */
		h = hold();
		if (all_ours(first, end))
			rec_pager_eject(first, end);
		let(h);
	}
	return (int)answer(sys3(SYS_madvise, addr, len, advice));
}

static void eject(const void *addr, size_t len)
{
	uintptr_t from = (uintptr_t)addr & ~(REC_PAGE - 1);
	size_t first, end, to;
	struct held h;

	if (!part((void *)from, len + ((uintptr_t)addr - from), &first, &end))
		return;
	h = hold();
	for (; first < end; first = to) {
		to = first + 1;
		if ((rec.page[first] & REC_STATE) == REC_PLAIN)
			continue;
		while (to < end && (rec.page[to] & REC_STATE) != REC_PLAIN)
			to++;
		rec_pager_eject(first, to);
	}
	let(h);
}

static bool protect_is_noop(void *addr, size_t len, int prot)
{
	size_t first, end;

	return prot == (PROT_READ | PROT_WRITE) && part(addr, len, &first, &end) &&
	       rec_in_region((char *)addr + len - 1) && all_ours(first, end);
}

EXPORT int mprotect(void *addr, size_t len, int prot)
{
	if (len && protect_is_noop(addr, len, prot))
		return 0;
	if (len)
		eject(addr, len);
	return (int)answer(sys3(SYS_mprotect, addr, len, prot));
}

EXPORT int pkey_mprotect(void *addr, size_t len, int prot, int key)
{
	if (len)
		eject(addr, len);
	return (int)answer(key == -1 ? sys3(SYS_mprotect, addr, len, prot) :
				       sys4(SYS_pkey_mprotect, addr, len, prot, key));
}

EXPORT int mlock(const void *addr, size_t len)
{
	if (len)
		eject(addr, len);
	return (int)answer(sys2(SYS_mlock, addr, len));
}

EXPORT int mlock2(const void *addr, size_t len, unsigned int flags)
{
	if (len)
		eject(addr, len);
	return (int)answer(sys3(SYS_mlock2, addr, len, flags));
}

EXPORT int mlockall(int flags)
{
	if (rec.ready) {
		/* everything there is or will be must stay in: nothing left to limit */
		no_more = true;
		eject((void *)rec.lo, rec.hi - rec.lo);
		sys2(SYS_munmap, rec.lo + rec.distance, rec.hi - rec.lo);
	}
	return (int)answer(sys1(SYS_mlockall, flags));
}
