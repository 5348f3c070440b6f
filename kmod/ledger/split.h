/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split - count splits of huge mappings and of huge pages.
 *
 * The split of a mapping is charged to the owner of the memory. The split of a page is
 * charged to the process that caused it by a system call or a page fault, or to nobody if
 * reclaim or a kernel thread did, because the owner of the page is unknown there.
 */
#ifndef FLT_SPLIT_H
#define FLT_SPLIT_H

#include "hook/hook.h"

extern struct flt_hook flt_split_map, flt_split_withdraw, flt_split_page;

#endif
