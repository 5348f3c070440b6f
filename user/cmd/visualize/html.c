// SPDX-License-Identifier: GPL-2.0-or-later
/* visualize: the page; reads the recording once more for what needs its extent. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/visualize/visualize.h"
#include "model/recording/grid.h"
#include "text/units.h"
#include "view/svg/heat.h"
#include "view/svg/page.h"
#include "view/svg/plot.h"

#define NARROW 0.0004
#define SITES_SHOWN 30

struct pass {
	struct flt_visualize *v;
	struct flt_grid grid;
};

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct pass *pass = arg;
	size_t i;

	(void)load;
	for (i = 0; i < n; i++)
		if (flt_sift_match(&pass->v->sift, pass->v->load.rec, &faults[i]))
			flt_grid_add(&pass->grid, &faults[i]);
	return 0;
}

static void facts_write(struct flt_visualize *v, FILE *out, const struct flt_counts *total)
{
	const struct flt_recording *rec = v->load.rec;
	char text[64], unit[FLT_UNITS_TEXT];
	const char *engine = flt_recording_info(rec, "engine"), *limit = flt_recording_info(rec, "limit");
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
	flt_page_fact(out, "time", flt_units_write_ns(unit, v->load.last > v->load.first ? v->load.last - v->load.first : 0));
	if (total->latency && all)
		flt_page_fact(out, "mean fault", flt_units_write_ns(unit, total->latency / all));
	if (limit)
		flt_page_fact(out, "limit", flt_units_write_size(unit, strtoull(limit, NULL, 10)));
	if (engine)
		flt_page_fact(out, "engine", engine);
	fputs("</div>\n", out);
}

static int flame_write(struct flt_visualize *v, FILE *out, const struct flt_group *group, const char *title)
{
	struct flt_flame_frame *frames;
	struct flt_flame flame = { .title = title };
	char subtitle[96];
	int err;

	err = flt_visualize_frames(v, group, NARROW, &frames, &flame.count, &flame.hidden);
	if (err)
		return err;
	snprintf(subtitle, sizeof(subtitle), "%" PRIu64 " faults", flame.count ? frames[0].total : 0);
	flame.subtitle = subtitle;
	flame.frames = frames;
	/* A stack of a thousand frames is not to push the rest of the page away. */
	fputs("<div class=\"tall\">\n", out);
	flt_flame_write(out, &flame, false);
	fputs("</div>\n", out);
	free(frames);
	return 0;
}

static void rates_write(const struct flt_grid *g, FILE *out)
{
	double seconds = (double)(g->until - g->from) / 1e9, step = seconds / FLT_GRID_COLUMNS;
	double at[FLT_GRID_COLUMNS], all[FLT_GRID_COLUMNS], again[FLT_GRID_COLUMNS], major[FLT_GRID_COLUMNS];
	struct flt_plot_line lines[] = {
		{ "all faults", at, all, FLT_GRID_COLUMNS }, { "refaults", at, again, FLT_GRID_COLUMNS },
		{ "major", at, major, FLT_GRID_COLUMNS },
	};
	struct flt_plot plot = { .title = "Faults per second", .seconds = seconds, .lines = lines, .count = 3 };
	int i;

	for (i = 0; i < FLT_GRID_COLUMNS; i++) {
		at[i] = (i + 0.5) * step;
		all[i] = (double)g->rate[i] / step;
		again[i] = (double)g->rate_again[i] / step;
		major[i] = (double)g->rate_major[i] / step;
	}
	flt_plot_write(out, &plot);
}

/* A gauge of the statistics as a line, if the engine knew it. */
static bool gauge_line(const struct flt_visualize *v, const struct flt_grid *g, size_t offset, const char *name, double *seconds,
		       double *values, struct flt_plot_line *line)
{
	const struct flt_recording *rec = v->load.rec;
	uint64_t value;
	size_t i, n = 0;

	for (i = 0; i < rec->stats_count; i++) {
		memcpy(&value, (const char *)&rec->stats[i] + offset, sizeof(value));
		if (value == ~0ull || rec->stats[i].head.time < g->from || rec->stats[i].head.time > g->until)
			continue;
		seconds[n] = (double)(rec->stats[i].head.time - g->from) / 1e9;
		values[n++] = (double)value;
	}
	*line = (struct flt_plot_line){ name, seconds, values, n };
	return n > 1;
}

