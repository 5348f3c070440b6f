/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.h - bars of letters: amounts, each split into the same parts. */
#ifndef FLT_VIEW_PARTS_H
#define FLT_VIEW_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flt_part {
	const char *name;
	char letter;
	uint8_t color;		/* of 256; 0: the colour of the text */
};

struct flt_parts_bar {
	const char *label, *amount;
	const uint64_t *part;	/* one per struct flt_part */
};

struct flt_parts_style {
	bool color;
	size_t width;		/* columns of a line */
};

/*
 * Write a line per bar and the meaning of the letters. The longest bar has the largest sum. A part
 * that is not 0 may be too small for a letter. heading: of the labels; unit: of the amounts.
 */
void flt_parts_write(FILE *out, const struct flt_part *parts, size_t part_count,
		     const struct flt_parts_bar *bars, size_t count, const char *heading,
		     const char *unit, const struct flt_parts_style *style);

#endif
