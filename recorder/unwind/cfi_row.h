/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi_row.h - the rule that leads from one frame to its caller. */
#ifndef FLT_REC_CFI_ROW_H
#define FLT_REC_CFI_ROW_H

#include "arch/registers.h"

#include <stdint.h>

enum rec_row_kind {
	REC_ROW_NONE = 0,	/* the code has no tables */
	REC_ROW_REFUSED,	/* the table has a rule that is not supported */
	REC_ROW_CFA,		/* the fields below are valid */
	REC_ROW_SIGNAL,		/* a signal frame made by the kernel */
	REC_ROW_END,		/* outermost frame */
};

struct rec_row {
	uint64_t ip;		/* address of this cache entry, 0 = empty */
	uint64_t expression;	/* address of the CFA's expression, 0 = none */
	int32_t  cfa_offset;
	uint16_t expression_size;
	uint8_t  cfa_register;	/* DWARF number */
	uint8_t  kind;		/* enum rec_row_kind */
	uint16_t by_fp;		/* bit i: saved[i] is relative to the frame pointer, not the CFA */
	/* Columns: where the caller's value is, or REC_SAME. */
	rec_offset saved[REC_COLUMNS];
};
#define REC_SAME REC_OFFSET_MIN	/* the register has the caller's value */

#endif
