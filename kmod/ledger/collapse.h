/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collapse - small pages made into a huge one, by khugepaged or madvise, or why not.
 * Charged to the process whose memory it is.
 */
#ifndef FLT_COLLAPSE_H
#define FLT_COLLAPSE_H

#include "hook/hook.h"

extern struct flt_hook flt_collapse_scan, flt_collapse_scan_file;
extern struct flt_hook flt_collapse_anon, flt_collapse_file;

#endif
