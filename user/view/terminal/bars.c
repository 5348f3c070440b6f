// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/terminal/bars.h"

#include <inttypes.h>
#include <string.h>

#define COUNT_WIDTH 10
#define FIXED (COUNT_WIDTH + 2 + 7 + 2 + 7 + 2)	/* counts and two shares, with their gaps */
#define BAR_LEAST 8

static void put(FILE *out, const char *text, size_t times)
{
	while (times--)
		fputs(text, out);
}

static void write_bar(FILE *out, uint64_t count, uint64_t most, size_t room,
		      const struct flt_bars_style *style)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	size_t parts = (size_t)((double)count / (double)most * (double)room * 8 + 0.5);

	/* A count above 0 has a visible bar. */
	if (!parts && count)
		parts = 1;
	if (style->color)
		fputs("\033[36m", out);
	if (style->unicode) {
		put(out, "█", parts / 8);
		fputs(eighths[parts % 8], out);
	} else {
		put(out, "#", (parts + 7) / 8);
	}
	if (style->color)
		fputs("\033[0m", out);
}

void flt_bars_write(FILE *out, const struct flt_bar *bars, size_t count, const char *heading,
		    const char *unit, const struct flt_bars_style *style)
{
	size_t label = strlen(heading), note = 0, room = BAR_LEAST, i;
	uint64_t total = 0, most = 1, seen = 0;

	for (i = 0; i < count; i++) {
		total += bars[i].count;
		if (bars[i].count > most)
			most = bars[i].count;
		if (strlen(bars[i].label) > label)
			label = strlen(bars[i].label);
		if (bars[i].note && strlen(bars[i].note) + 1 > note)
			note = strlen(bars[i].note) + 1;
	}
	if (!total)
		return;
	if (style->width > label + 2 + FIXED + note + BAR_LEAST)
		room = style->width - label - 2 - FIXED - note;
	fprintf(out, "%*s  %*s    share    up to\n", (int)label, heading, COUNT_WIDTH, unit);
	for (i = 0; i < count; i++) {
		seen += bars[i].count;
		fprintf(out, "%*s  %*" PRIu64 "  %6.2f%%  %6.2f%%", (int)label, bars[i].label,
			COUNT_WIDTH, bars[i].count, 100.0 * (double)bars[i].count / (double)total,
			100.0 * (double)seen / (double)total);
		if (bars[i].count) {
			fputs("  ", out);
			write_bar(out, bars[i].count, most, room, style);
		}
		if (bars[i].note)
			fprintf(out, "%s%s%s%s", bars[i].count ? " " : "  ",
				style->color ? "\033[2m" : "", bars[i].note,
				style->color ? "\033[0m" : "");
		putc('\n', out);
	}
}
