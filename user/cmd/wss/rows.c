// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/wss/wss.h"

enum {
	COLUMN_RECORD, COLUMN_TIME, COLUMN_CLOCK, COLUMN_PID, COLUMN_COMM, COLUMN_METHOD, COLUMN_BY,
	COLUMN_WINDOW, COLUMN_RSS, COLUMN_PSS, COLUMN_REFERENCED, COLUMN_FIRST_TOUCH, COLUMN_REFAULT,
	COLUMN_WRITTEN, COLUMN_QUANTILE, COLUMN_ANON, COLUMN_FILE, COLUMN_SHMEM, COLUMN_HEAP, COLUMN_STACK,
	COLUMN_HUGE, COLUMN_MAJOR, COLUMN_COST, COLUMN_HELD_MAX, COLUMN_PAGES, COLUMN_SPECIAL,
	COLUMN_HUGETLB, COLUMN_DEVICE, COLUMN_LEFT, COLUMN_FLAGS, COLUMN_WINDOWS, COLUMN_AGAINST,
	COLUMN_COUNTS, COLUMN_HOLD, COLUMN_HOLDS, COLUMNS
};

static const struct flt_column columns[COLUMNS] = {
	[COLUMN_RECORD] = { .key = "record" },
	[COLUMN_TIME] = { .key = "time" },
	[COLUMN_CLOCK] = { .key = "clock", .title = "TIME", .width = -8, .data_absent = true },
	[COLUMN_PID] = { .key = "pid", .title = "PID", .width = 7 },
	[COLUMN_COMM] = { .key = "comm", .title = "COMM", .width = -15 },
	[COLUMN_METHOD] = { .key = "method", .title = "METHOD", .width = -6 },
	[COLUMN_BY] = { .key = "by", .width = -10 },
	[COLUMN_WINDOW] = { .key = "window_ns", .title = "WINDOW", .width = 7 },
	[COLUMN_RSS] = { .key = "rss_bytes", .title = "RSS", .width = 8 },
	[COLUMN_PSS] = { .key = "pss_bytes", .title = "PSS", .width = 8 },
	[COLUMN_REFERENCED] = { .key = "referenced_bytes", .title = "REFERENCED", .width = 10 },
	[COLUMN_FIRST_TOUCH] = { .key = "first_touch_bytes", .title = "1ST-TOUCH", .width = 9 },
	[COLUMN_REFAULT] = { .key = "refault_bytes", .title = "REFAULT", .width = 8 },
	[COLUMN_WRITTEN] = { .key = "written_bytes", .width = 8 },
	[COLUMN_QUANTILE] = { .key = "quantile" },
	[COLUMN_ANON] = { .key = "anon_bytes" },
	[COLUMN_FILE] = { .key = "file_bytes" },
	[COLUMN_SHMEM] = { .key = "shmem_bytes" },
	[COLUMN_HEAP] = { .key = "heap_bytes" },
	[COLUMN_STACK] = { .key = "stack_bytes" },
	[COLUMN_HUGE] = { .key = "rss_huge_bytes" },
	[COLUMN_MAJOR] = { .key = "major_bytes" },
	[COLUMN_COST] = { .key = "cost_ns" },
	[COLUMN_HELD_MAX] = { .key = "mmap_lock_max_ns" },
	[COLUMN_PAGES] = { .key = "pages" },
	[COLUMN_SPECIAL] = { .key = "special_skipped" },
	[COLUMN_HUGETLB] = { .key = "hugetlb_skipped_bytes" },
	[COLUMN_DEVICE] = { .key = "device_skipped_bytes" },
	[COLUMN_LEFT] = { .key = "unknown_bytes" },
	[COLUMN_FLAGS] = { .key = "flags" },
	[COLUMN_WINDOWS] = { .key = "windows" },
	[COLUMN_AGAINST] = { .key = "vs_scan_percent" },
	[COLUMN_COUNTS] = { .key = "counts" },
	[COLUMN_HOLD] = { .key = "mmap_lock_below_ns" },
	[COLUMN_HOLDS] = { .key = "mmap_lock_holds" },
};

int wss_rows_open(struct wss *w)
{
	w->columns = calloc(COLUMNS, sizeof(*w->columns));
	if (!w->columns)
		return -ENOMEM;
	memcpy(w->columns, columns, sizeof(columns));
	if (w->args->by != WSS_BY_PROCESS)
		w->columns[COLUMN_BY].title = w->args->by == WSS_BY_VMA ? "MAPPING" :
					      w->args->by == WSS_BY_KIND ? "KIND" : "NODE";
	if (w->args->written)
		w->columns[COLUMN_WRITTEN].title = "WRITTEN";
	return flt_table_new_cells(&w->table, stdout, (enum flt_format)w->args->format, w->columns, COLUMNS);
}

