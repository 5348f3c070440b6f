/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h - unwind tables of files: .eh_frame and its index .eh_frame_hdr.
 *
 * The sections are copied, not mapped: an access to a mapped file that somebody truncates would
 * kill the process.
 */
#ifndef FLT_UNWIND_TABLES_H
#define FLT_UNWIND_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "source/unwind/table_index.h"

/* All addresses are the file's own, as if it was loaded at 0. */
struct flt_unwind_tables {
	uint64_t low, high;	/* of all that is loaded */
	struct flt_unwind_section index, frames;
	uint64_t entries;	/* in the index; 0: there is no index that can be searched */
	uint64_t first;		/* address of the first entry */
	bool hopeless;		/* no other library has a rule either where these have none */
};

/* Tables of files, shared by the processes that map them. */
struct flt_unwind_store;

/* Return NULL if there is no memory. */
struct flt_unwind_store *flt_unwind_store_new(void);
void flt_unwind_store_free(struct flt_unwind_store *store);

/* Return the tables of the vDSO, which is the same in all processes, or NULL. */
struct flt_unwind_tables *flt_unwind_store_vdso(struct flt_unwind_store *store);

/*
 * Return the tables of a file, and the address in the file that is at `offset` of it. The tables
 * belong to the store, but the caller may set `hopeless`. Return NULL if it is no file of this
 * machine, has no code at this offset, or if the store is full.
 */
struct flt_unwind_tables *flt_unwind_store_get(struct flt_unwind_store *store, const char *path,
					       uint64_t offset, uint64_t *address);

#endif
