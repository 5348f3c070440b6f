// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * evict.c - keep the region's resident pages at or below the limit.
 *
 * Victims in the order in which they became resident; under CLOCK a page that
 * came back from the shadow once is passed over once (there is no accessed bit
 * to be seen from here: coming back is the only proof of use). They move in
 * batches, sorted, in runs of neighbours: a page moved in a run costs a tenth of
 * one moved alone.
 *
 * UFFDIO_MOVE takes the page itself: nothing is copied, a store that comes in
 * meanwhile faults and waits, and memory that the kernel has pinned for I/O is
 * refused. On older kernels pages are write-protected, copied and dropped;
 * there a page that is the target of direct I/O at that moment would lose what
 * the device writes afterwards.
 */
#include "rec.h"
#include "uffd.h"

#include <errno.h>
#include <sys/mman.h>

#define BATCH 256

void rec_evict_push(uint32_t page)
{
	if (rec.page[page] & REC_QUEUED)
		return;
	rec.page[page] |= REC_QUEUED;
	rec.queue[rec.queue_head++ & rec.queue_mask] = page;
}

/*
 * The caller's stack may be limited memory: a program's own for signal handlers, or a
 * coroutine's. What is stored there between a page's copy and its end would be lost.
 */
#define STACK_PAGES 16

static bool under_us(size_t page)
{
	size_t here = ((uintptr_t)__builtin_frame_address(0) - rec.lo) / REC_PAGE;

	return page + STACK_PAGES >= here && page <= here + 2;
}

static size_t pop(uint32_t *victim, size_t want)
{
	/* each entry is looked at no more than twice in one call */
	size_t looks = 2 * (rec.queue_head - rec.queue_tail), n = 0;

	/* under a fork most may be fresh: then it is not worth to look at them all each time */
	if (rec.frozen && looks > 4 * BATCH)
		looks = 4 * BATCH;
	while (n < want && looks-- && rec.queue_tail != rec.queue_head) {
		uint32_t page = rec.queue[rec.queue_tail++ & rec.queue_mask];
		uint8_t state = rec.page[page];

		rec.page[page] = (uint8_t)(state & ~(REC_QUEUED | REC_AGAIN));
		if ((state & REC_STATE) != REC_RESIDENT)
			continue;
		if (state & REC_FRESH || under_us(page) ||
		    (rec.cfg.policy == FLT_REC_CLOCK && state & REC_AGAIN)) {
			rec_evict_push(page);
			continue;
		}
		victim[n++] = page;
	}
	return n;
}

static void sort(uint32_t *v, size_t n)
{
	for (size_t gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (size_t i = gap; i < n; i++) {
			uint32_t x = v[i];
			size_t j = i;

			for (; j >= gap && v[j - gap] > x; j -= gap)
				v[j] = v[j - gap];
			v[j] = x;
		}
}

/*
 * Make a page that fork has left shared our own again, which MOVE wants. A store
 * does it, but a store of ours could hit a page that has just gone and sleep in
 * a fault only we can serve. The kernel's futex operation adds 0 to the word
 * atomically, and where the page is missing it gives up instead of waiting. The
 * key is private and the comparison false but by chance, and then a waiter on
 * that word sees a wake-up of the kind every futex user must expect.
 */
int rec_evict_unshare(uintptr_t address)
{
	return (int)sys6(SYS_futex, (long)&rec.futex_dummy, FUTEX_WAKE_OP_PRIVATE, 0, 0,
			 (long)address, FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0x5a5));
}

/* A victim that cannot go now. */
static void stay(size_t page)
{
	rec.page[page] = (uint8_t)((rec.page[page] & ~REC_STATE) | REC_RESIDENT);
	rec_evict_push((uint32_t)page);
	rec.totals->evict_skipped++;
}