void wss_rows_close(struct wss *w)
{
	if (w->table)
		flt_table_free(w->table);
	w->table = NULL;
	free(w->columns);
	w->columns = NULL;
}

void wss_rows_flush(struct wss *w)
{
	if (w->args->compare && w->args->format == FLT_FORMAT_TEXT)
		return;
	flt_table_flush(w->table, !w->headed && w->all.count);
	w->headed |= w->all.count > 0;
}

static const char *flags_text(uint32_t flags, char text[128])
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{ FLT_WSS_BEGUN, "begun" }, { FLT_WSS_STRETCHED, "stretched" }, { FLT_WSS_CUT, "cut" },
		{ FLT_WSS_UNFLUSHED, "unflushed" }, { FLT_WSS_SECONDARY, "secondary" },
		{ FLT_WSS_MARKED, "marked" },
	};
	size_t i;

	text[0] = '\0';
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(flags & names[i].flag))
			continue;
		if (text[0])
			strcat(text, " ");
		strcat(text, names[i].name);
	}
	return text[0] ? text : NULL;
}

static struct flt_cell size_if(bool known, uint64_t bytes)
{
	return known ? flt_cell_size(bytes) : flt_cell_absent();
}

static void fill_nothing(struct flt_cell *c)
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		c[i] = flt_cell_absent();
}

/* Who, when, how: what all rows of a sample have. */
static void fill_head(const struct wss *w, const struct flt_sample *s, struct flt_cell *c, char clock[16])
{
	double wall = (double)s->time / 1e9 + w->wall_offset;
	time_t seconds = (time_t)wall;
	struct tm tm;

	fill_nothing(c);
	c[COLUMN_RECORD] = flt_cell_string("sample");
	c[COLUMN_TIME] = flt_cell_double(wall, 3);
	localtime_r(&seconds, &tm);
	strftime(clock, 16, "%H:%M:%S", &tm);
	c[COLUMN_CLOCK] = flt_cell_string(clock);
	if (s->tgid)
		c[COLUMN_PID] = flt_cell_u64(s->tgid);
	c[COLUMN_COMM] = flt_cell_string(s->tgid ? s->comm : "(all)");
	c[COLUMN_METHOD] = flt_cell_string(w->step[w->at < w->steps ? w->at : w->steps - 1].method->name);
	c[COLUMN_WINDOW] = flt_cell_ns(s->window);
}

static int row_of_process(struct wss *w, const struct flt_sample *s)
{
	bool faults = s->has & FLT_SAMPLE_FAULTS, kinds = s->has & FLT_SAMPLE_KINDS;
	bool areas = s->has & FLT_SAMPLE_AREAS;
	struct flt_cell c[COLUMNS];
	char clock[16], flags[128];

	fill_head(w, s, c, clock);
	c[COLUMN_RSS] = size_if(s->has & FLT_SAMPLE_RSS, s->rss);
	c[COLUMN_PSS] = size_if(s->has & FLT_SAMPLE_PSS, s->pss);
	c[COLUMN_REFERENCED] = size_if(s->has & FLT_SAMPLE_REFERENCED, s->referenced);
	c[COLUMN_FIRST_TOUCH] = size_if(faults, s->first_touch);
	c[COLUMN_REFAULT] = size_if(faults, s->refault);
	c[COLUMN_MAJOR] = size_if(faults, s->major);
	c[COLUMN_WRITTEN] = size_if(s->has & FLT_SAMPLE_WRITTEN, s->written);
	c[COLUMN_ANON] = size_if(kinds, s->anon);
	c[COLUMN_FILE] = size_if(kinds, s->file);
	c[COLUMN_SHMEM] = size_if(kinds, s->shmem);
	c[COLUMN_HEAP] = size_if(areas, s->area[FLT_AREA_HEAP]);
	c[COLUMN_STACK] = size_if(areas, s->area[FLT_AREA_STACK]);
	c[COLUMN_HUGE] = size_if(s->has & FLT_SAMPLE_HUGE, s->huge);
	c[COLUMN_COST] = flt_cell_ns(s->duration);
	if (s->held_max)
		c[COLUMN_HELD_MAX] = flt_cell_ns(s->held_max);
	if (s->pages)
		c[COLUMN_PAGES] = flt_cell_u64(s->pages);
	if (s->special)
		c[COLUMN_SPECIAL] = flt_cell_u64(s->special);
	c[COLUMN_HUGETLB] = size_if(s->hugetlb, s->hugetlb);
	c[COLUMN_DEVICE] = size_if(s->device, s->device);
	c[COLUMN_LEFT] = size_if(s->left, s->left);
	c[COLUMN_FLAGS] = flt_cell_string(flags_text(s->flags, flags));
	return flt_table_cells(w->table, c);
}

