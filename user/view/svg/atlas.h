/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * atlas.h - a heat map of faults by address (down) and time (across), as SVG and on a terminal.
 *
 * Memory is divided into bands. The unused address space between two bands is left out.
 */
#ifndef FLT_VIEW_ATLAS_H
#define FLT_VIEW_ATLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flt_atlas_cell {
	uint32_t row, column;
	uint64_t all, again;	/* faults, and refaults among them */
};

struct flt_atlas_band {
	const char *name, *note;
	uint64_t start;		/* address of row 0 */
	uint64_t bytes;		/* of a row */
	uint32_t rows;
	/* If not NULL, each row is a small area with its own name, start and end. */
	const struct flt_atlas_area *areas;
	const struct flt_atlas_cell *cells;	/* sorted by row, then column; no duplicates */
	size_t count;
};

struct flt_atlas_area {
	const char *name;
	uint64_t start, end;
};

struct flt_atlas {
	const char *title, *subtitle;
	double seconds;		/* of all columns together */
	uint32_t columns;
	const struct flt_atlas_band *bands;
	size_t count;
	size_t hidden;		/* bands left out */
};

/* Write an interactive picture. alone: a file of its own, else an element of a page. */
void flt_atlas_write(FILE *out, const struct flt_atlas *atlas, bool alone);

struct flt_blocks {
	unsigned int width;	/* columns of the terminal */
	unsigned int lines;	/* largest height of a band, without its name */
	bool colour;		/* 256 colours, else shades of characters */
	bool utf8;
};

void flt_blocks_write(FILE *out, const struct flt_atlas *atlas, const struct flt_blocks *blocks);

/* Return a level of 0 to levels - 1, logarithmic. count must not be 0. */
unsigned int flt_atlas_level(uint64_t count, uint64_t most, unsigned int levels);

#endif
