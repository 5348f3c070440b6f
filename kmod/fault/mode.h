/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mode - which probe counts faults.
 *
 *   ENTRIES  entry.c, on entry alone. The cheaper one. Knows everything but latencies, errors
 *            and what handle_mm_fault() returned.
 *   RETURNS  fault.c, on entry and return. While somebody needs the rest. If the probe has had too
 *            few instances for the calls in progress, the next one, with more of them, takes over:
 *            RETURNS + 1, and so on.
 *
 * A switch of modes loses no fault and counts none twice: both probes are armed for a while,
 * and a variable of each CPU says which of them counts. The variable changes in a work item
 * of that CPU, when no call is on its way to one of the probes alone. The handlers of one call run
 * one after the other with preemption off, so they see the same value. A call that is running
 * stays with the probe that saw its entry.
 *
 * switch.c switches.
 */
#ifndef FLT_MODE_H
#define FLT_MODE_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/types.h>

enum flt_mode { FLT_MODE_OFF, FLT_MODE_ENTRIES, FLT_MODE_RETURNS };

DECLARE_STATIC_KEY_FALSE(flt_mode_switching);
DECLARE_PER_CPU(u8, flt_mode_here);

/* Return true if the probe of @mode counts the call at hand. Preemption must be off. */
static __always_inline bool flt_mode_is(unsigned int mode)
{
	return !static_branch_unlikely(&flt_mode_switching) || this_cpu_read(flt_mode_here) == mode;
}

#endif
