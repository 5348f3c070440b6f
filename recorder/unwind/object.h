/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object.h - loaded objects and their unwind tables. Callers hold the unwind lock. */
#ifndef FLT_REC_OBJECT_H
#define FLT_REC_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_object {
	uint64_t start, end;	/* of the executable mapping */
	uint64_t eh_frame_hdr;	/* address, 0 = none */
	uint64_t eh_frame_hdr_end;
	bool anonymous;		/* code generated at run time */
};

/* Return the object that contains an address, or NULL. */
const struct rec_object *rec_object_find(uint64_t ip);
/* Read memory of this image without faulting. Return false if it is not mapped. */
bool rec_object_read(uint64_t address, void *to, size_t n);
/* Read from an unwind table. The blocks that were read last are kept. */
bool rec_object_read_table(uint64_t address, void *to, size_t n);
/*
 * Read the first n bytes of an index. Forget all blocks if they were those of another object, which
 * was unloaded.
 */
bool rec_object_read_index(uint64_t address, void *to, size_t n);
/*
 * Return true if the objects were read again since the last call. fltctl has to read its maps
 * again then. Needs no lock: a missed change is reported with the next fault.
 */
bool rec_object_take_changed(void);

#endif
