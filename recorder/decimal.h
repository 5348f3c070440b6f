/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decimal.h - numbers in names of files, where libc's stdio is out of reach. */
#ifndef FLT_REC_DECIMAL_H
#define FLT_REC_DECIMAL_H

#include <stdint.h>

/* Ten digits at most and no NUL; returns their end. */
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
