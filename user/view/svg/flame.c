// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/flame.h"

#include <inttypes.h>

#include "view/svg/assets.h"
#include "view/svg/document.h"
#include "view/svg/xml.h"

#define HEAD 106		/* pixels above the frames */
#define ROW 18
#define FOOT 10

/* Return the class for the colour: by kind of access, or by name if that is unknown. */
static const char *tone(const struct flt_flame_frame *f)
{
	static const char *const unknown[] = { "u0", "u1", "u2", "u3" };
	uint64_t known = f->read + f->write + f->exec;
	const char *at;
	uint32_t h = 5381;

	if (!f->depth)
		return "n";
	if (known * 2 < f->total) {
		for (at = f->name; *at; at++)
			h = h * 33 + (unsigned char)*at;
		return unknown[h % 4];
	}
	if (f->write * 4 >= known * 3)
		return "w";
	if (f->read * 4 >= known * 3)
		return "r";
	return f->exec * 4 >= known * 3 ? "x" : "m";
}

static void frame_write(FILE *out, const struct flt_flame_frame *f, uint64_t all,
			const char *unit)
{
	double start = (double)f->start / (double)all, width = (double)f->total / (double)all;
	int y = HEAD + (int)f->depth * ROW;

	fprintf(out,
		"<g class=\"f %s\" tabindex=\"%d\" data-s=\"%.9g\" data-w=\"%.9g\" data-d=\"%u\" "
		"data-n=\"",
		tone(f), f->depth ? -1 : 0, start, width, f->depth);
	flt_xml_text(out, f->name);
	fputs("\"><title>", out);
	flt_xml_text(out, f->name);
	if (f->object) {
		fputs(" (", out);
		flt_xml_text(out, f->object);
		fputc(')', out);
	}
	fprintf(out, ": %" PRIu64 " %s, %.2f %%", f->total, unit, width * 100);
	if (f->self && f->self != f->total)
		fprintf(out, ", %" PRIu64 " itself", f->self);
	if (f->alloc)
		fprintf(out, ", %" PRIu64 " first touches", f->alloc);
	if (f->refault)
		fprintf(out, ", %" PRIu64 " refaults", f->refault);
	if (f->read + f->exec + f->write)
		fprintf(out, ", %" PRIu64 " read, %" PRIu64 " written", f->read + f->exec,
			f->write);
	fprintf(out,
		"</title><rect x=\"%.4f%%\" y=\"%d\" width=\"%.4f%%\" height=\"%d\" rx=\"1.5\"/>",
		start * 100, y, width * 100, ROW - 1);
	fprintf(out, "<text x=\"%.4f%%\" dx=\"3\" y=\"%d\"></text></g>\n", start * 100,
		y + ROW - 6);
}

static void legend(FILE *out)
{
	static const struct {
		const char *class, *name;
		int x;
	} keys[] = {
		{ "r", "reads", 0 },	    { "w", "writes", 62 },	{ "m", "both", 126 },
		{ "x", "code fetch", 180 }, { "u0", "not known", 262 },
	};
	size_t i;

	fputs("<g transform=\"translate(10 46)\">", out);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		fprintf(out,
			"<rect class=\"%s\" x=\"%d\" width=\"11\" height=\"11\" rx=\"2\"/><text "
			"class=\"soft\" x=\"%d\" y=\"10\">%s</text>",
			keys[i].class, keys[i].x, keys[i].x + 15, keys[i].name);
	fputs("</g>\n", out);
}

void flt_flame_write(FILE *out, const struct flt_flame *flame, bool alone)
{
	const char *unit = flame->unit ? flame->unit : "faults";
	uint64_t all = flame->count ? flame->frames[0].total : 0;
	char size[48], subtitle[700];
	const struct flt_svg svg = {
		.kind = "flame", .size = size, .title = flame->title, .subtitle = subtitle,
		.css = flt_asset_flame_css, .js = flt_asset_flame_js, .left = 10, .alone = alone,
	};
	uint32_t depth = 0;
	size_t i;
	int height;

	for (i = 0; i < flame->count; i++)
		if (flame->frames[i].depth > depth)
			depth = flame->frames[i].depth;
	height = HEAD + (int)(depth + 1) * ROW + FOOT;
	snprintf(size, sizeof(size), "width=\"100%%\" height=\"%d\"", height);
	snprintf(subtitle, sizeof(subtitle), "%s", flame->subtitle);
	if (flame->hidden)
		snprintf(subtitle, sizeof(subtitle), "%.600s; %" PRIu64 " narrow frames left out",
			 flame->subtitle, flame->hidden);
	flt_svg_open(out, &svg);
	legend(out);
	fputs("<text class=\"detail\" x=\"10\" y=\"98\" aria-live=\"polite\"></text>\n", out);
	if (!all) {
		fprintf(out, "<text x=\"10\" y=\"%d\">No %s to show.</text>\n", HEAD + 14,
			unit);
	} else {
		fputs("<foreignObject x=\"0\" y=\"62\" width=\"100%\" height=\"26\"><div "
		      "xmlns=\"http://www.w3.org/1999/xhtml\" class=\"tools\">"

		      "<input type=\"search\" placeholder=\"Search\" "
		      "aria-label=\"Search functions\"/>"
		      "<button type=\"button\">Reset</button><span class=\"found\" "
		      "role=\"status\"></span></div></foreignObject>\n",
		      out);
		for (i = 0; i < flame->count; i++)
			frame_write(out, &flame->frames[i], all, unit);
	}
	flt_svg_close(out, &svg);
}
