// SPDX-License-Identifier: GPL-2.0-or-later
/* A histogram of latencies as bars, one for each octave. */
#include "cmd/lat/lat.h"
#include "text/terminal.h"
#include "text/units.h"
#include "view/terminal/bars.h"

/* Write the percentiles that fall into this octave, as "p50 p90". */
static void write_marks(const struct flt_hist *hist, uint32_t octave, char text[64])
{
	static const struct {
		uint32_t part;
		const char *name;
	} marks[] = { { 50000, "p50" }, { 90000, "p90" }, { 99000, "p99" }, { 99900, "p99.9" } };
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (flt_bucket_of(flt_hist_percentile(hist, marks[i].part)) >> FLT_BUCKET_SHIFT ==
		    octave)
			used += (size_t)snprintf(text + used, 64 - used, "%s%s", used ? " " : "",
						 marks[i].name);
}

void lat_bars_write(const struct lat *l, const struct flt_hist *hist)
{
	const struct flt_bars_style style = { l->unicode, l->color, flt_terminal_columns(stdout) };
	char label[FLT_OCTAVES][2 * FLT_UNITS_TEXT + 4], mark[FLT_OCTAVES][64];
	char low[FLT_UNITS_TEXT], high[FLT_UNITS_TEXT];
	struct flt_bar bars[FLT_OCTAVES];
	uint32_t first = FLT_OCTAVES, last = 0, o;

	for (o = 0; o < FLT_OCTAVES; o++) {
		if (!flt_hist_octave(hist, o))
			continue;
		if (first == FLT_OCTAVES)
			first = o;
		last = o;
	}
	for (o = first; o <= last; o++) {
		snprintf(label[o], sizeof(label[o]), "%s - %s",
			 flt_units_write_ns(low, flt_hist_octave_floor(o)),
			 o + 1 < FLT_OCTAVES ?
				 flt_units_write_ns(high, flt_hist_octave_floor(o + 1)) : "");
		write_marks(hist, o, mark[o]);
		bars[o] = (struct flt_bar){ label[o], flt_hist_octave(hist, o),
					    *mark[o] ? mark[o] : NULL };
	}
	if (first < FLT_OCTAVES)
		flt_bars_write(stdout, bars + first, last - first + 1, "latency", "faults", &style);
}
