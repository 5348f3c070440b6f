// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/shares.h"

#include "text/units.h"
#include "view/svg/assets.h"
#include "view/svg/document.h"
#include "view/svg/xml.h"

#define LABEL 170.0	/* right end of the labels */
#define LEFT 180.0
#define WIDTH 640.0	/* of a bar */
#define RIGHT 100.0
#define TOP 72.0
#define LINE 24.0
#define BAR 18.0
#define GAP 20.0	/* between the bars and the sums */

static uint64_t sum_of(const struct flt_shares *s, const struct flt_shares_bar *bar)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < s->part_count; i++)
		sum += bar->part[i];
	return sum;
}

static uint64_t part_sum(const struct flt_shares *s, size_t part)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < s->count; i++)
		sum += s->bars[i].part[part];
	return sum;
}

static void write_share(FILE *out, const struct flt_shares *s, const struct flt_shares_bar *bar,
			size_t part, double x, double y, uint64_t sum)
{
	char amount[FLT_UNITS_TEXT];
	double share = (double)bar->part[part] / (double)sum;

	fprintf(out, "<rect class=\"share\" x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"%g\" "
		"fill=\"%s\"><title>", x, y, share * WIDTH, BAR, s->parts[part].colour);
	flt_xml_text(out, bar->label);
	fputs(": ", out);
	flt_xml_text(out, s->parts[part].name);
	fprintf(out, " %s, %.1f %%</title></rect>\n", s->write_amount(amount, bar->part[part]),
		100 * share);
}

static void write_bar(FILE *out, const struct flt_shares *s, const struct flt_shares_bar *bar,
		      double y)
{
	uint64_t sum = sum_of(s, bar);
	char amount[FLT_UNITS_TEXT];
	double x = LEFT;
	size_t i;

	fprintf(out, "<text class=\"number\" x=\"%g\" y=\"%g\">", LABEL, y + BAR - 5);
	flt_xml_text(out, bar->label);
	fprintf(out, "</text><text x=\"%g\" y=\"%g\">%s</text>\n", LEFT + WIDTH + 10, y + BAR - 5,
		s->write_amount(amount, sum));
	for (i = 0; sum && i < s->part_count; i++) {
		if (!bar->part[i])
			continue;
		write_share(out, s, bar, i, x, y, sum);
		x += (double)bar->part[i] / (double)sum * WIDTH;
	}
}

/* Write a line per part that is not 0. */
static void write_sums(FILE *out, const struct flt_shares *s, double y)
{
	char amount[FLT_UNITS_TEXT];
	uint64_t sum, all = 0;
	size_t i;

	for (i = 0; i < s->part_count; i++)
		all += part_sum(s, i);
	for (i = 0; i < s->part_count; i++) {
		sum = part_sum(s, i);
		if (!sum)
			continue;
		fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"%s\"/>"
			"<text class=\"number\" x=\"%g\" y=\"%g\">%s</text>"
			"<text x=\"%g\" y=\"%g\">%.1f %% ", LEFT, y, BAR, BAR, s->parts[i].colour,
			LABEL, y + BAR - 5, s->write_amount(amount, sum), LEFT + BAR + 10,
			y + BAR - 5, 100 * (double)sum / (double)all);
		flt_xml_text(out, s->parts[i].name);
		fputs("</text>\n", out);
		y += LINE;
	}
}

static double height_of(const struct flt_shares *s)
{
	double lines = (double)s->count;
	size_t i;

	for (i = 0; i < s->part_count; i++)
		lines += part_sum(s, i) != 0;
	return TOP + lines * LINE + GAP;
}

void flt_shares_write(FILE *out, const struct flt_shares *s)
{
	struct flt_svg svg = {
		.kind = "plot", .title = s->title, .subtitle = s->subtitle,
		.css = flt_asset_plot_css, .left = (unsigned int)LEFT, .alone = true,
	};
	double y = TOP;
	char size[64];
	size_t i;

	snprintf(size, sizeof(size), "viewBox=\"0 0 %g %g\"", LEFT + WIDTH + RIGHT, height_of(s));
	svg.size = size;
	flt_svg_open(out, &svg);
	fprintf(out, "<text class=\"number\" x=\"%g\" y=\"%g\">", LABEL, TOP - 8);
	flt_xml_text(out, s->heading);
	fputs("</text>\n", out);
	for (i = 0; i < s->count; i++, y += LINE)
		write_bar(out, s, &s->bars[i], y);
	write_sums(out, s, y + GAP / 2);
	flt_svg_close(out, &svg);
}
