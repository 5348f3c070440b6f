/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault.h - convert a fault of the module's stream to struct flt_fault. */
#ifndef FLT_SOURCE_STREAM_FAULT_H
#define FLT_SOURCE_STREAM_FAULT_H

#include <linux/flt_event.h>

#include "event/fault.h"

/*
 * Convert a record. image and stack stay 0: the caller sets them, because the numbers in the
 * record are only valid within the session.
 */
void flt_event_fault(struct flt_fault *fault, const struct flt_event_record *record);

#endif