static int row_of_share(struct wss *w, const struct flt_sample *s, const char *by, uint64_t bytes)
{
	struct flt_cell c[COLUMNS];
	char clock[16];

	fill_head(w, s, c, clock);
	c[COLUMN_BY] = flt_cell_string(by);
	c[COLUMN_REFERENCED] = flt_cell_size(bytes);
	return flt_table_cells(w->table, c);
}

static int rows_by_kind(struct wss *w, const struct flt_sample *s)
{
	int ret = 0;
	uint32_t i;

	for (i = 0; i < __FLT_AREA_MAX && !ret; i++)
		if (s->area[i])
			ret = row_of_share(w, s, flt_area_name(i), s->area[i]);
	return ret;
}

static int rows_by_node(struct wss *w, const struct flt_sample *s)
{
	char name[16];
	int ret = 0;
	uint32_t i;

	for (i = 0; i < FLT_SAMPLE_NODES && !ret; i++) {
		if (!s->node[i])
			continue;
		snprintf(name, sizeof(name), "%u", i);
		ret = row_of_share(w, s, name, s->node[i]);
	}
	return ret;
}

static int rows_by_vma(struct wss *w, const struct flt_sample *s)
{
	struct flt_cell c[COLUMNS];
	char clock[16], name[FLT_SYMBOL_LEN * 4 + 48];
	size_t i;
	int ret = 0;

	for (i = 0; i < w->areas.count && !ret; i++) {
		const struct flt_sample_area *a = &w->areas.area[i];

		if (!a->rss)
			continue;
		fill_head(w, s, c, clock);
		snprintf(name, sizeof(name), "%" PRIx64 "-%" PRIx64 " %s", a->start, a->end,
			 a->name[0] ? a->name : "[anon]");
		c[COLUMN_BY] = flt_cell_string(name);
		c[COLUMN_RSS] = flt_cell_size(a->rss);
		c[COLUMN_PSS] = flt_cell_size(a->pss);
		c[COLUMN_REFERENCED] = flt_cell_size(a->referenced);
		ret = flt_table_cells(w->table, c);
	}
	return ret;
}

int wss_rows_sample(struct wss *w, const struct flt_sample *s)
{
	if (w->args->compare && w->args->format == FLT_FORMAT_TEXT)
		return 0;
	switch ((enum wss_by)w->args->by) {
	case WSS_BY_KIND:
		return rows_by_kind(w, s);
	case WSS_BY_NODE:
		return rows_by_node(w, s);
	case WSS_BY_VMA:
		return rows_by_vma(w, s);
	case WSS_BY_PROCESS:
		break;
	}
	return row_of_process(w, s);
}

int wss_rows_quantile(struct wss *w, const struct flt_sample *s, double quantile, uint64_t bytes)
{
	struct flt_cell c[COLUMNS];
	char clock[16];

	fill_head(w, s, c, clock);
	c[COLUMN_RECORD] = flt_cell_string("quantile");
	c[COLUMN_QUANTILE] = flt_cell_double(quantile, 2);
	c[COLUMN_REFERENCED] = flt_cell_size(bytes);
	return flt_table_cells(w->table, c);
}

int wss_rows_method(struct wss *w, const struct wss_method *m, const struct flt_wset *set,
		    double against)
{
	struct flt_cell c[COLUMNS];

	fill_nothing(c);
	c[COLUMN_RECORD] = flt_cell_string("method");
	c[COLUMN_METHOD] = flt_cell_string(m->name);
	c[COLUMN_WINDOW] = flt_cell_ns(set->window);
	c[COLUMN_WINDOWS] = flt_cell_u64(set->windows);
	c[COLUMN_RSS] = size_if(set->rss_last, set->rss_last);
	c[COLUMN_REFERENCED] = flt_cell_size(set->referenced[FLT_WSET_P50]);
	c[COLUMN_COST] = flt_cell_ns(set->duration);
	if (isfinite(against))
		c[COLUMN_AGAINST] = flt_cell_double(against, 1);
	c[COLUMN_COUNTS] = flt_cell_string(m->differs);
	return flt_table_cells(w->table, c);
}

int wss_rows_holds(struct wss *w)
{
	struct flt_cell c[COLUMNS];
	uint32_t bucket;
	int ret = 0;

	for (bucket = 0; bucket < FLT_BUCKETS && !ret; bucket++) {
		if (!w->holds.count[bucket])
			continue;
		fill_nothing(c);
		c[COLUMN_RECORD] = flt_cell_string("lock");
		if (bucket + 1 < FLT_BUCKETS)
			c[COLUMN_HOLD] = flt_cell_ns(flt_bucket_floor(bucket + 1));
		c[COLUMN_HOLDS] = flt_cell_u64(w->holds.count[bucket]);
		ret = flt_table_cells(w->table, c);
	}
	return ret;
}
