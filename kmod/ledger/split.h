/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split - a huge mapping, or a huge page itself, taken apart into small ones.
 *
 * A mapping is charged to the process whose it is. A page is charged to the
 * process that asked for it by a system call or a fault of its own; to nobody if
 * it was reclaim or a kernel thread: whose page that was is not known there.
 */
#ifndef FLT_SPLIT_H
#define FLT_SPLIT_H

#include "hook/hook.h"

extern struct flt_hook flt_split_map, flt_split_withdraw, flt_split_page;

#endif
