/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shares.h - bars of equal length, each split into the shares of the same parts. */
#ifndef FLT_VIEW_SHARES_H
#define FLT_VIEW_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flt_shares_part {
	const char *name, *colour;	/* colour: as in SVG, such as "#0072b2" */
};

struct flt_shares_bar {
	const char *label;
	const uint64_t *part;		/* amounts, one per struct flt_shares_part */
};

struct flt_shares {
	const char *title, *subtitle;	/* subtitle NULL: none */
	const char *heading;		/* of the labels */
	const struct flt_shares_part *parts;
	size_t part_count;
	const struct flt_shares_bar *bars;
	size_t count;
	char *(*write_amount)(char *text, uint64_t amount);	/* text: FLT_UNITS_TEXT bytes */
};

/*
 * Write a bar per line with its amount, and the sum of each part, as a file of its own. The
 * pointer shows the amount of a share. Bars without an amount have no shares.
 */
void flt_shares_write(FILE *out, const struct flt_shares *shares);

#endif
