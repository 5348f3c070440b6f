/* SPDX-License-Identifier: GPL-2.0-only */
/* fault - produce fault events, by a probe on handle_mm_fault(). */
#ifndef FLT_FAULT_H
#define FLT_FAULT_H

#include "hook/hook.h"

extern struct flt_hook flt_fault_hook;

#endif
