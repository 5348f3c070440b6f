/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_trace.h - events of perf_stream.h into a trace file: which process is
 * which image, and which touch of a page was the first.
 */
#ifndef FLT_PERF_TRACE_H
#define FLT_PERF_TRACE_H

#include <stdint.h>

#include "source/perf/event.h"
#include "source/file/file.h"

struct flt_perf_trace;

/*
 * `command` is the process that is to exec, or 0. `max_stack` bounds stacks that
 * are unwound here, from registers and stack. The writer stays the caller's.
 */
int flt_perf_trace_new(struct flt_perf_trace **t, struct flt_file_writer *w, uint32_t command, uint32_t max_stack);
/* The writer may be closed by then. */
void flt_perf_trace_free(struct flt_perf_trace *t);

/* A process that runs already: its image, threads and maps. -ESRCH: gone. */
int flt_perf_trace_found(struct flt_perf_trace *t, uint64_t time, uint32_t pid);
/* Every process that runs already. */
int flt_perf_trace_found_all(struct flt_perf_trace *t, uint64_t time);

/* A flt_perf_fn. */
int flt_perf_trace_event(void *t, const struct flt_perf_event *event);

/* Statistics as of now. */
int flt_perf_trace_stats(struct flt_perf_trace *t, uint64_t time);

uint64_t flt_perf_trace_faults(const struct flt_perf_trace *t);	/* seen so far */
uint64_t flt_perf_trace_majors(const struct flt_perf_trace *t);

#endif
