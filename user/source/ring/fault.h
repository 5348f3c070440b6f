/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault.h - decode a fault of a recorder's ring into struct flt_fault. */
#ifndef FLT_SOURCE_RING_FAULT_H
#define FLT_SOURCE_RING_FAULT_H

#include <flt_ring.h>

#include "event/fault.h"

/* The caller sets image, because a ring belongs to one image. */
void flt_ring_fault_decode(struct flt_fault *fault, const struct flt_ring_fault *slot);

#endif
