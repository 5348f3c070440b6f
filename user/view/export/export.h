/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - call stacks in the formats of other tools.
 *
 * Stacks are given as the frames of a flame graph, depth first. Frame 0 is the sum. A frame ends a
 * stack if its .self is not 0. Functions return -ENOMEM; check the FILE for write errors.
 */
#ifndef FLT_VIEW_EXPORT_H
#define FLT_VIEW_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "view/svg/flame.h"
#include "view/table/json.h"

/* Write lines of "outer;inner COUNT". Semicolons in names become colons. */
int flt_folded_write(FILE *out, const struct flt_flame_frame *frames, size_t n);

/* Write JSON for https://www.speedscope.app with one sampled profile. */
int flt_speedscope_write(FILE *out, const struct flt_flame_frame *frames, size_t n,
			 const char *title);

/* Write pprof's profile.proto, compressed by gzip: faults, first touches, refaults. */
int flt_pprof_write(FILE *out, const struct flt_flame_frame *frames, size_t n, uint64_t time_ns,
		    uint64_t duration_ns);

/*
 * Trace events in JSON for ui.perfetto.dev and chrome://tracing: each fault at its time on its
 * thread, memory as counters.
 */
struct flt_perfetto {
	struct flt_json json;
};

struct flt_perfetto_fault {
	uint64_t time, duration;	/* ns since the start of recording; duration 0: unknown */
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
