/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - names of code: function, file and line, with inlined functions.
 *
 * Sources are the file itself, a debug file (build-id or .gnu_debuglink), the vdso of the running
 * kernel, and the jit-PID.dump and the perf-PID.map of a JIT compiler. A file whose build-id
 * differs from the recording is not used. Code without a name is shown as object and offset. Only
 * regular files are opened.
 */
#ifndef FLT_MODEL_SYMBOLS_H
#define FLT_MODEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/recording/recording.h"

struct flt_frame {
	const char *function;	/* demangled; object+0xoffset if unknown */
	const char *file;	/* as given to the compiler; NULL: unknown */
	uint32_t line;		/* 0: unknown */
	bool inlined;		/* inlined into the next frame */
	bool named;		/* `function` is a name, not object+0xoffset */
};

/* All frames at a place, innermost first; at least one. */
struct flt_frames {
	const struct flt_frame *frame;
	size_t count;
	uint64_t offset;	/* of the place in its symbol, or in its object without a symbol */
	const char *object;	/* path, or name in brackets */
};

struct flt_symbols_setup {
	const char *root;	/* prefix for paths of files; NULL: none */
	const char *map_dir;	/* of perf-PID.map; NULL: /tmp */
	bool no_inlines;
	bool no_symbols;	/* object and offset only */
	bool internals;		/* inner functions of the recorder, too (recording.h) */
};

/* The options of a command; `member` is a struct flt_symbols_setup. */
#define FLT_SYMBOL_OPTS(args, member)							\
	{ .name = "no-inline", .type = FLT_OPT_FLAG,					\
	  .offset = offsetof(args, member.no_inlines),					\
	  .help = "Do not show inlined functions." },					\
	FLT_SYMBOL_FILE_OPTS(args, member)
/* The same without --no-inline. */
#define FLT_SYMBOL_FILE_OPTS(args, member)						\
	{ .name = "no-symbols", .type = FLT_OPT_FLAG,					\
	  .offset = offsetof(args, member.no_symbols),					\
	  .help = "Show code as object and offset. Read no other file." },		\
	{ .name = "root", .type = FLT_OPT_FILE, .offset = offsetof(args, member.root),	\
	  .arg = "DIR", .help = "Look for the files of the recording under DIR." }
/* Of commands that read recordings of record -L. Copy the member into struct flt_load, too. */
#define FLT_SYMBOL_INTERNALS_OPT(args, member)						\
	{ .name = "internals", .type = FLT_OPT_FLAG,					\
	  .offset = offsetof(args, member.internals),					\
	  .help = "Show the recorder's own functions, for example those of its allocator "	\
		  "below malloc(). By default a fault in them counts for the call of malloc()." }

struct flt_symbols;

/* rec, and all that setup points to, must outlive the symbols. */
int flt_symbols_new(struct flt_symbols **symbols, const struct flt_recording *rec,
		    const struct flt_symbols_setup *setup);
void flt_symbols_free(struct flt_symbols *symbols);

/*
 * Call fn before each place is looked up that was not looked up before, with the name of its
 * object. NULL: no longer.
 */
typedef void (*flt_symbols_watch_fn)(void *arg, const char *object);
void flt_symbols_watch(struct flt_symbols *symbols, flt_symbols_watch_fn fn, void *arg);

/* Return the frames of a place, which live as long as the symbols, or NULL without memory. */
const struct flt_frames *flt_symbols_at(struct flt_symbols *symbols, uint32_t place);

/* Return the number of objects that are not readable or not the recorded ones. */
size_t flt_symbols_missing(const struct flt_symbols *symbols, const char **first);

/* Return the part of a path after its last slash. */
const char *flt_symbols_base(const char *path);

#endif
