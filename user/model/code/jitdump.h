/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump.h - names and lines of code that a compiler made at run time, from its jit-PID.dump.
 *
 * The format is described in the kernel's tools/perf/Documentation/jitdump-specification.txt.
 * The program maps the first page of the file as executable, so that the path of the file is
 * in recordings of its mappings.
 */
#ifndef FLT_MODEL_JITDUMP_H
#define FLT_MODEL_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

struct flt_jitdump;

/* Code at an address. Strings live as long as the dump. */
struct flt_jitdump_code {
	const char *function;
	uint64_t offset;	/* of the address in the function */
	const char *file;	/* NULL: unknown */
	uint32_t line;
};

/* Return true if a path ends with the name that the dump of a process has. */
bool flt_jitdump_is_path(const char *path, uint32_t pid);

/*
 * Read the dump of a process. Return NULL without memory, and if the file is not readable, not
 * a dump of this process in the byte order of this machine, or owned by another user.
 */
struct flt_jitdump *flt_jitdump_load(const char *path, uint32_t pid);
void flt_jitdump_free(struct flt_jitdump *dump);

/* Find the code that was last at an address. Return false if there is none. */
bool flt_jitdump_find(const struct flt_jitdump *dump, uint64_t address,
		      struct flt_jitdump_code *code);

#endif
