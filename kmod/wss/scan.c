// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/mmap_lock.h>
#include <linux/mmu_notifier.h>
#include <linux/sched.h>
#include "mm/area.h"
#include "wss/scan.h"
#include "wss/protnone.h"
#include "wss/tlb.h"

#define SLICE_NS (500 * NSEC_PER_USEC)
/* 50 to 100 ms: longer than mmap_lock is usually held, short enough to close a tracker. */
#define LOCK_TRIES 100
/*
 * A process can make each slice short, by many threads that want mmap_lock. To restore access ends
 * after this time, because whoever closes a tracker waits. do_numa_page() restores the rest when
 * the process uses it.
 */
#define RESTORE_NS NSEC_PER_SEC

bool flt_wss_scan_can_inject(void)
{
	return flt_tlb_can_flush() && flt_wss_can_protect();
}

static void flush_tlb(struct mm_struct *mm, struct flt_wss_scan *scan)
{
	if (flt_tlb_can_flush())
		flt_tlb_flush(mm);
	else
		scan->flags |= FLT_WSS_UNFLUSHED;
}

/*
 * Return true for the data page of the vDSO. In 7.2 its mapping has VM_IO, but its page counts as
 * resident, because the kernel can find the page from the page table (vm_normal_page()).
 */
static bool is_vdso_data(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_MIXEDMAP && !vma->vm_file;
}

/* Skip mappings whose pages reclaim does not manage, and count their size. */
static bool skip_mapping(const struct vm_area_struct *vma, unsigned long address,
			 struct flt_wss_count *count)
{
	if (likely(!(vma->vm_flags & (VM_HUGETLB | VM_PFNMAP | VM_IO))))
		return false;
	if (!(vma->vm_flags & (VM_HUGETLB | VM_PFNMAP)) && is_vdso_data(vma))
		return false;
	if (vma->vm_flags & VM_HUGETLB)
		count->hugetlb += vma->vm_end - address;
	else
		count->device += vma->vm_end - address;
	return true;
}

/* Return the mode for one mapping. */
static enum flt_wss_mode mode_for(const struct vm_area_struct *vma, enum flt_wss_mode mode)
{
	return mode == FLT_WSS_CLEAR_ACCESSED || flt_wss_can_protect_vma(vma) ? mode : FLT_WSS_SKIP;
}

static bool is_slice_over(struct mm_struct *mm, u64 begin)
{
	return ktime_get_ns() - begin >= SLICE_NS || need_resched() || mmap_lock_is_contended(mm);
}

/*
 * Scan until the slice is over. Return the address of the next slice, or 0 after the last
 * mapping. Caller holds mmap_lock.
 */
static unsigned long scan_slice(struct mm_struct *mm, unsigned long address, enum flt_wss_mode mode,
				u64 *holds, struct flt_wss_scan *scan)
{
	struct vm_area_struct *vma = find_vma(mm, address);
	u64 begin = ktime_get_ns(), now;
	u64 changed = scan->count.changed;
	u64 *bucket;

	if (mode != FLT_WSS_CLEAR_ACCESSED)
		inc_tlb_flush_pending(mm);
	while (vma) {
		address = max(address, vma->vm_start);
		if (skip_mapping(vma, address, &scan->count)) {
			address = vma->vm_end;
			/* There may be many such mappings. */
			if (is_slice_over(mm, begin))
				goto out;
		} else {
			const struct flt_wss_walk walk = {
				.mode = mode_for(vma, mode),
				.area = flt_area_of(vma),
				.count = &scan->count,
			};

			while (address < vma->vm_end) {
				address = flt_wss_walk(vma, address, &walk);
				if (is_slice_over(mm, begin))
					goto out;
			}
		}
		vma = find_vma(mm, address);
	}
	address = 0;
out:
	if (mode != FLT_WSS_CLEAR_ACCESSED) {
		if (scan->count.changed != changed)
			flush_tlb(mm, scan);
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
 * Take mmap_lock for reading. Return false after LOCK_TRIES: if a process is stuck with the
 * lock held, waiting would block the module from being unloaded.
 */
static bool lock_mm(struct mm_struct *mm, const bool *stop)
{
	int tries;

	for (tries = 0; tries < LOCK_TRIES && !(stop && READ_ONCE(*stop)); tries++) {
		if (mmap_read_trylock(mm))
			return true;
		usleep_range(500, 1000);
	}
	return false;
}

void flt_wss_scan(struct mm_struct *mm, enum flt_wss_mode mode, const bool *stop, u64 *holds,
		  struct flt_wss_scan *scan)
{
	u64 begin = ktime_get_ns();
	unsigned long address = 0;

	memset(scan, 0, sizeof(*scan));
	if (mode == FLT_WSS_CLEAR_ACCESSED && !IS_ENABLED(CONFIG_PAGE_IDLE_FLAG))
		scan->flags |= FLT_WSS_MARKED;
	if (mm_has_notifiers(mm))
		scan->flags |= FLT_WSS_SECONDARY;
	do {
		/* Ours is the last reference: the process has exited. */
		if (atomic_read(&mm->mm_users) == 1 || !lock_mm(mm, stop)) {
			scan->flags |= FLT_WSS_CUT;
			break;
		}
		address = scan_slice(mm, address, mode, holds, scan);
		mmap_read_unlock(mm);
		cond_resched();
		if (address && mode == FLT_WSS_RESTORE && ktime_get_ns() - begin >= RESTORE_NS) {
			scan->flags |= FLT_WSS_CUT;
			break;
		}
	} while (address);
	if (mode == FLT_WSS_CLEAR_ACCESSED)
		flush_tlb(mm, scan);
	scan->duration = ktime_get_ns() - begin;
}
