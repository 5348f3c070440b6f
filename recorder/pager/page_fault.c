// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pager.c - states of the region's pages, and how a missing one is filled.
 *
 * The page tables are the truth; the state bytes say where to look for a
 * missing page's content and may lag behind them in one way only: a page marked
 * RESIDENT may be missing, when the program dropped it with a system call we
 * did not see, and then its content is zeros.
 */
#include "rec.h"
#include "uffd.h"

#include <errno.h>
#include <sys/mman.h>

/* The kernel asks to come again while it changes the address space. */
#define TRIES 64

static const char zeros[REC_PAGE] __attribute__((aligned(4096)));

static uintptr_t at(size_t page)
{
	return rec.lo + page * REC_PAGE;
}

static void drop_shadow(size_t first, size_t end)
{
	sys3(SYS_madvise, at(first) + rec.distance, (end - first) * REC_PAGE, MADV_DONTNEED);
}

static void set(size_t page, enum rec_page state)
{
	rec.page[page] = (uint8_t)((rec.page[page] & REC_QUEUED) | state);
}

/*
 * A forked child may lack this page: what it is for the child is what the shadow has
 * of it, or nothing. So nothing newer may go there until the child is on its own.
 */
static void hold_in(size_t page)
{
	if (!rec.frozen || rec.page[page] & REC_FRESH)
		return;
	rec.page[page] |= REC_FRESH;
	rec.fresh++;
}

/* A page has become resident. */
static void count_in(size_t page)
{
	struct flt_ring_totals *t = rec.totals;

	set(page, REC_RESIDENT);
	hold_in(page);
	rec.resident++;
	rec_evict_push((uint32_t)page);
	t->resident = rec.resident;
	if (rec.resident > t->resident_peak)
		t->resident_peak = rec.resident;
	if (rec.resident + rec.shadow > t->used_peak)
		t->used_peak = rec.resident + rec.shadow;
}

static int fill_zero(uintptr_t a, bool write, uint64_t mode)
{
	/* the zero page under a store costs a second fault: copy instead */
	if (!write)
		return uffd_zero(rec.uffd, a, REC_PAGE, mode);
	return uffd_copy(rec.uffd, a, (uintptr_t)zeros, REC_PAGE, mode);
}

/* Content from the shadow. *kept: the shadow still has its copy. */
static int fill_back(uintptr_t a, uint64_t mode, bool *kept)
{
	size_t moved;
	int ret;

	*kept = false;
	if (rec.can_move && !rec.frozen) {
		ret = rec_move(a, a + rec.distance, 1, mode ? UFFDIO_MOVE_MODE_DONTWAKE : 0,
			       &moved);
		if (ret != -EBUSY)
			return ret;
		/* shared with a forked child */
	}
	ret = uffd_copy(rec.uffd, a, a + rec.distance, REC_PAGE, mode);
	*kept = !ret;
	return ret;
}

void rec_pager_wake(uintptr_t page)
{
	uffd_wake(rec.uffd, page, REC_PAGE);
}

/*
 * The owner of the pager lock sleeps in this fault, possibly in the middle of
 * an eviction that took this very page (states are changed before pages move).
 * So look into the shadow first, whatever the state says, and evict nothing.
 */
void rec_pager_rescue(uintptr_t address)
{
	uintptr_t a = address & ~(REC_PAGE - 1);
	size_t page = (a - rec.lo) / REC_PAGE, moved;
	int ret = -ENOENT, state;
	bool kept = false;

	if (a < rec.lo || a >= rec.hi)
		return;
	state = rec.page[page] & REC_STATE;
	if (rec_pager_free(page)) {
		rec_pager_bar(page);
		return;
	}
	if (rec.frozen) {
		/* forked children need the shadow as it is */
		if (state == REC_SHADOW)
			ret = uffd_copy(rec.uffd, a, a + rec.distance, REC_PAGE, 0);
		kept = !ret;
	} else if (rec.can_move && state != REC_EMPTY) {
		ret = rec_move(a, a + rec.distance, 1, 0, &moved);
		if (ret == -EBUSY)
			ret = uffd_copy(rec.uffd, a, a + rec.distance, REC_PAGE, 0);
	} else if (state == REC_SHADOW) {
		ret = uffd_copy(rec.uffd, a, a + rec.distance, REC_PAGE, 0);
	}
	if (!ret && state == REC_SHADOW)
		rec.shadow--;
	if (ret == -ENOENT)
		ret = fill_zero(a, true, 0);
	if (!ret) {
		count_in(page);
		rec.page[page] |= kept ? REC_KEPT : 0;
	} else {
		rec_pager_wake(a);
	}
}

