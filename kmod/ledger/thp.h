/* SPDX-License-Identifier: GPL-2.0-only */
/* thp - count which faults on anonymous memory get a huge page, and why others do not. */
#ifndef FLT_THP_H
#define FLT_THP_H

#include <linux/types.h>

void flt_thp_init(void);
void flt_thp_exit(void);
size_t flt_thp_memory(void);
/* Return FLT_LEDGER_UNKNOWN: the counters that lack a hook on this kernel. */
u64 flt_thp_unknown(void);

/*
 * Count from the first get to the last put. Accounting must be on. Caller holds the lock of
 * the sessions. Return 0, -ENOMEM or the error of arming a probe. May sleep.
 */
int flt_thp_get(void);
void flt_thp_put(void);

#endif
