// SPDX-License-Identifier: GPL-2.0-or-later
/* why.c - what faults spent their time on: in all, by latency, and for single faults. */
#include <inttypes.h>
#include <string.h>

#include "cmd/lat/row.h"
#include "text/terminal.h"
#include "text/units.h"
#include "view/terminal/parts.h"

static const struct flt_part parts[] = {
	[FLT_CAUSE_OTHER] = { "other", '.', 0 },
	[FLT_CAUSE_IO] = { "waits for a device", 'i', 203 },
	[FLT_CAUSE_SWAP] = { "reading swap", 's', 214 },
	[FLT_CAUSE_RECLAIM] = { "reclaim", 'r', 177 },
	[FLT_CAUSE_COMPACTION] = { "compaction", 'p', 141 },
	[FLT_CAUSE_THRASHING] = { "waits for evicted pages", 't', 209 },
	[FLT_CAUSE_COPY] = { "copying or clearing", 'c', 80 },
	[FLT_CAUSE_QUEUE] = { "waits for a CPU", 'q', 220 },
	[FLT_CAUSE_USERFAULTFD] = { "userfaultfd", 'u', 112 },
	[FLT_CAUSE_UNMEASURED] = { "unmeasured", '?', 244 },
};

_Static_assert(sizeof(parts) / sizeof(parts[0]) == FLT_CAUSE_PARTS, "every part has a letter");

static uint64_t spent_on(const struct lat_snapshot *s, uint32_t cause)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < FLT_BUCKETS; i++)
		sum += s->cause[cause][i];
	return sum;
}

/* Write a row per cause, and unless --no-histogram a row per cause and bucket. */
static int put_rows(const struct lat_report *r)
{
	const struct lat_snapshot *s = r->snapshot;
	struct lat_row row;
	uint32_t cause, i;
	int ret = 0;

	for (cause = 0; cause < __FLT_CAUSE_MAX && !ret; cause++) {
		row = lat_row_begin(r, "cause");
		row.name = flt_cause_name(cause);
		row.spent = spent_on(s, cause);
		/* A cause that this kernel does not tell apart is unknown, not 0. */
		if (!(r->l->causes.known & 1u << cause))
			continue;
		ret = flt_table_row(r->l->data, &row, LAT_OF_SPAN | LAT_OF_TIME);
		row.record = "cause_bucket";
		for (i = 0; i < FLT_BUCKETS && !ret && !r->l->args->plain; i++) {
			if (!s->cause[cause][i])
				continue;
			row.spent = s->cause[cause][i];
			row.from = flt_bucket_floor(i);
			row.to = i + 1 < FLT_BUCKETS ? flt_bucket_floor(i + 1) : 0;
			ret = flt_table_row(r->l->data, &row,
					    LAT_OF_SPAN | LAT_OF_TIME | LAT_OF_BUCKET);
		}
	}
	return ret;
}

const char *lat_why_name(uint32_t cause)
{
	return parts[cause].name;
}

/* Add up the causes of the buckets of an octave. */
static void fill_octave(const struct lat_snapshot *s, uint32_t octave, struct lat_octave *out)
{
	uint32_t cause, i, first = octave << FLT_BUCKET_SHIFT;
	char low[FLT_UNITS_TEXT], high[FLT_UNITS_TEXT];

	*out = (struct lat_octave){ .sum = 0 };
	for (cause = 0; cause < FLT_CAUSE_PARTS; cause++) {
		for (i = 0; i < 1u << FLT_BUCKET_SHIFT; i++)
			out->part[cause] += s->cause[cause][first + i];
		out->sum += out->part[cause];
	}
	snprintf(out->label, sizeof(out->label), "%s - %s",
		 flt_units_write_ns(low, flt_hist_octave_floor(octave)),
		 octave + 1 < FLT_OCTAVES ?
			 flt_units_write_ns(high, flt_hist_octave_floor(octave + 1)) : "");
}

size_t lat_why_octaves(const struct lat_snapshot *s, struct lat_octave octaves[FLT_OCTAVES])
{
	size_t count = 0, last = 0;
	uint32_t o;

	for (o = 0; o < FLT_OCTAVES; o++) {
		fill_octave(s, o, &octaves[count]);
		if (!octaves[count].sum && !count)
			continue;
		last = octaves[count].sum ? count + 1 : last;
		count++;
	}
	return last;
}

static void write_bars(const struct lat_report *r)
{
	const struct flt_parts_style style = { r->l->color, flt_terminal_columns(stdout) };
	char amount[FLT_OCTAVES][FLT_UNITS_TEXT];
	struct lat_octave octaves[FLT_OCTAVES];
	struct flt_parts_bar bars[FLT_OCTAVES];
	size_t i, count = lat_why_octaves(r->snapshot, octaves);

	for (i = 0; i < count; i++) {
		flt_units_write_ns(amount[i], octaves[i].sum);
		bars[i] = (struct flt_parts_bar){ octaves[i].label, amount[i], octaves[i].part };
	}
	if (count)
		flt_parts_write(stdout, parts, FLT_CAUSE_PARTS, bars, count, "latency", "spent",
				&style);
}

/* Write a line per part that is not 0, the largest first, and the waits before the faults. */
static void write_sums(const struct lat_snapshot *s)
{
	uint64_t spent[FLT_CAUSE_PARTS], lock = spent_on(s, FLT_CAUSE_LOCK), all = 0;
	char text[FLT_UNITS_TEXT];
	uint32_t i, n, most;

	for (i = 0; i < FLT_CAUSE_PARTS; i++)
		all += spent[i] = spent_on(s, i);
	for (n = 0; n < FLT_CAUSE_PARTS; n++) {
		for (most = 0, i = 1; i < FLT_CAUSE_PARTS; i++)
			if (spent[i] > spent[most])
				most = i;
		if (!spent[most])
			break;
		printf("%8s  %6.2f%%  %s\n", flt_units_write_ns(text, spent[most]),
		       100.0 * (double)spent[most] / (double)all, parts[most].name);
		spent[most] = 0;
	}
	if (lock)
		printf("%8s           waits for mmap_lock before the faults, not part of their "
		       "latencies\n", flt_units_write_ns(text, lock));
}

int lat_why_write(const struct lat_report *r)
{
	if (r->l->data)
		return put_rows(r);
	putchar('\n');
	if (!r->l->args->plain) {
		write_bars(r);
		putchar('\n');
	}
	write_sums(r->snapshot);
	return 0;
}