enum rec_verdict rec_pager_resolve(struct rec_fault *f)
{
	uintptr_t a = f->address & ~(REC_PAGE - 1);
	bool write = f->flags & (FLT_RING_F_WRITE | FLT_RING_F_NOOP);
	uint64_t mode;
	uint8_t kind = FLT_RING_ALLOC;
	struct rec_thread *t;
	bool kept = false;
	uint64_t begun;
	size_t page;
	int state, ret, tries;

	if (a < rec.lo || a >= rec.hi) {
		/* a range that was moved out of the region is being let go */
		rec_pager_wake(a);
		return REC_DONE;
	}
	page = (a - rec.lo) / REC_PAGE;
	state = rec.page[page] & REC_STATE;
	if (state == REC_PLAIN) {
		rec_pager_wake(a);
		return REC_DONE;
	}
	if (rec_pager_free(page)) {
		rec_pager_bar(page);
		return REC_DONE;
	}
	if (state != REC_RESIDENT) {
		rec_evict_room(1);
		if (!rec_evict_may_grow(f))
			return REC_LATER;
	}
	mode = state == REC_SHADOW && rec_far() ? UFFDIO_COPY_MODE_DONTWAKE : 0;
	t = rec_thread_find(f->tid);
	begun = sys_now();
	for (tries = 0; ; tries++) {
		if (state == REC_SHADOW)
			ret = fill_back(a, mode, &kept);
		else
			ret = fill_zero(a, write, mode);
		if (ret != -EAGAIN || tries == TRIES)
			break;
	}
	switch (ret) {
	case 0:
		if (state == REC_RESIDENT) {
			/* dropped behind our back; it was counted already */
			hold_in(page);
			rec_evict_push((uint32_t)page);
			break;
		}
		if (state == REC_SHADOW) {
			kind = FLT_RING_REFAULT;
			f->far = mode;
			rec.shadow--;
		}
		count_in(page);
		if (state == REC_SHADOW)
			rec.page[page] |= REC_AGAIN;
		if (kept && rec.frozen)
			rec.page[page] |= REC_KEPT;
		else if (kept)
			drop_shadow(page, page + 1);
		rec.totals->shadow = rec.shadow;
		break;
	case -EEXIST:
		kind = FLT_RING_RACED;
		if (state == REC_SHADOW && !rec.frozen) {
			/* present again without us: the program mapped over it */
			drop_shadow(page, page + 1);
			rec.shadow--;
		}
		if (state != REC_RESIDENT)
			count_in(page);
		rec_pager_wake(a);
		if (f->late)
			return REC_DONE;
		break;
	case -EAGAIN:
		return REC_LATER;
	default:
		/* ENOENT, EINVAL: no longer a registered mapping; ESRCH: exiting */
		rec_pager_wake(a);
		return REC_DONE;
	}
	if (rec.maps_changed) {
		rec.maps_changed = false;
		rec_ring_note(FLT_RING_MAPS, f->tid);
	}
	if (f->trace && f->trace->count > 1)
		f->stack = rec_stack_id(f->trace->frame + 1, f->trace->count - 1);
	if (t) {
		/*
		 * Not now: the page may have been there for long, by another thread's fault,
		 * and this one's next fault have come already.
		 */
		__atomic_store_n(&t->resolved, f->flags & FLT_RING_F_INLINE ? begun : f->heard,
				 __ATOMIC_RELAXED);
		t->sample = f->sample;
	}
	rec_ring_fault(f, kind, sys_now());
	return REC_DONE;
}

void rec_pager_discard(size_t first, size_t end)
{
	size_t i, from = end, to = first;

	for (i = first; i < end; i++) {
		int state = rec.page[i] & REC_STATE;

		if (state == REC_RESIDENT)
			rec.resident--;
		else if (state == REC_SHADOW)
			rec.shadow--;
		if (state == REC_SHADOW) {
			if (i < from)
				from = i;
			to = i + 1;
		}
		if (state != REC_PLAIN && !rec_pager_free(i))
			set(i, REC_EMPTY);
	}
	/* a fault between here and the state change waits for the pager lock */
	sys3(SYS_madvise, at(first), (end - first) * REC_PAGE, MADV_DONTNEED);
	if (from < to)
		drop_shadow(from, to);
	rec.totals->resident = rec.resident;
	rec.totals->shadow = rec.shadow;
}

