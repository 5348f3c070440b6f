// SPDX-License-Identifier: GPL-2.0-or-later
/* page_fault.c - bring in a missing page of the region. */
#include "page_fault.h"

#include "evict.h"
#include "fault_record.h"
#include "grant.h"
#include "guard.h"
#include "image/clock.h"
#include "image/image.h"
#include "lib/core/fill.h"
#include "lib/core/move.h"
#include "lib/core/uffd.h"
#include "link.h"
#include "region/freeze.h"
#include "region/region.h"
#include "region/shadow.h"
#include "residency.h"
#include "thread/thread.h"

#include <errno.h>

static void wake(uintptr_t page)
{
	uffd_wake(rec_region.uffd, page, FLT_PAGE);
}

/* Let the waiters for a page outside of the region go on. */
static void resolve_outside(uintptr_t a)
{
	/*
	 * The program reads the shadow, which is registered as well: it went through all of its
	 * mappings. Otherwise part of the region was moved elsewhere and is being ejected.
	 */
	if (rec_region_contains(a - rec_shadow.distance))
		flt_fill_zero(rec_region.uffd, a, false, true);
	else
		wake(a);
}

/* Return true if the pager fills this page. Otherwise wake its waiters or raise SIGSEGV. */
static bool is_fillable(uintptr_t a)
{
	if (!rec_region_contains(a)) {
		resolve_outside(a);
		return false;
	}
	if (rec_page_is_unmapped(rec_page_at(a))) {
		rec_guard_raise(rec_page_at(a));
		return false;
	}
	if (rec_page_is_ejected(rec_page_at(a))) {
		/* The thread was in the fault when the page was ejected. */
		wake(a);
		return false;
	}
	return true;
}

/* Account for a page that was just filled. copied: the shadow still has its copy. */
static void enter(size_t page, enum page_state before, bool copied)
{
	if (before == PAGE_RESIDENT) {
		/* The program dropped the page unseen, so it is counted already. */
		rec_freeze_hold(page);
		flt_region_queue(&rec_region, page);
		return;
	}
	rec_residency_leave(page);
	rec_residency_enter(page);
	if (before == PAGE_EVICTED)
		rec_region.state[page] |= FLT_PAGE_RETURNED;
	if (copied && rec_shadow.frozen)
		rec_region.state[page] |= PAGE_SHADOWED;
	else if (copied)
		rec_shadow_drop(page, page + 1);
	rec_image.totals->shadow = rec_shadow.pages;
}

/* Account for a page that was there before it could be filled. */
static void enter_present(size_t page, enum page_state before)
{
	if (before == PAGE_EVICTED && !rec_shadow.frozen) {
		/* The program mapped over the page, so the shadow's content is obsolete. */
		rec_shadow_drop(page, page + 1);
		rec_shadow.pages--;
	}
	if (before != PAGE_RESIDENT)
		rec_residency_enter(page);
}

static int fill(struct rec_fault *f, size_t page, enum page_state state, bool *copied)
{
	/* If it is not known whether the fault is a store, a writable page spares a fault. */
	bool write = f->flags & (FLT_RING_F_WRITE | FLT_RING_F_NOOP);

	*copied = false;
	if (state != PAGE_EVICTED)
		return flt_fill_zero(rec_region.uffd, rec_page_address(page), write,
				     !f->caller_wakes);
	return rec_shadow_fetch(page, !f->caller_wakes && !rec_link_is_modelled(), copied);
}

enum rec_outcome rec_fault_resolve(struct rec_fault *f)
{
	uintptr_t a = f->address & ~(FLT_PAGE - 1);
	enum flt_ring_kind kind = FLT_RING_ALLOC;
	enum page_state state;
	uint64_t begun;
	bool copied;
	size_t page;
	int ret;

	if (!is_fillable(a))
		return FAULT_DONE;
	page = rec_page_at(a);
	state = rec_page_state(page);
	if (state != PAGE_RESIDENT) {
		rec_evict_make_room(1);
		if (!rec_evict_may_exceed(f->tid, f->time))
			return FAULT_RETRY;
	}
	/* While the thread sleeps. If it ran, it could wait for the next page already. */
	if (state == PAGE_EMPTY)
		rec_grant_follow(f, page);
	begun = rec_now();
	ret = fill(f, page, state, &copied);
	if (ret == -EAGAIN)
		return FAULT_RETRY;
	if (!ret) {
		enter(page, state, copied);
		if (state == PAGE_EVICTED) {
			kind = FLT_RING_REFAULT;
			f->far = rec_link_is_modelled();
		}
	} else if (ret == -EEXIST) {
		enter_present(page, state);
		kind = FLT_RING_RACED;
		if (f->probably_done)
			return FAULT_DONE;
	} else {
		return FAULT_DONE;	/* mapping or process is gone */
	}
	/*
	 * Not the present time: another thread may have filled the page long ago, and this
	 * thread's next fault may have begun.
	 */
	rec_thread_resolved(f->tid, f->flags & FLT_RING_F_INLINE ? begun : f->asleep,
			    f->sample_time);
	rec_fault_record(f, kind);
	return FAULT_DONE;
}

/*
 * Fill a page for the owner of the lock. The owner may be about to evict this page, because
 * states change before pages move. So look into the shadow first, whatever the state is, and
 * evict nothing.
 */
static int fill_for_owner(size_t page, enum page_state state, bool *copied)
{
	uintptr_t a = rec_page_address(page), place = a + rec_shadow.distance;
	int ret = -ENOENT;
	size_t moved;

	*copied = false;
	if (rec_shadow.frozen) {
		/* Forked children need the shadow as it is. */
		if (state == PAGE_EVICTED)
			ret = uffd_copy(rec_region.uffd, a, place, FLT_PAGE, 0);
		*copied = !ret;
	} else if (rec_shadow.can_move && state != PAGE_EMPTY) {
		ret = flt_move(&rec_region, a, place, 1, 0, &moved);
		if (ret == -EBUSY || ret == -EINVAL)
			ret = uffd_copy(rec_region.uffd, a, place, FLT_PAGE, 0);
	} else if (state == PAGE_EVICTED) {
		ret = uffd_copy(rec_region.uffd, a, place, FLT_PAGE, 0);
	}
	return ret;
}

bool rec_fault_rescue(uintptr_t address)
{
	uintptr_t a = address & ~(FLT_PAGE - 1);
	enum page_state state;
	bool copied;
	size_t page;
	int ret;

	if (!rec_region_contains(a)) {
		resolve_outside(a);
		return true;
	}
	page = rec_page_at(a);
	if (rec_page_is_unmapped(page)) {
		rec_guard_raise(page);
		return true;
	}
	state = rec_page_state(page);
	ret = fill_for_owner(page, state, &copied);
	if (!ret && state == PAGE_EVICTED)
		rec_shadow.pages--;
	if (ret == -ENOENT)
		ret = flt_fill_zero(rec_region.uffd, a, true, true);
	if (ret == -EAGAIN)
		return false;
	if (ret) {
		wake(a);
		return true;
	}
	rec_residency_enter(page);
	rec_region.state[page] |= copied ? PAGE_SHADOWED : 0;
	/* The owner may be writing a record, so there is none of this fault. */
	rec_image.totals->rescued++;
	return true;
}
