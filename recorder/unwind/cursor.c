// SPDX-License-Identifier: GPL-2.0-or-later
/* cursor.c - numbers, LEB128 and encoded pointers. */
#include "cursor.h"

#include <stddef.h>
#include <string.h>

uint64_t rec_cursor_take(struct rec_cursor *c, unsigned int n)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < n) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->p, n);
	c->p += n;
	c->address += n;
	return v;
}

int64_t rec_cursor_take_leb(struct rec_cursor *c, bool sign)
{
	unsigned int shift = 0;
	uint64_t v = 0, b;

	do {
		b = rec_cursor_take(c, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80 && !c->bad);
	if (sign && b & 0x40 && shift < 64)
		v |= ~0ULL << shift;
	return (int64_t)v;
}

/* Indirect encodings are not supported, because code addresses never have them. */
uint64_t rec_cursor_take_encoded(struct rec_cursor *c, uint8_t enc, uint64_t data)
{
	uint64_t at = c->address, v;

	switch (enc & 0x0f) {
	case 0x00: case 0x04: case 0x0c: v = rec_cursor_take(c, 8); break;
	case 0x01: v = (uint64_t)rec_cursor_take_leb(c, false); break;
	case 0x02: v = rec_cursor_take(c, 2); break;
	case 0x03: v = rec_cursor_take(c, 4); break;
	case 0x09: v = (uint64_t)rec_cursor_take_leb(c, true); break;
	case 0x0a: v = (uint64_t)(int64_t)(int16_t)rec_cursor_take(c, 2); break;
	case 0x0b: v = (uint64_t)(int64_t)(int32_t)rec_cursor_take(c, 4); break;
	default: c->bad = true; return 0;
	}
	if ((enc & 0x70) == 0x10)
		v += at;
	else if ((enc & 0x70) == 0x30)
		v += data;
	return v;
}

bool rec_cursor_skip(struct rec_cursor *c, uint64_t n)
{
	if ((size_t)(c->end - c->p) < n)
		return false;
	c->p += n;
	c->address += n;
	return true;
}
