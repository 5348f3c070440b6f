// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/atlas.h"

#include <inttypes.h>
#include <math.h>

#include "view/svg/assets.h"
#include "view/svg/axis.h"
#include "view/svg/document.h"
#include "view/svg/xml.h"

#define HEAD 92		/* pixels above the bands */
#define LABEL 16
#define GAP 5
#define FOOT 24
#define LEVELS 6
#define ROWS_HEIGHT 480u	/* of all rows, if that is within the limits of a row */
#define ROW_MIN 2u
#define ROW_MAX 6u

unsigned int flt_atlas_level(uint64_t count, uint64_t most, unsigned int levels)
{
	double share = most > 1 ? log((double)count) / log((double)most) : 1;
	unsigned int level = (unsigned int)(share * levels);

	return level < levels ? level : levels - 1;
}

/* Return the pixels per row: the fewer rows there are, the higher they are. */
static unsigned int row_height(const struct flt_atlas *a)
{
	unsigned int rows = 1, height;
	size_t i;

	for (i = 0; i < a->count; i++)
		rows += a->bands[i].rows;
	height = ROWS_HEIGHT / rows;
	return height < ROW_MIN ? ROW_MIN : height > ROW_MAX ? ROW_MAX : height;
}

static unsigned int height_of(const struct flt_atlas_band *b, unsigned int row)
{
	unsigned int height = b->rows * row;

	return height < 8 ? 8 : height > 64 * row ? 64 * row : height;
}

/* Write the cells of one tone as a path. Adjacent cells of a row are one rectangle. */
static void tone_write(FILE *out, const struct flt_atlas_band *b, uint64_t most, unsigned int level,
		       bool again)
{
	const struct flt_atlas_cell *c;
	bool open = false;
	size_t i, k;

	for (i = 0; i < b->count; i = k) {
		c = &b->cells[i];
		k = i + 1;
		if (flt_atlas_level(c->all, most, LEVELS) != level ||
		    (c->again * 2 >= c->all) != again)
			continue;
		while (k < b->count && b->cells[k].row == c->row &&
		       b->cells[k].column == c->column + (k - i) &&
		       flt_atlas_level(b->cells[k].all, most, LEVELS) == level &&
		       (b->cells[k].again * 2 >= b->cells[k].all) == again)
			k++;
		if (!open)
			fprintf(out, "<path class=\"%c%u\" d=\"", again ? 'r' : 'f', level);
		open = true;
		fprintf(out, "M%u %uh%zuv1h-%zuz", c->column, c->row, k - i, k - i);
	}
	if (open)
		fputs("\"/>", out);
}

static void band_write(FILE *out, const struct flt_atlas *a, const struct flt_atlas_band *b,
		       uint64_t most, unsigned int y, unsigned int height)
{
	unsigned int level;
	size_t i;

	fprintf(out, "<text x=\"8\" y=\"%u\" class=\"band\">", y + LABEL - 5);
	flt_xml_text(out, b->name);
	fputs("<tspan class=\"soft\">  ", out);
	flt_xml_text(out, b->note);
	fprintf(out,
		"</tspan></text>\n<svg class=\"b\" y=\"%u\" width=\"100%%\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\" "
		"preserveAspectRatio=\"none\" data-rows=\"%u\" data-start=\"%" PRIu64
		"\" data-bytes=\"%" PRIu64 "\" data-name=\"",
		y + LABEL, height, a->columns, b->rows, b->rows, b->start, b->bytes);
	flt_xml_text(out, b->name);
	fputs("\" data-cells=\"", out);
	for (i = 0; i < b->count; i++)
		fprintf(out, "%u,%u,%" PRIu64 ",%" PRIu64 ";", b->cells[i].row, b->cells[i].column,
			b->cells[i].all, b->cells[i].again);
	fprintf(out, "\">\n<rect class=\"bg\" width=\"%u\" height=\"%u\"/>", a->columns, b->rows);
	for (level = 0; level < LEVELS; level++) {
		tone_write(out, b, most, level, false);
		tone_write(out, b, most, level, true);
	}
	for (i = 0; b->areas && i < b->rows; i++) {
		fprintf(out, "\n<desc data-start=\"%" PRIu64 "\" data-end=\"%" PRIu64 "\">",
			b->areas[i].start, b->areas[i].end);
		flt_xml_text(out, b->areas[i].name);
		fputs("</desc>", out);
	}
	fputs("</svg>\n", out);
}

