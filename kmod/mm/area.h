/* SPDX-License-Identifier: GPL-2.0-only */
/* area - the kind of a mapping: heap, stack, file, ... */
#ifndef FLT_AREA_H
#define FLT_AREA_H

#include <linux/flt_event.h>

struct vm_area_struct;

/* Caller holds the VMA lock or mmap_lock. */
enum flt_area flt_area_of(const struct vm_area_struct *vma);

#endif
