// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * epilogue.c - decode the end of a function.
 *
 * Trampolines that are generated at run time, such as those of `python -X perf`, have neither
 * unwind tables nor frame pointers. After their call they only release the stack, restore
 * registers and return. Nothing is guessed: code that does anything else is not decoded.
 */
#include "epilogue.h"

#include <string.h>

/* A larger frame is not plausible. */
#define FRAME_MAX (1 << 20)

/* Decode "add N, %rsp". Return its length, or 0. */
static size_t decode_add(const uint8_t *p, size_t left, int32_t *bytes)
{
	if (left < 4 || p[0] != 0x48 || (p[1] != 0x83 && p[1] != 0x81) || p[2] != 0xc4)
		return 0;
	if (p[1] == 0x83) {
		*bytes = (int8_t)p[3];
		return 4;
	}
	if (left < 7)
		return 0;
	memcpy(bytes, p + 3, 4);
	return 7;
}

/* Decode "pop register". Return its length, or 0. */
static size_t decode_pop(const uint8_t *p, size_t left, unsigned int *reg)
{
	size_t prefix = left && p[0] == 0x41;

	if (left <= prefix || (p[prefix] & 0xf8) != 0x58)
		return 0;
	*reg = (p[prefix] & 7u) + (prefix ? 8 : 0);
	return prefix + 1;
}

bool rec_epilogue_decode(const uint8_t *code, size_t size, struct rec_epilogue *e)
{
	int32_t above = 0, bytes;
	size_t at = 0, length;
	unsigned int reg;

	for (reg = 0; reg < 16; reg++)
		e->saved[reg] = REC_EPILOGUE_KEPT;
	while (at < size && above >= 0 && above < FRAME_MAX) {
		const uint8_t *p = code + at;
		size_t left = size - at;

		if (p[0] == 0xc3 || (left > 1 && p[0] == 0xf3 && p[1] == 0xc3)) {
			e->return_offset = above;
			return true;
		}
		if (left >= 3 && !memcmp(p, "\xc5\xf8\x77", 3)) {	/* vzeroupper */
			length = 3;
		} else if ((length = decode_add(p, left, &bytes))) {
			if (bytes < 0)
				return false;
			above += bytes;
		} else if ((length = decode_pop(p, left, &reg)) && reg != 4) {	/* not sp */
			e->saved[reg] = above;
			above += 8;
		} else {
			return false;
		}
		at += length;
	}
	return false;
}
