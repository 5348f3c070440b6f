// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/digits.h"

#include <endian.h>
#include <string.h>

#define E8 100000000u
#define ZEROS 0x3030303030303030ull	/* "00000000" */

/*
 * Return the eight digits of a number below 10^8, the first one in the low byte. Each step splits
 * all parts at once: into four digits, two digits, one digit. The factors are reciprocals of 100
 * and 10, exact for parts of four and of two digits.
 */
static inline uint64_t split(uint32_t value)
{
	uint64_t x = value / 10000 | (uint64_t)(value % 10000) << 32, high;

	high = x * 5243 >> 19 & 0x0000007f0000007full;
	x = high | (x - high * 100) << 16;
	high = x * 103 >> 10 & 0x000f000f000f000full;
	return high | (x - high * 10) << 8;
}

static inline void store(char *to, uint64_t digits)
{
	digits = htole64(digits);
	memcpy(to, &digits, sizeof(digits));
}

/* Write a number below 10^8 without leading zeros. */
static inline char *write_short(char *to, uint32_t value)
{
	const uint64_t digits = split(value);
	const int zeros = value ? __builtin_ctzll(digits) >> 3 : 7;

	store(to, (digits | ZEROS) >> 8 * zeros);
	return to + 8 - zeros;
}

static inline char *write_eight(char *to, uint32_t value)
{
	store(to, split(value) | ZEROS);
	return to + 8;
}

char *flt_digits_decimal(char *to, uint64_t value)
{
	const uint64_t high = value / E8;

	if (value < 10) {
		*to = (char)('0' + value);
		return to + 1;
	}
	if (!high)
		return write_short(to, (uint32_t)value);
	if (high < E8)
		to = write_short(to, (uint32_t)high);
	else
		to = write_eight(write_short(to, (uint32_t)(high / E8)), (uint32_t)(high % E8));
	return write_eight(to, (uint32_t)(value % E8));
}

/* Return eight digits of hexadecimal, the first one in the low byte. */
static inline uint64_t split_hex(uint32_t value)
{
	uint64_t x = value, letters;

	x = (x << 16 | x) & 0x0000ffff0000ffffull;
	x = (x << 8 | x) & 0x00ff00ff00ff00ffull;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0full;
	letters = (x + 0x0606060606060606ull) >> 4 & 0x0101010101010101ull;
	return __builtin_bswap64(x + ZEROS + letters * ('a' - '0' - 10));
}

char *flt_digits_hex(char *to, uint64_t value)
{
	const int digits = (67 - __builtin_clzll(value | 1)) / 4;

	value <<= 64 - 4 * digits;
	store(to, split_hex((uint32_t)(value >> 32)));
	store(to + 8, split_hex((uint32_t)value));
	return to + digits;
}
