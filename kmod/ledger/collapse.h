/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collapse - count collapses of small pages into a huge page, by khugepaged or madvise(),
 * and why scans for a collapse failed. The owner of the memory is charged.
 */
#ifndef FLT_COLLAPSE_H
#define FLT_COLLAPSE_H

#include "hook/hook.h"

extern struct flt_hook flt_collapse_scan, flt_collapse_scan_file;
extern struct flt_hook flt_collapse_anon, flt_collapse_file;

#endif
