/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mmap_lock - how long a thread waited for mmap_lock before a fault.
 *
 * The kernel takes the lock before it calls handle_mm_fault(), so this time is not part of a
 * latency. It is only measured on kernels with locks of VMAs (CONFIG_PER_VMA_LOCK). There a fault
 * takes mmap_lock only if the lock of the VMA is not free. On other kernels every fault takes
 * it, and the tracepoints, which look up a cgroup, would be slower than the fault.
 */
#ifndef FLT_MMAP_LOCK_H
#define FLT_MMAP_LOCK_H

#include <linux/types.h>
#include "hook/hook.h"

void flt_mmap_lock_init(void);
/* Return true if this kernel tells the waits. Call after flt_hook_init(). */
bool flt_mmap_lock_is_known(void);
/* Arm the hooks. Return 0 or an error. May sleep. */
int flt_mmap_lock_get(void);
void flt_mmap_lock_put(void);

#endif
