/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto.h - a trace in Perfetto's protobuf format, for ui.perfetto.dev and trace_processor.
 *
 * Each fault is at its time on its thread; memory is a counter. perfetto.proto is the schema.
 * Packets are written one by one, so memory grows only with the number of names and threads. The
 * first error is kept and returned at the end.
 */
#ifndef FLT_VIEW_PERFETTO_H
#define FLT_VIEW_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct flt_perfetto;

struct flt_perfetto_fault {
	uint64_t time, duration;	/* ns since the start of recording; duration 0: unknown */
	uint32_t pid, tid;
	const char *name, *kind, *source;	/* source may be NULL */
	uint64_t address, weight;
	bool write, refault, major;
};

/* Return -ENOMEM. */
int flt_perfetto_new(struct flt_perfetto **perfetto, FILE *file);
void flt_perfetto_process(struct flt_perfetto *p, uint32_t pid, const char *name);
void flt_perfetto_fault(struct flt_perfetto *p, const struct flt_perfetto_fault *fault);
/* A counter of bytes. */
void flt_perfetto_counter(struct flt_perfetto *p, uint64_t time, const char *name, uint64_t value);
/* Free all. Return 0 or -ENOMEM; the caller checks the FILE. */
int flt_perfetto_end(struct flt_perfetto *p);

#endif
