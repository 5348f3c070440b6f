/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - call stacks for other people's tools.
 *
 * Stacks are the frames of a flame graph, depth first, frame 0 being everything;
 * a frame with faults of its own is the end of a stack. -ENOMEM; write errors
 * stay in the FILE.
 */
#ifndef FLT_VIEW_EXPORT_H
#define FLT_VIEW_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "view/svg/flame.h"
#include "view/table/json.h"

/* "outer;inner COUNT" a line. A semicolon in a name becomes a colon. */
int flt_folded_write(FILE *out, const struct flt_flame_frame *frames, size_t n);

/* JSON of https://www.speedscope.app, one sampled profile. */
int flt_speedscope_write(FILE *out, const struct flt_flame_frame *frames, size_t n, const char *title);

/* profile.proto of pprof, not compressed: faults, first touches, refaults. */
int flt_pprof_write(FILE *out, const struct flt_flame_frame *frames, size_t n, uint64_t time_ns, uint64_t duration_ns);

/*
 * Trace events in JSON, as ui.perfetto.dev and chrome://tracing read them: each
 * fault at its time on its thread, memory as counters.
 */
struct flt_perfetto {
	struct flt_json json;
};

struct flt_perfetto_fault {
	uint64_t time, duration;	/* ns from the beginning; duration 0: unknown */
	uint32_t pid, tid;
	const char *name, *kind, *source;	/* source may be NULL */
	uint64_t address, weight;
	bool write, refault, major;
};

void flt_perfetto_open(struct flt_perfetto *p, FILE *out);
void flt_perfetto_name(struct flt_perfetto *p, uint32_t pid, uint32_t tid, const char *name);
void flt_perfetto_fault(struct flt_perfetto *p, const struct flt_perfetto_fault *fault);
void flt_perfetto_counter(struct flt_perfetto *p, uint64_t time, const char *name, uint64_t value);
void flt_perfetto_close(struct flt_perfetto *p);

#endif
