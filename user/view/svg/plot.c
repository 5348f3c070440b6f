// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/plot.h"

#include <math.h>

#include "view/svg/assets.h"
#include "view/svg/axis.h"
#include "view/svg/document.h"
#include "view/svg/xml.h"

#define WIDTH 900.0	/* of the plots */
#define LEFT 86.0
#define RIGHT 24.0
#define TOP 44.0
#define HEIGHT 200.0	/* of the first plot; further plots have half */
#define GAP 46.0
#define TICKS 4
/* Maximum number of moments that the pointer can select. Each repeats all values as text. */
#define MOMENTS_MAX 300

/* Blue, orange, green, purple of Okabe and Ito, which colour-blind people can tell apart. */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7" };

static double height_of(size_t plot)
{
	return plot ? HEIGHT / 2 : HEIGHT;
}

static double top_of(size_t plot)
{
	return TOP + (plot ? HEIGHT + GAP + (double)(plot - 1) * (HEIGHT / 2 + GAP) : 0);
}

static double largest_of(const struct flt_plot *p)
{
	double largest = 0;
	size_t i, k;

	for (i = 0; i < p->count; i++)
		for (k = 0; k < p->lines[i].count; k++)
			if (p->lines[i].values[k] > largest)
				largest = p->lines[i].values[k];
	return largest;
}

static double x_of(const struct flt_plot *p, double seconds)
{
	return LEFT + (p->seconds > 0 ? seconds / p->seconds * WIDTH : 0);
}

static void write_times(FILE *out, const struct flt_plot *p, double y)
{
	double step = flt_axis_time_step(p->seconds);
	int i;

	for (i = 0; i * step <= p->seconds; i++)
		fprintf(out, "<text class=\"time\" x=\"%.1f\" y=\"%g\">%g s</text>\n",
			x_of(p, i * step), y, i * step);
}

static void write_legend(FILE *out, const struct flt_plot *p, double y)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		double x = LEFT + WIDTH - 150 * (double)(p->count - i);

		fprintf(out, "<line x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\" stroke=\"%s\" "
			"stroke-width=\"3\"/><text x=\"%g\" y=\"%g\">", x, x + 18, y - 4, y - 4,
			colours[i % 4], x + 24, y);
		flt_xml_text(out, p->lines[i].name);
		fputs("</text>\n", out);
	}
}

static void write_axes(FILE *out, const struct flt_plot *p, size_t index, double end)
{
	double y, top = top_of(index), height = height_of(index);
	char text[48];
	int tick;

	if (p->title) {
		fprintf(out, "<text x=\"%g\" y=\"%g\">", LEFT, top - 8);
		flt_xml_text(out, p->title);
		fputs("</text>\n", out);
	}
	write_legend(out, p, top - 8);
	for (tick = 0; tick <= TICKS; tick++) {
		y = top + height - height * tick / TICKS;
		flt_axis_label(text, sizeof(text), end * tick / TICKS, p->bytes);
		fprintf(out, "<line class=\"grid\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\" "
			"stroke=\"#ddd\"/><text class=\"number\" x=\"%g\" y=\"%g\">%s</text>\n",
			LEFT, LEFT + WIDTH, y, y, LEFT - 8, y + 4, text);
	}
	write_times(out, p, top + height + 16);
}

static void write_line(FILE *out, const struct flt_plot *p, size_t index, size_t line, double end)
{
	const struct flt_plot_line *l = &p->lines[line];
	double bottom = top_of(index) + height_of(index), scale = height_of(index) / end;
	size_t i;

	if (l->count == 1) {
		fprintf(out,
			"<circle class=\"one\" r=\"4\" cx=\"%.1f\" cy=\"%.1f\" fill=\"%s\"/>\n",
			x_of(p, l->seconds[0]), bottom - l->values[0] * scale, colours[line % 4]);
		return;
	}
	fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" points=\"", colours[line % 4]);
	for (i = 0; i < l->count; i++)
		if (!isnan(l->values[i]))
			fprintf(out, "%.1f,%.1f ", x_of(p, l->seconds[i]),
				bottom - l->values[i] * scale);
	fputs("\"/>\n", out);
}

/* Write the values of all plots at one moment, which are shown while the pointer is there. */
static void write_moment(FILE *out, const struct flt_plot *plots, size_t count, size_t at,
			 size_t step, double bottom)
{
	const struct flt_plot_line *first = &plots[0].lines[0];
	double x = x_of(plots, first->seconds[at]), left = LEFT, right = LEFT + WIDTH, y = TOP + 6,
	       box;
	size_t i, k, rows = 1;
	char text[48];

	if (at)
		left = (x_of(plots, first->seconds[at - step]) + x) / 2;
	if (at + step < first->count)
		right = (x_of(plots, first->seconds[at + step]) + x) / 2;
	for (i = 0; i < count; i++)
		rows += plots[i].count;
	box = x > LEFT + WIDTH / 2 ? x - 208 : x + 8;
	fprintf(out,
		"<g class=\"at\"><rect class=\"hit\" x=\"%.1f\" y=\"%g\" width=\"%.1f\" "
		"height=\"%g\" fill=\"transparent\"/><g class=\"shown\" visibility=\"hidden\">"
		"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\"/>"
		"<rect class=\"box\" x=\"%.1f\" y=\"%g\" width=\"200\" height=\"%zu\" rx=\"4\"/>"
		"<text x=\"%.1f\" y=\"%g\">%.4g s</text>",
		left, TOP, right - left, bottom - TOP, x, x, TOP, bottom, box, y, rows * 16 + 8,
		box + 8, y + 16, first->seconds[at]);
	for (i = 0; i < count; i++) {
		for (k = 0; k < plots[i].count; k++) {
			if (at >= plots[i].lines[k].count || isnan(plots[i].lines[k].values[at]))
				continue;
			y += 16;
			flt_axis_label(text, sizeof(text), plots[i].lines[k].values[at],
				       plots[i].bytes);
			fprintf(out, "<text x=\"%.1f\" y=\"%g\">", box + 8, y + 16);
			flt_xml_text(out, plots[i].lines[k].name);
			fprintf(out, ": %s</text>", text);
		}
	}
	fputs("</g></g>\n", out);
}

void flt_plot_write(FILE *out, const char *title, const struct flt_plot *plots, size_t count,
		    bool alone)
{
	double bottom = top_of(count - 1) + height_of(count - 1), end;
	size_t moments = plots[0].lines[0].count, step = (moments + MOMENTS_MAX - 1) / MOMENTS_MAX;
	struct flt_svg svg = {
		.kind = "plot",
		.title = title,
		.css = flt_asset_plot_css,
		.left = LEFT,
		.alone = alone,
	};
	char size[64];
	size_t i, k;

	snprintf(size, sizeof(size), "viewBox=\"0 0 %g %g\"", LEFT + WIDTH + RIGHT, bottom + 30);
	svg.size = size;
	flt_svg_open(out, &svg);
	for (i = 0; i < count; i++) {
		end = flt_axis_end(largest_of(&plots[i]), plots[i].bytes);
		write_axes(out, &plots[i], i, end);
		for (k = 0; k < plots[i].count; k++)
			if (plots[i].lines[k].count)
				write_line(out, &plots[i], i, k, end);
	}
	for (i = 0; i < moments; i += step)
		write_moment(out, plots, count, i, step, bottom);
	flt_svg_close(out, &svg);
}
