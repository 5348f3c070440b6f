/* SPDX-License-Identifier: GPL-2.0-only */
/* thp - huge pages in anonymous memory: which faults get one, what becomes of it. */
#ifndef FLT_THP_H
#define FLT_THP_H

#include <linux/types.h>

void flt_thp_init(void);
void flt_thp_exit(void);
size_t flt_thp_memory(void);

/*
 * Counts from the first get to the last put, while faults are counted, too. May sleep;
 * not at the same time as another get or put.
 */
int flt_thp_get(void);
void flt_thp_put(void);

#endif
