/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comms.h - what threads are called that faults are of, also those that have ended.
 *
 * A thread says its name in its LIFE notes. One that was there before is looked up in
 * /proc, and so is every FLT_COMMS_FRESH_NS one that goes on to fault, as it may have
 * renamed itself. What is kept is of fixed size: of threads that share a place the last
 * one stays.
 */
#ifndef FLT_SOURCE_COMMS_H
#define FLT_SOURCE_COMMS_H

#include "event/fault.h"
#include "source/stream/item.h"

#define FLT_COMMS_FRESH_NS 1000000000ull

struct flt_comms;

struct flt_comms *flt_comms_new(void);	/* NULL: no memory */
void flt_comms_free(struct flt_comms *comms);

/* A note of a stream; those but LIFE say nothing. */
void flt_comms_put(struct flt_comms *comms, const union flt_stream_note *head, const void *bytes);
/* NULL: it ended before anybody knew. Good until the next call. */
const char *flt_comms_get(struct flt_comms *comms, const struct flt_fault *fault);

#endif
