/* SPDX-License-Identifier: GPL-2.0-only */
/* tlb - make the processors forget the translations of a process. */
#ifndef FLT_WSS_TLB_H
#define FLT_WSS_TLB_H

#include <linux/init.h>
#include <linux/types.h>

struct mm_struct;

void __init flt_tlb_init(void);

/* Return false if this kernel does not allow a module to flush translations. */
bool flt_tlb_can_flush(void);

/* Flush the user translations of @mm on all processors. Only if flt_tlb_can_flush(). */
void flt_tlb_flush(struct mm_struct *mm);

#endif
