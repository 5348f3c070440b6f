// SPDX-License-Identifier: GPL-2.0-or-later
/* html.c - write the page of `fltctl visualize --html`. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/visualize/visualize.h"
#include "picture/heatmap.h"
#include "text/units.h"
#include "view/svg/page.h"
#include "view/svg/plot.h"

#define NARROW 0.0004
#define SITES_SHOWN 30
/* Maximum numbers of regions with their own band, and of cells, in the heat map. */
#define HEATMAP_BANDS 24u
#define HEATMAP_CELLS 50000u

static void facts_write(struct flt_visualize *v, FILE *out, const struct flt_counts *total)
{
	const struct flt_recording *rec = v->load.rec;
	char text[64], unit[FLT_UNITS_TEXT];
	const char *engine = flt_recording_info(rec, "engine");
	const char *limit = flt_recording_info(rec, "limit");
	uint64_t all = flt_counts_all(total);

	fputs("<div class=\"facts\">\n", out);
	snprintf(text, sizeof(text), "%" PRIu64, all);
	flt_page_fact(out, "faults", text);
	snprintf(text, sizeof(text), "%" PRIu64, flt_counts_touch(total, FLT_TOUCH_FIRST));
	flt_page_fact(out, "first touches", text);
	snprintf(text, sizeof(text), "%" PRIu64, flt_counts_touch(total, FLT_TOUCH_AGAIN));
	flt_page_fact(out, "refaults", text);
	snprintf(text, sizeof(text), "%" PRIu64, total->majors);
	flt_page_fact(out, "major", text);
	flt_page_fact(out, "time", flt_units_write_ns(unit, v->load.last > v->load.first ?
						      v->load.last - v->load.first : 0));
	if (total->latency && all)
		flt_page_fact(out, "mean fault", flt_units_write_ns(unit, total->latency / all));
	if (limit)
		flt_page_fact(out, "limit", flt_units_write_size(unit, strtoull(limit, NULL, 10)));
	if (engine)
		flt_page_fact(out, "engine", engine);
	fputs("</div>\n", out);
}

static int flame_write(struct flt_visualize *v, FILE *out, const struct flt_group *group,
		       const char *title)
{
	struct flt_flame_frame *frames;
	struct flt_flame flame = { .title = title };
	char subtitle[96];
	int err;

	err = flt_visualize_frames(v, group, NARROW, &frames, &flame.count, &flame.hidden);
	if (err)
		return err;
	snprintf(subtitle, sizeof(subtitle), "%" PRIu64 " faults",
		 flame.count ? frames[0].total : 0);
	flame.subtitle = subtitle;
	flame.frames = frames;
	fputs("<div class=\"tall\">\n", out);
	flt_flame_write(out, &flame, false);
	fputs("</div>\n", out);
	free(frames);
	return 0;
}

/* Draw faults per second: each column of v->rates is one point of the lines. */
static void rates_write(const struct flt_visualize *v, FILE *out)
{
	double at[FLT_HEAT_COLUMNS], all[FLT_HEAT_COLUMNS] = { 0 }, again[FLT_HEAT_COLUMNS] = { 0 };
	double major[FLT_HEAT_COLUMNS] = { 0 };
	const double step = (double)v->rates.step / 1e9;
	const uint32_t n = flt_heat_columns(&v->rates);
	const struct flt_plot_line lines[] = {
		{ "all faults", at, all, n },
		{ "refaults", at, again, n },
		{ "major", at, major, n },
	};
	const struct flt_plot plot = { .seconds = n * step, .lines = lines, .count = 3 };
	const struct flt_heat_cell *c;
	uint32_t band, i;

	for (i = 0; i < n; i++)
		at[i] = (i + 0.5) * step;
	for (band = 0; band < v->rates.band_count; band++) {
		for (i = 0; i < v->rates.bands[band].count; i++) {
			c = &v->rates.bands[band].cells[i];
			(band == FLT_RATE_MAJOR ? major : all)[c->column] = c->all / step;
			if (band == FLT_RATE_ALL)
				again[c->column] = c->again / step;
		}
	}
	fputs("<div class=\"wide\">\n", out);
	flt_plot_write(out, "Faults per second", &plot, 1, false);
	fputs("</div>\n", out);
}

/* Fill a line with one gauge of n statistics. Return false if the recording lacks the gauge. */
static bool gauge_line(const struct flt_record_stats *const *stats, size_t n, size_t offset,
		       const double *seconds, double *values, const char *name,
		       struct flt_plot_line *line)
{
	bool known = false;
	uint64_t value;
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(&value, (const char *)stats[i] + offset, sizeof(value));
		values[i] = value == ~0ull ? NAN : (double)value;
		known |= value != ~0ull;
	}
	*line = (struct flt_plot_line){ name, seconds, values, n };
	return known;
}

