// SPDX-License-Identifier: GPL-2.0-or-later
/* An atlas on a terminal: a line shows several rows, a character several columns. */
#include <stdlib.h>
#include <string.h>

#include "view/svg/atlas.h"
#include "text/escape.h"

#define SHADES 4
#define COLOURS 6
#define WIDTH_MIN 20u
#define WIDTH_MAX 512u
#define NAME_MAX_BYTES 400

struct grid {
	uint32_t lines, columns;
	uint64_t *all, *again;
};

static void grid_fill(struct grid *g, const struct flt_atlas *a, const struct flt_atlas_band *b)
{
	const struct flt_atlas_cell *c;
	size_t i, at;

	memset(g->all, 0, (size_t)g->lines * g->columns * sizeof(*g->all));
	memset(g->again, 0, (size_t)g->lines * g->columns * sizeof(*g->again));
	for (i = 0; i < b->count; i++) {
		c = &b->cells[i];
		at = (size_t)((uint64_t)c->row * g->lines / b->rows) * g->columns +
		     (uint64_t)c->column * g->columns / a->columns;
		g->all[at] += c->all;
		g->again[at] += c->again;
	}
}

static void cell_write(FILE *out, const struct flt_blocks *t, uint64_t all, uint64_t again,
		       uint64_t most)
{
	/* Colour numbers from dark to bright: of faults, and of refaults. */
	static const unsigned char first[COLOURS] = { 24, 31, 38, 44, 50, 86 },
				   second[COLOURS] = { 52, 88, 124, 160, 202, 214 };
	static const char *const shades[SHADES] = { "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93",
						    "\xe2\x96\x88" };

	if (!all)
		fputc(' ', out);
	else if (t->colour)
		fprintf(out, "\033[48;5;%um \033[0m",
			(again * 2 >= all ? second : first)[flt_atlas_level(all, most, COLOURS)]);
	else if (t->utf8)
		fputs(shades[flt_atlas_level(all, most, SHADES)], out);
	else
		fputc(".:+#"[flt_atlas_level(all, most, SHADES)], out);
}

static void band_write(FILE *out, const struct flt_blocks *t, const struct flt_atlas_band *b,
		       const struct grid *g)
{
	char name[NAME_MAX_BYTES], note[NAME_MAX_BYTES];
	uint64_t most = 1;
	uint32_t i, k;

	for (i = 0; i < g->lines * g->columns; i++)
		if (g->all[i] > most)
			most = g->all[i];
	flt_escape_text(name, sizeof(name), b->name, strlen(b->name));
	/* The note may have the name of a process. */
	flt_escape_text(note, sizeof(note), b->note, strlen(b->note));
	fprintf(out, "%s  %s\n", name, note);
	for (i = 0; i < g->lines; i++) {
		fputs(t->utf8 ? "\xe2\x94\x82" : "|", out);
		for (k = 0; k < g->columns; k++)
			cell_write(out, t, g->all[(size_t)i * g->columns + k],
				   g->again[(size_t)i * g->columns + k], most);
		fputs(t->utf8 ? "\xe2\x94\x82\n" : "|\n", out);
	}
}

void flt_blocks_write(FILE *out, const struct flt_atlas *a, const struct flt_blocks *t)
{
	uint32_t width = t->width < WIDTH_MIN ? WIDTH_MIN :
			 t->width > WIDTH_MAX ? WIDTH_MAX :
						t->width;
	struct grid g = { .columns = width - 2 };
	size_t i;

	g.all = calloc((size_t)t->lines * g.columns, sizeof(*g.all));
	g.again = calloc((size_t)t->lines * g.columns, sizeof(*g.again));
	for (i = 0; g.all && g.again && i < a->count; i++) {
		g.lines = a->bands[i].rows < t->lines ? a->bands[i].rows : t->lines;
		grid_fill(&g, a, &a->bands[i]);
		band_write(out, t, &a->bands[i], &g);
	}
	free(g.all);
	free(g.again);
	fprintf(out, "0 s%*.3g s\n", (int)width - 5, a->seconds);
	if (a->hidden)
		fprintf(out, "(%zu more regions)\n", a->hidden);
}
