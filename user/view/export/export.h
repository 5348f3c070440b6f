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

enum flt_pprof_values {
	FLT_PPROF_FAULTS,	/* faults, first touches, refaults */
	FLT_PPROF_PAGES,	/* resident pages */
};

/* Write pprof's profile.proto, compressed by gzip. */
int flt_pprof_write(FILE *out, const struct flt_flame_frame *frames, size_t n,
		    enum flt_pprof_values values, uint64_t time_ns, uint64_t duration_ns);

#endif