static int memory_write(const struct flt_visualize *v, FILE *out)
{
	static const struct {
		size_t offset;
		const char *name;
	} gauges[] = {
		{ offsetof(struct flt_record_stats, resident), "resident" },
		{ offsetof(struct flt_record_stats, evicted), "evicted" },
		{ offsetof(struct flt_record_stats, limit), "limit" },
		{ offsetof(struct flt_record_stats, rss), "all of the processes" },
	};
	const struct flt_recording *rec = v->load.rec;
	const uint64_t begin = v->rates.begin, end = v->rates.end;
	const struct flt_record_stats **stats = calloc(rec->stats_count + 1, sizeof(*stats));
	double *numbers = calloc(5 * rec->stats_count + 1, sizeof(*numbers));
	struct flt_plot_line lines[4];
	struct flt_plot plot = {
		.bytes = true, .seconds = (double)(end - begin) / 1e9, .lines = lines,
	};
	size_t i, n = 0;
	int err;

	for (i = 0; stats && numbers && i < rec->stats_count; i++) {
		if (rec->stats[i].head.time < begin || rec->stats[i].head.time > end)
			continue;
		numbers[n] = (double)(rec->stats[i].head.time - begin) / 1e9;
		stats[n++] = &rec->stats[i];
	}
	for (i = 0; n > 1 && i < 4; i++)
		plot.count += gauge_line(stats, n, gauges[i].offset, numbers, numbers + (i + 1) * n,
					 gauges[i].name, &lines[plot.count]);
	if (plot.count) {
		fputs("<div class=\"wide\">\n", out);
		flt_plot_write(out, "Memory", &plot, 1, false);
		fputs("</div>\n", out);
	}
	err = stats && numbers ? 0 : -ENOMEM;
	free(stats);
	free(numbers);
	return err;
}

static int heatmap_write(const struct flt_visualize *v, FILE *out)
{
	const struct flt_heatmap_setup setup = {
		.bands = HEATMAP_BANDS, .least = 1, .others = true, .cells_max = HEATMAP_CELLS,
	};
	struct flt_heatmap heatmap;
	int err = flt_heatmap_make(&heatmap, v->regions, &setup);

	heatmap.atlas.title = "Where in memory, and when";
	if (!err)
		flt_atlas_write(out, &heatmap.atlas, false);
	flt_heatmap_free(&heatmap);
	return err;
}

static int sites_write(struct flt_visualize *v, FILE *out)
{
	static const char *const heads[] = { "%", "faults", "first touches", "refaults",
					     "function", "source", "object", "process" };
	char percent[16], all[24], first[24], again[24], source[256];
	const char *cells[8] = { percent, all, first, again };
	struct flt_sites sites;
	const struct flt_site *s;
	uint64_t sum;
	size_t i;
	int err;

	err = flt_sites_build(&sites, FLT_BY_LINE, v->load.rec, v->symbols, &v->stacks);
	if (err)
		return err;
	sum = flt_counts_all(&sites.total);
	flt_page_table_open(out, heads, 8, 4);
	for (i = 0; i < sites.count && i < SITES_SHOWN; i++) {
		s = &sites.rows[i];
		snprintf(percent, sizeof(percent), "%.2f",
			 100.0 * (double)flt_counts_all(&s->counts) / (double)sum);
		snprintf(all, sizeof(all), "%" PRIu64, flt_counts_all(&s->counts));
		snprintf(first, sizeof(first), "%" PRIu64,
			 flt_counts_touch(&s->counts, FLT_TOUCH_FIRST));
		snprintf(again, sizeof(again), "%" PRIu64,
			 flt_counts_touch(&s->counts, FLT_TOUCH_AGAIN));
		snprintf(source, sizeof(source), "%.200s:%u",
			 s->file ? flt_symbols_base(s->file) : "", s->line);
		cells[4] = s->function;
		cells[5] = s->file ? source : "";
		cells[6] = flt_symbols_base(s->object);
		cells[7] = s->comm;
		flt_page_table_row(out, cells, 8, 4);
	}
	flt_page_table_close(out);
	flt_sites_free(&sites);
	return 0;
}

static int charts_write(struct flt_visualize *v, FILE *out)
{
	/* All pictures have the same axis, from the first to the last fault, without filters. */
	int err = flt_heat_extend(&v->rates, v->load.last);

	if (!err)
		err = flt_heat_extend(&v->regions->heat, v->load.last);
	if (err)
		return err;
	flt_page_section(out, "Over time", NULL);
	err = memory_write(v, out);
	rates_write(v, out);
	return err ? err : heatmap_write(v, out);
}

int flt_visualize_html(struct flt_visualize *v, FILE *out)
{
	struct flt_counts total = { 0 };
	char subtitle[512];
	uint32_t i;
	int err;

	for (i = 0; i < v->stacks.count; i++)
		flt_counts_sum(&total, &v->stacks.entries[i].counts);
	flt_visualize_subtitle(v, subtitle, sizeof(subtitle));
	flt_page_open(out, "Page faults", subtitle);
	facts_write(v, out, &total);
	flt_page_section(out, "Which code", "Width is the share of faults, the outermost function "
			 "is on top. Click to zoom, Esc to reset.");
	err = flame_write(v, out, &v->stacks, "All faults");
	if (!err && v->first.count)
		err = flame_write(v, out, &v->first, "First touches");
	if (!err && v->rates.cells)
		err = charts_write(v, out);
	if (!err && v->stacks.count) {
		flt_page_section(out, "Lines with most faults", NULL);
		err = sites_write(v, out);
	}
	flt_page_close(out);
	return err;
}
