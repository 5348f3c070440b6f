// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/terminal/parts.h"

#include <string.h>

#define BAR_LEAST 10

static uint64_t sum_of(const struct flt_parts_bar *bar, size_t part_count)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < part_count; i++)
		sum += bar->part[i];
	return sum;
}

/*
 * Write the parts of a bar of so many letters. Each letter belongs to the part at the middle of
 * its share, so that rounding never adds up.
 */
static void write_bar(FILE *out, const struct flt_part *parts, const struct flt_parts_bar *bar,
		      uint64_t sum, size_t letters, bool color)
{
	uint64_t end = bar->part[0];
	size_t i, part = 0;
	int now = 0;

	for (i = 0; i < letters; i++) {
		while ((double)end < ((double)i + 0.5) / (double)letters * (double)sum)
			end += bar->part[++part];
		if (color && now != parts[part].color) {
			now = parts[part].color;
			fputs("\033[0m", out);
			if (now)
				fprintf(out, "\033[38;5;%dm", now);
		}
		putc(parts[part].letter, out);
	}
	if (now)
		fputs("\033[0m", out);
}

static void write_legend(FILE *out, const struct flt_part *parts, size_t part_count,
			 const struct flt_parts_bar *bars, size_t count)
{
	const char *gap = "";
	size_t i, k;

	for (i = 0; i < part_count; i++) {
		for (k = 0; k < count && !bars[k].part[i]; k++)
			;
		if (k == count)
			continue;
		fprintf(out, "%s%c %s", gap, parts[i].letter, parts[i].name);
		gap = ", ";
	}
	putc('\n', out);
}

void flt_parts_write(FILE *out, const struct flt_part *parts, size_t part_count,
		     const struct flt_parts_bar *bars, size_t count, const char *heading,
		     const char *unit, const struct flt_parts_style *style)
{
	size_t label = strlen(heading), amount = strlen(unit), room = BAR_LEAST, i;
	uint64_t most = 0, sum;

	for (i = 0; i < count; i++) {
		sum = sum_of(&bars[i], part_count);
		if (sum > most)
			most = sum;
		if (strlen(bars[i].label) > label)
			label = strlen(bars[i].label);
		if (strlen(bars[i].amount) > amount)
			amount = strlen(bars[i].amount);
	}
	if (!most)
		return;
	if (style->width > label + amount + 4 + BAR_LEAST)
		room = style->width - label - amount - 4;
	fprintf(out, "%*s  %*s\n", (int)label, heading, (int)amount, unit);
	for (i = 0; i < count; i++) {
		sum = sum_of(&bars[i], part_count);
		fprintf(out, "%*s  %*s", (int)label, bars[i].label, (int)amount, bars[i].amount);
		if (sum) {
			fputs("  ", out);
			write_bar(out, parts, &bars[i], sum,
				  (size_t)((double)sum / (double)most * (double)(room - 1)) + 1,
				  style->color);
		}
		putc('\n', out);
	}
	write_legend(out, parts, part_count, bars, count);
}
