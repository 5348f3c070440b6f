/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault_record.h - write a fault that was resolved to the ring. */
#ifndef FLT_REC_FAULT_RECORD_H
#define FLT_REC_FAULT_RECORD_H

#include "page_fault.h"

#include <flt_ring.h>

/* Write a fault that is resolved at this moment, or was by the kernel. Pager lock held. */
void rec_fault_record(const struct rec_fault *f, enum flt_ring_kind kind);

#endif