int rec_pager_eject(size_t first, size_t end)
{
	uintptr_t a = at(first);
	int ret;

	for (size_t i = first; i < end; i++) {
		int state = rec.page[i] & REC_STATE, tries = TRIES;
		bool kept;

		if (state == REC_SHADOW) {
			do {
				ret = fill_back(at(i), 0, &kept);
			} while (ret == -EAGAIN && tries--);
			if (ret && ret != -EEXIST)
				return ret;
			if (kept)
				drop_shadow(i, i + 1);
			rec.shadow--;
		} else if (state == REC_RESIDENT) {
			rec.resident--;
		}
		/* a failure later on leaves these resident and uncounted: harmless */
		set(i, REC_PLAIN);
	}
	rec.totals->ejected += end - first;
	rec.totals->resident = rec.resident;
	rec.totals->shadow = rec.shadow;
	ret = uffd_unregister(rec.uffd, a, (end - first) * REC_PAGE);
	uffd_wake(rec.uffd, a, (end - first) * REC_PAGE);
	return ret;
}

int rec_pager_adopt(size_t first, size_t end)
{
	void *m = sys_mmap((void *)at(first), (end - first) * REC_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	int ret;

	if (sys_failed((long)m))
		return (int)(long)m;
	sys3(SYS_madvise, m, (end - first) * REC_PAGE, MADV_NOHUGEPAGE);
	ret = uffd_register(rec.uffd, at(first), (end - first) * REC_PAGE,
			    UFFDIO_REGISTER_MODE_MISSING |
			    (rec.can_move ? 0 : UFFDIO_REGISTER_MODE_WP));
	if (ret)
		return ret;
	for (size_t i = first; i < end; i++)
		set(i, REC_EMPTY);
	return 0;
}

#define PRESENT (3ULL << 62)	/* pagemap: present or swapped */
#define CHUNK   512

/*
 * A forked child has its parent's state bytes as they happened to be. The page
 * tables were copied whole, so ask them: what is in the region is resident, what
 * is only in the shadow is evicted.
 */
int rec_pager_rebuild(void)
{
	static const char path[] = "/proc/self/pagemap";
	static uint64_t in[CHUNK], out[CHUNK];	/* the child has one thread */
	long fd = sys4(SYS_openat, -100 /* AT_FDCWD */, path, 02000000 /* O_CLOEXEC */, 0);
	size_t i, n;
	long ret = 0;

	if (fd < 0)
		return (int)fd;
	rec.resident = rec.shadow = 0;
	rec.queue_head = rec.queue_tail = 0;
	for (size_t base = 0; base < rec.npages; base += n) {
		n = rec.npages - base < CHUNK ? rec.npages - base : CHUNK;
		for (i = 0; i < n && rec.page[base + i] <= REC_EMPTY; i++)
			;
		if (i == n)
			continue;
		ret = sys4(SYS_pread64, fd, in, n * 8, at(base) / REC_PAGE * 8);
		if (ret == (long)n * 8)
			ret = sys4(SYS_pread64, fd, out, n * 8,
				   (at(base) + rec.distance) / REC_PAGE * 8);
		if (ret != (long)n * 8)
			break;
		for (i = 0; i < n; i++) {
			size_t p = base + i;

			rec.page[p] &= REC_STATE;
			if (rec.page[p] == REC_PLAIN || rec_pager_free(p))
				continue;
			rec.page[p] = REC_EMPTY;
			if (in[i] & PRESENT) {
				if (out[i] & PRESENT)
					drop_shadow(p, p + 1);
				count_in(p);
			} else if (out[i] & PRESENT) {
				set(p, REC_SHADOW);
				rec.shadow++;
			}
		}
	}
	sys1(SYS_close, fd);
	rec.totals->shadow = rec.shadow;
	return ret < 0 ? (int)ret : 0;
}

/*
 * For a child that nobody will serve: fill in all it could miss, then end the
 * registration, which also wakes what sleeps there. The shadow holds still
 * meanwhile because the caller has the pager lock.
 */
void rec_pager_release_child(int uffd)
{
	size_t i = 0, end;

	while (i < rec.npages) {
		if ((rec.page[i] & REC_STATE) != REC_SHADOW && !(rec.page[i] & REC_KEPT)) {
			i++;
			continue;
		}
		for (end = i + 1; end < rec.npages && end - i < 64; end++)
			if ((rec.page[end] & REC_STATE) != REC_SHADOW)
				break;
		if (uffd_copy(uffd, at(i), at(i) + rec.distance, (end - i) * REC_PAGE, 0))
			for (size_t k = i; k < end; k++)
				if (uffd_copy(uffd, at(k), at(k) + rec.distance, REC_PAGE, 0) ==
				    -ESRCH)
					return;
		i = end;
	}
	uffd_unregister(uffd, rec.lo, rec.hi - rec.lo);
	uffd_unregister(uffd, rec.lo + rec.distance, rec.hi - rec.lo);
}
