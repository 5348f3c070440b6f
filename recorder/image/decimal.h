/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decimal.h - numbers in file names, for code that cannot call stdio. */
#ifndef FLT_REC_DECIMAL_H
#define FLT_REC_DECIMAL_H

#include <stdint.h>

/* Write up to ten digits and no NUL. Return their end. */
static inline char *rec_decimal(char *p, uint32_t n)
{
	char digit[12];
	int k = 0;

	do {
		digit[k++] = (char)('0' + n % 10);
	} while (n /= 10);
	while (k)
		*p++ = digit[--k];
	return p;
}

#endif
