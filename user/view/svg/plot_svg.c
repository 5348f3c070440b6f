// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/plot.h"

#include "view/svg/xml.h"

#define WIDTH 900.0	/* of the plots */
#define LEFT 86.0
#define RIGHT 24.0
#define TOP 44.0
#define HEIGHT 200.0	/* of the first plot; the others have half */
#define GAP 46.0
#define TICKS 4

/* Blue, orange, green, purple of Okabe and Ito: told apart by all eyes. */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7" };

static const char style[] =
	"<style>\n"
	"text { font: 12px sans-serif; fill: #333; }\n"
	"text.title { font-size: 15px; font-weight: bold; }\n"
	"text.number { text-anchor: end; font-size: 11px; fill: #666; }\n"
	"text.time { text-anchor: middle; font-size: 11px; fill: #666; }\n"
	"line.grid { stroke: #ddd; }\n"
	"polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }\n"
	"circle.one { stroke: none; }\n"
	"g.at rect.hit { fill: transparent; }\n"
	"g.at .shown { visibility: hidden; }\n"
	"g.at:hover .shown { visibility: visible; }\n"
	"g.at line { stroke: #888; }\n"
	"g.at rect.box { fill: #fffffff0; stroke: #888; }\n"
	"rect.paper { fill: #fff; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	"text { fill: #ddd; }\n"
	"text.number, text.time { fill: #aaa; }\n"
	"line.grid { stroke: #3a3a3a; }\n"
	"g.at rect.box { fill: #1b1b1bf0; }\n"
	"rect.paper { fill: #1b1b1b; }\n"
	"}\n"
	"</style>\n";

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

/* Between labels of the time, so that there are six at most. */
static double time_step(double seconds)
{
	static const double steps[] = { 1e-3, 2e-3, 5e-3, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15, 30,
					60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400 };
	size_t i = 0;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) && steps[i] * 6 < seconds)
		i++;
	return steps[i] * 6 < seconds ? seconds / 6 : steps[i];
}

static void write_times(FILE *out, const struct flt_plot *p, double y)
{
	double step = time_step(p->seconds);
	int i;

	for (i = 0; i * step <= p->seconds; i++)
		fprintf(out, "<text class=\"time\" x=\"%.1f\" y=\"%g\">%g s</text>\n",
			x_of(p, i * step), y, i * step);
}

static void write_axes(FILE *out, const struct flt_plot *p, size_t index, double ceiling)
{
	double y, top = top_of(index), height = height_of(index);
	char text[48];
	size_t i;
	int tick;

	fprintf(out, "<text x=\"%g\" y=\"%g\">", LEFT, top - 8);
	flt_xml_text(out, p->title);
	fputs("</text>\n", out);
	for (i = 0; i < p->count; i++) {
		double x = LEFT + WIDTH - 150 * (double)(p->count - i);

		fprintf(out, "<line x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\" stroke=\"%s\" "
			"stroke-width=\"3\"/><text x=\"%g\" y=\"%g\">", x, x + 18, top - 12, top - 12,
			colours[i % 4], x + 24, top - 8);
		flt_xml_text(out, p->lines[i].name);
		fputs("</text>\n", out);
	}
	for (tick = 0; tick <= TICKS; tick++) {
		y = top + height - height * tick / TICKS;
		flt_plot_tick(text, sizeof(text), ceiling * tick / TICKS, p->bytes);
		fprintf(out, "<line class=\"grid\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/>"
			"<text class=\"number\" x=\"%g\" y=\"%g\">%s</text>\n", LEFT, LEFT + WIDTH, y, y,
			LEFT - 8, y + 4, text);
	}
	write_times(out, p, top + height + 16);
}

static void write_line(FILE *out, const struct flt_plot *p, size_t index, size_t line, double ceiling)
{
	const struct flt_plot_line *l = &p->lines[line];
	double bottom = top_of(index) + height_of(index), scale = height_of(index) / ceiling;
	size_t i;

	if (l->count == 1) {
		fprintf(out, "<circle class=\"one\" r=\"4\" cx=\"%.1f\" cy=\"%.1f\" fill=\"%s\"/>\n",
			x_of(p, l->seconds[0]), bottom - l->values[0] * scale, colours[line % 4]);
		return;
	}
	fprintf(out, "<polyline stroke=\"%s\" points=\"", colours[line % 4]);
	for (i = 0; i < l->count; i++)
		fprintf(out, "%.1f,%.1f ", x_of(p, l->seconds[i]), bottom - l->values[i] * scale);
	fputs("\"/>\n", out);
}

/* What stands at one moment, in all plots: shown while the pointer is over its column. */
static void write_moment(FILE *out, const struct flt_plot *plots, size_t count, size_t at, double bottom)
{
	const struct flt_plot_line *first = &plots[0].lines[0];
	double x = x_of(plots, first->seconds[at]), left, right, y = TOP + 6, box;
	size_t i, k, rows = 1;
	char text[48];

	left = at ? (x_of(plots, first->seconds[at - 1]) + x) / 2 : LEFT;
	right = at + 1 < first->count ? (x_of(plots, first->seconds[at + 1]) + x) / 2 : LEFT + WIDTH;
	for (i = 0; i < count; i++)
		rows += plots[i].count;
	box = x > LEFT + WIDTH / 2 ? x - 208 : x + 8;
	fprintf(out, "<g class=\"at\"><rect class=\"hit\" x=\"%.1f\" y=\"%g\" width=\"%.1f\" height=\"%g\"/>"
		"<g class=\"shown\" pointer-events=\"none\"><line x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\"/>"
		"<rect class=\"box\" x=\"%.1f\" y=\"%g\" width=\"200\" height=\"%zu\"/>"
		"<text x=\"%.1f\" y=\"%g\">%.4g s</text>", left, TOP, right - left, bottom - TOP, x, x, TOP,
		bottom, box, y, rows * 16 + 8, box + 8, y + 16, first->seconds[at]);
	for (i = 0; i < count; i++) {
		for (k = 0; k < plots[i].count; k++) {
			if (at >= plots[i].lines[k].count)
				continue;
			y += 16;
			flt_plot_tick(text, sizeof(text), plots[i].lines[k].values[at], plots[i].bytes);
			fprintf(out, "<text x=\"%.1f\" y=\"%g\">", box + 8, y + 16);
			flt_xml_text(out, plots[i].lines[k].name);
			fprintf(out, ": %s</text>", text);
		}
	}
	fputs("</g></g>\n", out);
}

void flt_plot_svg(FILE *out, const char *title, const struct flt_plot *plots, size_t count)
{
	double bottom = top_of(count - 1) + height_of(count - 1), ceiling;
	size_t i, k;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" role=\"img\">\n<title>",
		LEFT + WIDTH + RIGHT, bottom + 30);
	flt_xml_text(out, title);
	fprintf(out, "</title>\n%s<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n"
		"<text class=\"title\" x=\"%g\" y=\"18\">", style, LEFT);
	flt_xml_text(out, title);
	fputs("</text>\n", out);
	for (i = 0; i < count; i++) {
		ceiling = flt_plot_ceiling(largest_of(&plots[i]), plots[i].bytes);
		write_axes(out, &plots[i], i, ceiling);
		for (k = 0; k < plots[i].count; k++)
			if (plots[i].lines[k].count)
				write_line(out, &plots[i], i, k, ceiling);
	}
	for (i = 0; i < plots[0].lines[0].count; i++)
		write_moment(out, plots, count, i, bottom);
	fputs("</svg>\n", out);
}