static void legend_write(FILE *out, uint64_t most)
{
	unsigned int i;

	fputs("<g transform=\"translate(8 46)\">", out);
	for (i = 0; i < LEVELS; i++)
		fprintf(out,
			"<rect class=\"f%u\" x=\"%u\" width=\"14\" height=\"11\"/><rect "
			"class=\"r%u\" x=\"%u\" width=\"14\" height=\"11\"/>",
			i, 44 + i * 14, i, 214 + i * 14);
	fprintf(out,
		"<text class=\"soft\" y=\"10\">faults</text><text class=\"soft\" x=\"160\" "
		"y=\"10\">refaults</text>"
		"<text class=\"soft\" x=\"306\" y=\"10\">1 to %" PRIu64 " in a cell</text></g>\n",
		most);
}

static void times_write(FILE *out, double seconds, unsigned int y)
{
	double step = flt_axis_time_step(seconds), share;
	int i;

	for (i = 0; i * step <= seconds; i++) {
		share = seconds > 0 ? i * step / seconds : 0;
		fprintf(out,
			"<text class=\"soft\" x=\"%.2f%%\" y=\"%u\" text-anchor=\"%s\"%s>%g "
			"s</text>\n",
			share * 100, y,
			share < 0.03 ? "start" :
			share > 0.97 ? "end" :
				       "middle",
			share < 0.03 ? " dx=\"8\"" :
			share > 0.97 ? " dx=\"-8\"" :
				       "",
			i * step);
	}
}

void flt_atlas_write(FILE *out, const struct flt_atlas *a, bool alone)
{
	unsigned int height = HEAD, y = HEAD, row = row_height(a);
	uint64_t most = 1;
	char size[128];
	const struct flt_svg svg = {
		.kind = "atlas", .size = size, .title = a->title, .subtitle = a->subtitle,
		.css = flt_asset_atlas_css, .js = flt_asset_atlas_js, .left = 8, .alone = alone,
	};
	size_t i, k;

	for (i = 0; i < a->count; i++) {
		height += LABEL + height_of(&a->bands[i], row) + GAP;
		for (k = 0; k < a->bands[i].count; k++)
			if (a->bands[i].cells[k].all > most)
				most = a->bands[i].cells[k].all;
	}
	height += FOOT;
	snprintf(size, sizeof(size), "width=\"100%%\" height=\"%u\" data-seconds=\"%.9g\" "
		 "data-columns=\"%u\"", height, a->seconds, a->columns);
	flt_svg_open(out, &svg);
	legend_write(out, most);
	times_write(out, a->seconds, 82);
	for (i = 0; i < a->count; i++) {
		band_write(out, a, &a->bands[i], most, y, height_of(&a->bands[i], row));
		y += LABEL + height_of(&a->bands[i], row) + GAP;
	}
	if (!a->count)
		fprintf(out, "<text x=\"8\" y=\"%u\">No faults to show.</text>\n", y + 14);
	times_write(out, a->seconds, height - 8);
	fputs("<g class=\"tip\" visibility=\"hidden\" aria-live=\"polite\">"
	      "<rect width=\"10\" height=\"52\" rx=\"4\"/><text x=\"8\" y=\"16\"/>"
	      "<text x=\"8\" y=\"31\"/><text x=\"8\" y=\"46\"/></g>\n", out);
	flt_svg_close(out, &svg);
}
