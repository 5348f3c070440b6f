/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault.h - a fault of the module's stream as struct flt_fault. */
#ifndef FLT_SOURCE_STREAM_FAULT_H
#define FLT_SOURCE_STREAM_FAULT_H

#include <linux/flt_event.h>

#include "event/fault.h"

/* image and stack are the caller's to find: the record has no number of either that stays. */
void flt_event_fault(struct flt_fault *fault, const struct flt_event_record *record);

#endif
