/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_index.h - the index of an unwind table: the first instruction of each function and the
 * place of its description (FDE), sorted.
 *
 * The format is that of .eh_frame_hdr in the LSB ("Exception Frames"), in the only encodings that
 * linkers write: 32-bit numbers relative to the index.
 */
#ifndef FLT_UNWIND_TABLE_INDEX_H
#define FLT_UNWIND_TABLE_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* Bytes before the first entry, and bytes of an entry. */
#define FLT_UNWIND_INDEX_HEADER 12
#define FLT_UNWIND_INDEX_ENTRY 8

/* A section of a file, in the file's own addresses. */
struct flt_unwind_section {
	uint64_t address;
	size_t size;
	unsigned char *bytes;
};

/* Return the number of entries, or 0 if the index cannot be searched. */
uint64_t flt_unwind_index_count(const struct flt_unwind_section *index);

/*
 * Make the index of a table, for static programs, which have none. index->address is set; the
 * caller frees index->bytes. Return the number of entries. 0: there is no memory, or no function.
 */
uint64_t flt_unwind_index_make(struct flt_unwind_section *index,
			       const struct flt_unwind_section *frames);

#endif