static int memory_write(const struct flt_visualize *v, const struct flt_grid *g, FILE *out)
{
	static const struct {
		size_t offset;
		const char *name;
	} gauges[] = {
		{ offsetof(struct flt_record_stats, resident), "resident" }, { offsetof(struct flt_record_stats, evicted), "evicted" },
		{ offsetof(struct flt_record_stats, limit), "limit" },	     { offsetof(struct flt_record_stats, rss), "all of the processes" },
	};
	struct flt_plot_line lines[4];
	struct flt_plot plot = { .title = "Memory", .bytes = true, .seconds = (double)(g->until - g->from) / 1e9, .lines = lines };
	size_t room = v->load.rec->stats_count, i;
	double *numbers = calloc(8 * room + 1, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	for (i = 0; i < 4; i++)
		plot.count += gauge_line(v, g, gauges[i].offset, gauges[i].name, numbers + 2 * i * room, numbers + (2 * i + 1) * room,
					 &lines[plot.count]);
	if (plot.count)
		flt_plot_write(out, &plot);
	free(numbers);
	return 0;
}

static void heat_write(const struct flt_visualize *v, const struct flt_grid *g, FILE *out)
{
	struct flt_heat_band bands[FLT_GRID_SEGMENTS];
	char names[FLT_GRID_SEGMENTS][160];
	struct flt_heat heat = {
		.seconds = (double)(g->until - g->from) / 1e9, .rows = g->rows, .columns = FLT_GRID_COLUMNS, .all = g->all, .again = g->again,
		.bands = bands, .band_count = g->segment_count,
	};
	const struct flt_segment *s;
	const struct flt_image *image;
	size_t i;

	for (i = 0; i < g->segment_count; i++) {
		s = &g->segments[i];
		image = flt_recording_image(v->load.rec, s->image);
		snprintf(names[i], sizeof(names[i]), "%.100s %.32s", s->name[0] ? flt_symbols_base(s->name) : "[anon]", image ? image->comm : "");
		bands[i] = (struct flt_heat_band){ names[i], s->start, s->end, s->row, s->rows };
	}
	flt_heat_write(out, &heat);
}

static int sites_write(struct flt_visualize *v, FILE *out)
{
	static const char *const heads[] = { "%", "faults", "first touches", "refaults", "function", "source", "object", "process" };
	char percent[16], all[24], first[24], again[24], source[256];
	const char *cells[8] = { percent, all, first, again };
	struct flt_sites sites;
	const struct flt_site *s;
	size_t i;
	int err;

	err = flt_sites_build(&sites, FLT_BY_LINE, v->load.rec, v->symbols, &v->stacks);
	if (err)
		return err;
	flt_page_table_open(out, heads, 8, 4);
	for (i = 0; i < sites.count && i < SITES_SHOWN; i++) {
		s = &sites.rows[i];
		snprintf(percent, sizeof(percent), "%.2f", 100.0 * (double)flt_counts_all(&s->counts) / (double)flt_counts_all(&sites.total));
		snprintf(all, sizeof(all), "%" PRIu64, flt_counts_all(&s->counts));
		snprintf(first, sizeof(first), "%" PRIu64, flt_counts_touch(&s->counts, FLT_TOUCH_FIRST));
		snprintf(again, sizeof(again), "%" PRIu64, flt_counts_touch(&s->counts, FLT_TOUCH_AGAIN));
		snprintf(source, sizeof(source), "%.200s:%u", s->file ? flt_symbols_base(s->file) : "", s->line);
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
	struct pass pass = { .v = v };
	struct flt_load again;
	int err;

	err = flt_grid_plan(&pass.grid, &v->blocks, v->load.rec, v->load.first, v->load.last);
	if (err)
		goto out;
	err = flt_load_file(&again, v->run->command, v->path, on_faults, &pass) ? -EIO : 0;
	flt_load_free(&again);
	if (err)
		goto out;
	flt_page_section(out, "Over time", NULL);
	err = memory_write(v, &pass.grid, out);
	rates_write(&pass.grid, out);
	heat_write(v, &pass.grid, out);
out:
	flt_grid_free(&pass.grid);
	return err;
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
	flt_page_section(out, "Which code", "Width is the share of faults, the outermost function is on top. Click to zoom, Esc to reset.");
	err = flame_write(v, out, &v->stacks, "All faults");
	if (!err && v->first.count)
		err = flame_write(v, out, &v->first, "First touches");
	if (!err && v->blocks.count)
		err = charts_write(v, out);
	if (!err && v->stacks.count) {
		flt_page_section(out, "Lines with most faults", NULL);
		err = sites_write(v, out);
	}
	flt_page_close(out);
	return err;
}
