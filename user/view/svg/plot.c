// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/plot.h"

#include <math.h>

#include "text/units.h"
#include "view/svg/xml.h"

/* Drawn in units of this box, stretched to the page; text does not stretch: it is HTML. */
#define WIDTH 1000.0
#define HEIGHT 160.0
#define TICKS 4

/* The next of 1, 2, 5, 10, ... times a power of ten (of two for bytes) above the largest value. */
double flt_plot_ceiling(double largest, bool bytes)
{
	double step = 1;

	if (largest <= 0)
		return 1;
	if (bytes) {
		while (step < largest)
			step *= 2;
		return step;
	}
	step = pow(10, floor(log10(largest)));
	return step >= largest ? step : 2 * step >= largest ? 2 * step : 5 * step >= largest ? 5 * step : 10 * step;
}

void flt_plot_tick(char *text, size_t size, double value, bool bytes)
{
	char unit[FLT_UNITS_TEXT];

	if (bytes)
		snprintf(text, size, "%s", flt_units_write_size(unit, (uint64_t)value));
	else if (value >= 1e6)
		snprintf(text, size, "%.3g M", value / 1e6);
	else if (value >= 1e3)
		snprintf(text, size, "%.3g k", value / 1e3);
	else
		snprintf(text, size, "%.3g", value);
}

static void line_write(FILE *out, const struct flt_plot *p, size_t index, double top)
{
	const struct flt_plot_line *l = &p->lines[index];
	size_t i;

	fprintf(out, "<polyline class=\"l%zu\" vector-effect=\"non-scaling-stroke\" points=\"", index);
	for (i = 0; i < l->count; i++)
		fprintf(out, "%.1f,%.1f ", l->seconds[i] / p->seconds * WIDTH, HEIGHT - l->values[i] / top * HEIGHT);
	fputs("\"/>\n", out);
}

static void values_write(FILE *out, const struct flt_plot_line *l)
{
	size_t i;

	fputs("<i hidden class=\"line\" data-name=\"", out);
	flt_xml_text(out, l->name);
	fputs("\" data-t=\"", out);
	for (i = 0; i < l->count; i++)
		fprintf(out, "%s%.6g", i ? "," : "", l->seconds[i]);
	fputs("\" data-v=\"", out);
	for (i = 0; i < l->count; i++)
		fprintf(out, "%s%.17g", i ? "," : "", l->values[i]);
	fputs("\"></i>\n", out);
}

void flt_plot_write(FILE *out, const struct flt_plot *p)
{
	double largest = 0, top;
	char text[48];
	size_t i, k;
	int tick;

	for (i = 0; i < p->count; i++)
		for (k = 0; k < p->lines[i].count; k++)
			if (p->lines[i].values[k] > largest)
				largest = p->lines[i].values[k];
	top = flt_plot_ceiling(largest, p->bytes);
	fprintf(out, "<figure class=\"plot\" data-seconds=\"%.9g\" data-bytes=\"%d\">\n<figcaption>", p->seconds, p->bytes);
	flt_xml_text(out, p->title);
	for (i = 0; i < p->count; i++) {
		fprintf(out, " <span class=\"key l%zu\">", i);
		flt_xml_text(out, p->lines[i].name);
		fputs("</span>", out);
	}
	fputs("<output></output></figcaption>\n<div class=\"box\"><div class=\"ticks\">", out);
	for (tick = TICKS; tick >= 0; tick--) {
		flt_plot_tick(text, sizeof(text), top * tick / TICKS, p->bytes);
		fprintf(out, "<span>%s</span>", text);
	}
	fprintf(out, "</div>\n<svg viewBox=\"0 0 %g %g\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
	flt_xml_text(out, p->title);
	fputs("\">\n", out);
	for (tick = 0; tick <= TICKS; tick++)
		fprintf(out, "<line class=\"grid\" vector-effect=\"non-scaling-stroke\" x1=\"0\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/>\n", WIDTH,
			HEIGHT * tick / TICKS, HEIGHT * tick / TICKS);
	for (i = 0; i < p->count; i++)
		line_write(out, p, i, top);
	fprintf(out, "<line class=\"cross\" vector-effect=\"non-scaling-stroke\" y1=\"0\" y2=\"%g\" x1=\"-9\" x2=\"-9\"/></svg>\n", HEIGHT);
	fputs("<div class=\"times\">", out);
	for (tick = 0; tick <= TICKS; tick++)
		fprintf(out, "<span>%.4g s</span>", p->seconds * tick / TICKS);
	fputs("</div></div>\n", out);
	for (i = 0; i < p->count; i++)
		values_write(out, &p->lines[i]);
	fputs("</figure>\n", out);
}
