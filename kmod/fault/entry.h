/* SPDX-License-Identifier: GPL-2.0-only */
/* entry - count faults by a probe on the entry of handle_mm_fault() alone. */
#ifndef FLT_ENTRY_H
#define FLT_ENTRY_H

#include "hook/hook.h"

extern struct flt_hook flt_entry_hook;

#endif
