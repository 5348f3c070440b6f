/* SPDX-License-Identifier: GPL-2.0-only */
/* area.h - what a mapping is, in words for people. */
#ifndef FLT_AREA_H
#define FLT_AREA_H

#include <linux/flt_event.h>

struct vm_area_struct;

/* The caller's lock on the VMA, or its mmap_lock, keeps it and its file. */
enum flt_area flt_area_of(const struct vm_area_struct *vma);

#endif