/* Out by UFFDIO_MOVE; returns the pages that stayed. */
static size_t move_run(size_t first, size_t pages)
{
	size_t end = first + pages, moved, stayed = 0;
	int again = 0;

	while (first < end) {
		uintptr_t a = rec.lo + first * REC_PAGE;
		int ret = rec_move(a + rec.distance, a, end - first, UFFDIO_MOVE_MODE_DONTWAKE,
				   &moved);

		rec.totals->evict_calls++;
		first += moved;
		if (!ret)
			break;
		if (moved)
			again = 0;
		a = rec.lo + first * REC_PAGE;
		if (ret == -EAGAIN && again++ < 8)
			continue;
		if (ret == -EAGAIN && rec.frozen) {
			/* the kernel is forking: not one of them will go now */
			for (; first < end; first++, stayed++)
				stay(first);
			break;
		}
		if (ret == -EBUSY && again++ < 2 && !rec_evict_unshare(a))
			continue;
		if (ret == -EEXIST && again++ < 2) {
			/* a copy left over by a fork */
			sys3(SYS_madvise, a + rec.distance, REC_PAGE, MADV_DONTNEED);
			continue;
		}
		again = 0;
		if (ret == -EINVAL && end - first > 1) {
			/* the run crosses two mappings: one by one */
			stayed += move_run(first, 1);
			first++;
			continue;
		}
		if (ret == -ENOENT) {
			/* gone: dropped by a call we did not see */
			rec.page[first] = (uint8_t)((rec.page[first] & ~REC_STATE) | REC_EMPTY);
			rec.shadow--;	/* the caller has counted it in */
		} else {
			stay(first);
			stayed++;
		}
		first++;
	}
	return stayed;
}

/* Out by copy, for kernels without MOVE; returns the pages that stayed. */
static size_t copy_run(size_t first, size_t pages)
{
	size_t stayed = 0;

	for (size_t i = first; i < first + pages; i++) {
		uintptr_t a = rec.lo + i * REC_PAGE;
		long got = -EFAULT;

		/* stores sleep from here on; the wake-up makes them fault anew */
		if (!uffd_protect(rec.uffd, a, REC_PAGE, UFFDIO_WRITEPROTECT_MODE_WP))
			got = sys4(SYS_pread64, rec.memfd_self, a + rec.distance, REC_PAGE, a);
		if (got == (long)REC_PAGE) {
			sys3(SYS_madvise, a, REC_PAGE, MADV_DONTNEED);
			uffd_wake(rec.uffd, a, REC_PAGE);
			continue;
		}
		uffd_protect(rec.uffd, a, REC_PAGE, 0);
		stay(i);
		stayed++;
	}
	rec.totals->evict_calls += pages;
	return stayed;
}

static size_t batch(size_t want)
{
	uint32_t victim[BATCH];
	size_t n, i, k, stayed = 0, before = rec.resident;
	uint64_t from;

	n = pop(victim, want < BATCH ? want : BATCH);
	if (!n)
		return 0;
	from = sys_now();
	sort(victim, n);
	for (i = 0; i < n; i += k) {
		for (k = 0; i + k < n && victim[i + k] == victim[i] + k; k++)
			/* before the page moves: see rec_pager_rescue() */
			rec.page[victim[i + k]] = (uint8_t)((rec.page[victim[i + k]] & ~REC_STATE) |
							    REC_SHADOW);
		rec.shadow += k;
		stayed = rec.can_move ? move_run(victim[i], k) : copy_run(victim[i], k);
		rec.shadow -= stayed;
		rec.resident -= k - stayed;
		rec.totals->evicted += k - stayed;
	}
	rec.totals->evict_ns += sys_now() - from;
	rec_far_sent(before - rec.resident);
	rec.totals->resident = rec.resident;
	rec.totals->shadow = rec.shadow;
	return i;
}

/* Room for that many more pages below the limit, unless everything is pinned. */
void rec_evict_room(size_t pages)
{
	size_t limit = rec.cfg.limit_pages, quarter = limit / 8 + 1;
	size_t before;

	while (rec.resident + pages > limit) {
		before = rec.resident;
		if (!batch(quarter < BATCH ? quarter : BATCH) || rec.resident >= before)
			return;
	}
}

/*
 * What has come in while a forked child has not taken its shadow over cannot be
 * evicted. When that is all there is, one batch beyond the limit is allowed until it
 * has. It needs nobody of ours for that but the server. Before that, from prepare to
 * parent in fork.c, the forking thread may wait in libc for a lock whose owner waits
 * here: where it does, the limit must give way.
 */
#define FORK_NS 50000000

bool rec_evict_may_grow(const struct rec_fault *f)
{
	if (!rec.frozen || rec.resident < rec.cfg.limit_pages + BATCH)
		return true;
	if (!rec.forking || sys_now() - f->time < FORK_NS)
		return false;
	return rec_sleep_in(rec.forking, "futex", f->time);
}
