/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cursor.h - values in DWARF tables, read from a copy of the table. */
#ifndef FLT_REC_CURSOR_H
#define FLT_REC_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct rec_cursor {
	const uint8_t *p, *end;
	uint64_t address;	/* of p in the image */
	bool bad;		/* a value was beyond the end or invalid; it was read as 0 */
};

/* Read n bytes, at most 8, as an unsigned number. */
uint64_t rec_cursor_take(struct rec_cursor *c, unsigned int n);
/* Read a LEB128 number. */
int64_t rec_cursor_take_leb(struct rec_cursor *c, bool sign);
/* Read a pointer in a DW_EH_PE encoding. data: base of data-relative pointers. */
uint64_t rec_cursor_take_encoded(struct rec_cursor *c, uint8_t enc, uint64_t data);
/* Skip n bytes. Return false if there are fewer. */
bool rec_cursor_skip(struct rec_cursor *c, uint64_t n);

#endif
