/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame.h - an interactive flame graph: outermost function on top, width is the share. */
#ifndef FLT_VIEW_FLAME_H
#define FLT_VIEW_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flt_flame_frame {
	const char *name, *object;	/* object may be NULL */
	uint32_t depth;			/* 0: the first frame, all faults */
	uint64_t start, total, self;	/* in units; children lie within their parent */
	uint64_t read, write, exec;	/* of total; the rest is unknown */
	uint64_t alloc, refault;
};

struct flt_flame {
	const char *title, *subtitle;
	const char *unit;		/* plural; NULL: faults */
	const struct flt_flame_frame *frames;	/* depth first */
	size_t count;
	uint64_t hidden;		/* frames left out because they are too narrow */
};

/* Write the graph. alone: a file of its own, else an element of a page. */
void flt_flame_write(FILE *out, const struct flt_flame *flame, bool alone);

#endif
