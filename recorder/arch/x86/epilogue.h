/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_EPILOGUE_H
#define FLT_REC_X86_EPILOGUE_H

/* Decode "add N, %rsp". Return its length, or 0. */
static inline size_t rec_epilogue_add(const uint8_t *p, size_t left, int32_t *bytes)
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
static inline size_t rec_epilogue_pop(const uint8_t *p, size_t left, unsigned int *reg)
{
	size_t prefix = left && p[0] == 0x41;

	if (left <= prefix || (p[prefix] & 0xf8) != 0x58)
		return 0;
	*reg = (p[prefix] & 7u) + (prefix ? 8 : 0);
	return prefix + 1;
}

static inline bool rec_epilogue_decode(const uint8_t *code, size_t size, struct rec_epilogue *e)
{
	/* Columns of the registers by the number in instructions, which is not that of DWARF. */
	static const int8_t column[16] = {
		-1, -1, -1, 0, -1, 1, -1, -1, -1, -1, -1, -1, 2, 3, 4, 5,
	};
	int32_t above = 0, bytes;
	size_t at = 0, length;
	unsigned int reg;

	for (int i = 0; i < REC_COLUMNS; i++)
		e->saved[i] = REC_EPILOGUE_KEPT;
	while (at < size && above >= 0 && above < REC_EPILOGUE_MAX) {
		const uint8_t *p = code + at;
		size_t left = size - at;

		if (p[0] == 0xc3 || (left > 1 && p[0] == 0xf3 && p[1] == 0xc3)) {
			e->saved[REC_RETURN] = above;
			e->size = above + 8;
			return true;
		}
		if (left >= 3 && !memcmp(p, "\xc5\xf8\x77", 3)) {	/* vzeroupper */
			length = 3;
		} else if ((length = rec_epilogue_add(p, left, &bytes))) {
			if (bytes < 0)
				return false;
			above += bytes;
		} else if ((length = rec_epilogue_pop(p, left, &reg)) && reg != 4) {	/* not sp */
			if (column[reg] >= 0)
				e->saved[column[reg]] = above;
			above += 8;
		} else {
			return false;
		}
		at += length;
	}
	return false;
}

#endif
