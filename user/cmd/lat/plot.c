// SPDX-License-Identifier: GPL-2.0-or-later
/* plot.c - draw what faults spent their time on, by latency. */
#include <stdio.h>

#include "cmd/lat/lat.h"
#include "view/svg/shares.h"

/* Colours of Okabe and Ito, which colour-blind people can tell apart, two darker ones and greys. */
static const char *const colours[] = {
	[FLT_CAUSE_OTHER] = "#9a9aa2",
	[FLT_CAUSE_IO] = "#d55e00",
	[FLT_CAUSE_SWAP] = "#e69f00",
	[FLT_CAUSE_RECLAIM] = "#cc79a7",
	[FLT_CAUSE_COMPACTION] = "#7b3294",
	[FLT_CAUSE_THRASHING] = "#f0e442",
	[FLT_CAUSE_COPY] = "#009e73",
	[FLT_CAUSE_QUEUE] = "#56b4e9",
	[FLT_CAUSE_USERFAULTFD] = "#0072b2",
	[FLT_CAUSE_UNMEASURED] = "#d8d8de",
};

_Static_assert(sizeof(colours) / sizeof(colours[0]) == FLT_CAUSE_PARTS, "every part has a colour");

static void draw(FILE *out, const struct lat *l)
{
	struct flt_shares_part parts[FLT_CAUSE_PARTS];
	struct flt_shares_bar bars[FLT_OCTAVES];
	struct lat_octave octaves[FLT_OCTAVES];
	char subtitle[96], time[FLT_UNITS_TEXT];
	struct flt_shares shares = {
		.title = "What page faults spent their time on", .subtitle = subtitle,
		.heading = "latency", .parts = parts, .part_count = FLT_CAUSE_PARTS,
		.bars = bars, .count = lat_why_octaves(l->last, octaves),
		.write_amount = flt_units_write_ns,
	};
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < shares.count; i++)
		sum += octaves[i].sum;
	snprintf(subtitle, sizeof(subtitle), "%s in all, by the latency of the fault",
		 flt_units_write_ns(time, sum));
	for (i = 0; i < FLT_CAUSE_PARTS; i++)
		parts[i] = (struct flt_shares_part){ lat_why_name((uint32_t)i), colours[i] };
	for (i = 0; i < shares.count; i++)
		bars[i] = (struct flt_shares_bar){ octaves[i].label, octaves[i].part };
	flt_shares_write(out, &shares);
}

int lat_plot_write(const struct lat *l)
{
	FILE *out;
	int status = output_open(&out, l->command, l->args->plot), error = 0;

	if (status)
		return status;
	draw(out, l);
	fflush(out);
	output_failed(out, &error);
	status = output_close(out, l->command, l->args->plot, error, FLT_EXIT_DONE);
	if (!status)
		flt_command_say(l->command, "wrote %s", l->args->plot);
	return status;
}
