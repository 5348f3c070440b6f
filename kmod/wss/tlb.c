// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/static_call.h>
#include <asm/tlbflush.h>
#include <flt_compat.h>
#include "hook/hook.h"
#include "wss/tlb.h"

static bool can_flush;

bool flt_tlb_can_flush(void)
{
	return can_flush;
}

#ifdef CONFIG_X86_64

/* Prototype of flush_tlb_mm_range(), which is not exported; never defined. */
void flt_tlb_flush_range(struct mm_struct *mm, unsigned long start, unsigned long end,
			 unsigned int stride_shift, bool freed_tables);

DEFINE_STATIC_CALL_NULL(tlb_flush_range, flt_tlb_flush_range);

void __init flt_tlb_init(void)
{
	void *flush = flt_hook_function("flush_tlb_mm_range");

	if (!flush)
		return;
	static_call_update(tlb_flush_range, (typeof(flt_tlb_flush_range) *)flush);
	can_flush = true;
}

void flt_tlb_flush(struct mm_struct *mm)
{
	static_call_cond(tlb_flush_range)(mm, 0, ~0ul, PAGE_SHIFT, false);
}

#else

/*
 * On arm64 flush_tlb_mm() is an inline function. It calls functions that the kernel does not
 * export, for devices that share the page tables and for an erratum. Functions of the same names
 * pass these calls on.
 */
#if FLT_HAVE_MMU_NOTIFIER_ARCH
static typeof(__mmu_notifier_arch_invalidate_secondary_tlbs) *flush_devices;

void __mmu_notifier_arch_invalidate_secondary_tlbs(struct mm_struct *mm, unsigned long start,
						   unsigned long end)
{
	flush_devices(mm, start, end);
}
#endif

#if FLT_HAVE_SME_DVMSYNC
static typeof(sme_do_dvmsync) *wait_for_sme;

void sme_do_dvmsync(const struct cpumask *mask)
{
	wait_for_sme(mask);
}
#endif

void __init flt_tlb_init(void)
{
	can_flush = true;
#if FLT_HAVE_MMU_NOTIFIER_ARCH
	flush_devices = flt_hook_function("__mmu_notifier_arch_invalidate_secondary_tlbs");
	can_flush &= !!flush_devices;
#endif
#if FLT_HAVE_SME_DVMSYNC
	wait_for_sme = flt_hook_function("sme_do_dvmsync");
	can_flush &= !!wait_for_sme;
#endif
}

void flt_tlb_flush(struct mm_struct *mm)
{
	flush_tlb_mm(mm);
}

#endif
