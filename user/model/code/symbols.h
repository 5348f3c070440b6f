/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - names of code: function, file and line, with inlined functions.
 *
 * By libdwfl from the file itself, a separate debug file (build-id or
 * .gnu_debuglink), the running kernel's own vdso, or the perf-PID.map of a JIT.
 * A file that is not the one recorded (its build-id differs) is not used. What
 * can't be resolved has no function: that is no error, it is shown as object and
 * offset. Files named by a recording are opened only if they are regular.
 */
#ifndef FLT_MODEL_SYMBOLS_H
#define FLT_MODEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/recording/recording.h"

struct flt_frame {
	const char *function;	/* demangled; object+0xoffset if it is not known */
	const char *file;	/* as the compiler had it; NULL: unknown */
	uint32_t line;		/* 0: unknown */
	bool inlined;		/* into the next frame */
	bool named;		/* function is one */
};

/* All frames at one place, the innermost first; never empty. */
struct flt_frames {
	const struct flt_frame *frame;
	size_t count;
	uint64_t offset;	/* of the place: in its symbol, or in its object if there is none */
	const char *object;	/* path, or a name in brackets */
};

struct flt_symbols_setup {
	const char *root;	/* before the path of files; NULL: none */
	const char *map_dir;	/* of perf-PID.map; NULL: /tmp */
	bool no_inlines;
	bool no_symbols;	/* object and offset only */
};

struct flt_symbols;

/* rec and what setup points at must outlive it. */
int flt_symbols_new(struct flt_symbols **symbols, const struct flt_recording *rec, const struct flt_symbols_setup *setup);
void flt_symbols_free(struct flt_symbols *symbols);

/* By the index of a place; lives as long as symbols. NULL: no memory. */
const struct flt_frames *flt_symbols_at(struct flt_symbols *symbols, uint32_t place);

/* Objects that could not be read, or were others than those recorded. */
size_t flt_symbols_missing(const struct flt_symbols *symbols, const char **first);

/* What is behind the last slash. */
const char *flt_symbols_base(const char *path);

#endif
