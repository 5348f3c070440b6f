/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - programs and mappings of processes over time, and the stacks of faults, from the
 * notes of the module's stream or from the events of perf. They go to a trace file, to a recording
 * in memory, to regions, or to several of the three.
 */
#ifndef FLT_TIMELINE_H
#define FLT_TIMELINE_H

#include <stdint.h>

#include "event/fault.h"
#include "event/page_size.h"
#include "model/recording/recording.h"
#include "source/perf/event.h"
#include "source/stream/item.h"
#include "timeline/setup.h"

struct flt_timeline;

/* Return the page sizes of this machine, which are those of a stream and of events of perf. */
struct flt_page_size flt_timeline_page_size(void);

/* Call flt_timeline_free() also after an error. Return -ENOMEM. */
int flt_timeline_new(struct flt_timeline **timeline, const struct flt_timeline_setup *setup);
void flt_timeline_free(struct flt_timeline *timeline);

/* Add a process that runs already. Return 0 also if the process has ended. */
int flt_timeline_found(struct flt_timeline *timeline, uint64_t time, uint32_t pid);
/* Begin a round of reading. Resets the limit on reads of /proc/PID/maps for regions. */
void flt_timeline_round(struct flt_timeline *timeline);
/* Add a note of the stream. Notes of unknown types are ignored. */
int flt_timeline_note(struct flt_timeline *timeline, const union flt_stream_note *note,
		      const void *bytes);
/*
 * Complete a fault of the stream: find its stack, set fault->stack to 0, and set fault->image to
 * the image that ran when the fault happened (0: unknown). Make the mapping at its address known
 * to the regions, if possible. Return -ENOMEM, or -E2BIG: a recording cannot hold more images.
 */
int flt_timeline_fault(struct flt_timeline *timeline, struct flt_fault *fault,
		       struct flt_timeline_stack *stack);

/*
 * The same for events of perf, with setup.perf, which are decoded here. Events of other types are
 * ignored.
 */
int flt_timeline_perf_note(struct flt_timeline *timeline, const struct flt_perf_event *event);
int flt_timeline_perf_fault(struct flt_timeline *timeline, const struct flt_perf_event *event,
			    struct flt_fault *fault, struct flt_timeline_stack *stack);

/* Return the recording, or NULL if it is not kept in memory. */
struct flt_recording *flt_timeline_recording(struct flt_timeline *timeline);
/* Return true if the process runs, as far as the timeline was told. */
bool flt_timeline_knows(const struct flt_timeline *timeline, uint32_t pid);
/* Return the sum of the resident bytes of the processes that run now. */
uint64_t flt_timeline_rss(const struct flt_timeline *timeline);

#endif
