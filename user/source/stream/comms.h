/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comms.h - the names of threads in a stream, also of threads that have ended.
 *
 * LIFE notes contain the name of a new thread and of an executed program. Other threads are
 * looked up in /proc. A thread may rename itself, so the lookup is repeated if the
 * name is older than FLT_COMMS_FRESH_NS. The cache has a fixed size: a thread replaces an
 * earlier thread with the same hash.
 */
#ifndef FLT_SOURCE_COMMS_H
#define FLT_SOURCE_COMMS_H

#include "event/fault.h"
#include "source/stream/item.h"

#define FLT_COMMS_FRESH_NS 1000000000ull

struct flt_comms;

struct flt_comms *flt_comms_new(void);	/* NULL: no memory */
void flt_comms_free(struct flt_comms *comms);

/*
 * Cache the names of all threads of a process. Call at the start of a stream, because no note
 * names these threads, and they may end before their faults are read.
 */
void flt_comms_look(struct flt_comms *comms, uint32_t tgid);
/* Cache the name in a LIFE note. Other notes are ignored. */
void flt_comms_put(struct flt_comms *comms, const union flt_stream_note *head, const void *bytes);
/*
 * Return the name of the thread that faulted, valid until the next call. Return NULL if it
 * is not known, because the thread ended before it was looked up.
 */
const char *flt_comms_get(struct flt_comms *comms, const struct flt_fault *fault);

#endif
