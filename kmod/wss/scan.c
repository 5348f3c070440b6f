// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmap_lock.h>
#include <linux/mmu_notifier.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include "mm/area.h"
#include "hook/hook.h"
#include "wss/scan.h"
#include "wss/protnone.h"

#define SLICE_NS (500 * NSEC_PER_USEC)
/* For mmap_lock: longer than any holder takes, short for who closes a tracker. */
#define LOCK_TRIES 100

DEFINE_STATIC_CALL_NULL(wss_flush, flt_wss_flush);
static bool can_flush;

void __init flt_wss_scan_init(void)
{
#ifdef CONFIG_X86_64
	void *flush = flt_hook_function("flush_tlb_mm_range");

	if (!flush)
		return;
	static_call_update(wss_flush, flush);
	can_flush = true;
#endif
}

bool flt_wss_scan_withholds(void)
{
	return can_flush && flt_wss_can_withhold();
}

static void flush(struct mm_struct *mm, struct flt_wss_scan *scan)
{
	if (can_flush)
		static_call_cond(wss_flush)(mm, 0, ~0ul, PAGE_SHIFT, false);
	else
		scan->flags |= FLT_WSS_UNFLUSHED;
}

/* Mappings that hold no pages of reclaim's. Counted where they begin. */
static bool passed_over(const struct vm_area_struct *vma, unsigned long address,
			struct flt_wss_count *count)
{
	if (likely(!(vma->vm_flags & (VM_HUGETLB | VM_PFNMAP | VM_IO))))
		return false;
	if (vma->vm_flags & VM_HUGETLB)
		count->hugetlb += vma->vm_end - address;
	else
		count->device += vma->vm_end - address;
	return true;
}

/* What a mapping's own nature leaves of what is wanted. */
static enum flt_wss_way way_in(const struct vm_area_struct *vma, enum flt_wss_way way)
{
	return way == FLT_WSS_ACCESSED || flt_wss_withholds(vma) ? way : FLT_WSS_LEAVE;
}

/* Until a slice is over; returns where the next begins, 0 past the last mapping. */
static unsigned long slice(struct mm_struct *mm, unsigned long address, enum flt_wss_way way,
			   u64 *holds, struct flt_wss_scan *scan)
{
	struct vm_area_struct *vma = find_vma(mm, address);
	u64 begin = ktime_get_ns(), now = begin;
	u64 changed = scan->count.changed;
	u64 *bucket;

	if (way != FLT_WSS_ACCESSED)
		inc_tlb_flush_pending(mm);
	while (vma) {
		address = max(address, vma->vm_start);
		if (passed_over(vma, address, &scan->count)) {
			address = vma->vm_end;
		} else {
			const struct flt_wss_look look = {
				.way = way_in(vma, way),
				.area = flt_area_of(vma),
				.count = &scan->count,
			};

			while (address < vma->vm_end) {
				address = flt_wss_walk(vma, address, &look);
				now = ktime_get_ns();
				if (now - begin >= SLICE_NS || need_resched() ||
				    mmap_lock_is_contended(mm))
					goto out;
			}
		}
		vma = find_vma(mm, address);
	}
	address = 0;
out:
	if (way != FLT_WSS_ACCESSED) {
		if (scan->count.changed != changed)
			flush(mm, scan);
		dec_tlb_flush_pending(mm);
	}
	now = ktime_get_ns() - begin;
	bucket = &holds[flt_bucket_of(now)];
	WRITE_ONCE(*bucket, *bucket + 1);
	scan->held += now;
	scan->held_max = max(scan->held_max, now);
	scan->slices++;
	return address;
}

/*
 * Not a plain wait: behind a process stuck with the lock it would have no end, and
 * with it the unloading of the module.
 */
static bool lock(struct mm_struct *mm, const bool *stop)
{
	int tries;

	for (tries = 0; tries < LOCK_TRIES && !(stop && READ_ONCE(*stop)); tries++) {
		if (mmap_read_trylock(mm))
			return true;
		usleep_range(500, 1000);
	}
	return false;
}

void flt_wss_scan(struct mm_struct *mm, enum flt_wss_way way, const bool *stop, u64 *holds,
		  struct flt_wss_scan *scan)
{
	u64 begin = ktime_get_ns();
	unsigned long address = 0;

	memset(scan, 0, sizeof(*scan));
	if (way == FLT_WSS_ACCESSED && !IS_ENABLED(CONFIG_PAGE_IDLE_FLAG))
		scan->flags |= FLT_WSS_MARKED;
	if (mm_has_notifiers(mm))
		scan->flags |= FLT_WSS_SECONDARY;
	do {
		/* Everybody else has left: let it go. */
		if (atomic_read(&mm->mm_users) == 1 || !lock(mm, stop)) {
			scan->flags |= FLT_WSS_CUT;
			break;
		}
		address = slice(mm, address, way, holds, scan);
		mmap_read_unlock(mm);
		cond_resched();
	} while (address);
	if (way == FLT_WSS_ACCESSED)
		flush(mm, scan);
	scan->duration = ktime_get_ns() - begin;
}
