// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cmd/wss/wss.h"

/*
 * Bits of .known_if: the rows that have a column. FLT_SAMPLE_*, below 1 << 16, are the values
 * that a sample has.
 */
enum {
	OF_SAMPLE = 1 << 16,	/* samples, parts of samples, and quantiles */
	OF_PROCESS = 1 << 17,	/* samples of a process, not parts of samples */
	OF_QUANTILE = 1 << 18,
	OF_METHOD = 1 << 19,
	OF_AGAINST = 1 << 20,	/* methods that are compared with a scan */
	OF_LOCK = 1 << 21,	/* buckets of the histogram of mmap_lock */
};

/* Bits of .text_if: the columns that are in the text only with an option, or with the module. */
enum {
	SHOW_VMA = 1 << WSS_BY_VMA, SHOW_KIND = 1 << WSS_BY_KIND, SHOW_NODE = 1 << WSS_BY_NODE,
	SHOW_CGROUP = 1 << WSS_BY_CGROUP,
	SHOW_PROCESS = 1 << WSS_BY_PROCESS | SHOW_VMA | SHOW_KIND | SHOW_NODE,
	SHOW_WRITTEN = 1 << 8,
	SHOW_FAULTS = 1 << 9,	/* that the module counts */
};

struct row {
	const char *record;
	uint64_t time;			/* ns since 1970 */
	const char *comm, *method, *by, *flags, *differs, *cgroup, *container;
	struct flt_sample s;
	double quantile;
	double against;			/* difference from a scan, percent */
	uint64_t windows;
	uint64_t below, holds;		/* ns, upper bound of the bucket; count */
};

#define AT(member) FLT_AT(struct row, member)

static const struct flt_column columns[] = {
	{ "record", NULL, 0, FLT_COLUMN_STRING, AT(record) },
	{ "time", NULL, 0, FLT_COLUMN_SECONDS, AT(time), .decimals = 3, .known_if = OF_SAMPLE },
	{ NULL, "TIME", -8, FLT_COLUMN_CLOCK, AT(time), .known_if = OF_SAMPLE },
	{ "pid", "PID", 7, FLT_COLUMN_COUNT, AT(s.tgid), .zero_unknown = true,
	  .text_if = SHOW_PROCESS },
	{ "comm", "COMM", -15, FLT_COLUMN_STRING, AT(comm), .text_if = SHOW_PROCESS },
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, AT(cgroup) },
	{ "container", "CGROUP", -20, FLT_COLUMN_STRING, AT(container), .text_if = SHOW_CGROUP },
	{ "method", "METHOD", -6, FLT_COLUMN_STRING, AT(method) },
	{ "by", NULL, 0, FLT_COLUMN_STRING, AT(by) },
	{ NULL, "MAPPING", -10, FLT_COLUMN_STRING, AT(by), .text_if = SHOW_VMA },
	{ NULL, "KIND", -10, FLT_COLUMN_STRING, AT(by), .text_if = SHOW_KIND },
	{ NULL, "NODE", -10, FLT_COLUMN_STRING, AT(by), .text_if = SHOW_NODE },
	{ "window_ns", "WINDOW", 7, FLT_COLUMN_NS, AT(s.window),
	  .known_if = OF_SAMPLE | OF_METHOD },
	{ "rss_bytes", "RSS", 8, FLT_COLUMN_BYTES, AT(s.rss), .known_if = FLT_SAMPLE_RSS },
	{ "pss_bytes", "PSS", 8, FLT_COLUMN_BYTES, AT(s.pss), .known_if = FLT_SAMPLE_PSS },
	{ "referenced_bytes", "REFERENCED", 10, FLT_COLUMN_BYTES, AT(s.referenced),
	  .known_if = FLT_SAMPLE_REFERENCED },
	{ "first_touch_bytes", "1ST-TOUCH", 9, FLT_COLUMN_BYTES, AT(s.first_touch),
	  .known_if = FLT_SAMPLE_FAULTS, .text_if = SHOW_FAULTS },
	{ "refault_bytes", "REFAULT", 8, FLT_COLUMN_BYTES, AT(s.refault),
	  .known_if = FLT_SAMPLE_FAULTS, .text_if = SHOW_FAULTS },
	{ "written_bytes", "WRITTEN", 8, FLT_COLUMN_BYTES, AT(s.written),
	  .known_if = FLT_SAMPLE_WRITTEN, .text_if = SHOW_WRITTEN },
	{ "quantile", NULL, 0, FLT_COLUMN_REAL, AT(quantile), .decimals = 2,
	  .known_if = OF_QUANTILE },
	{ "anon_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.anon), .known_if = FLT_SAMPLE_KINDS },
	{ "file_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.file), .known_if = FLT_SAMPLE_KINDS },
	{ "shmem_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.shmem), .known_if = FLT_SAMPLE_KINDS },
	{ "heap_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.area[FLT_AREA_HEAP]),
	  .known_if = FLT_SAMPLE_AREAS },
	{ "stack_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.area[FLT_AREA_STACK]),
	  .known_if = FLT_SAMPLE_AREAS },
	{ "rss_huge_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.huge), .known_if = FLT_SAMPLE_HUGE },
	{ "major_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.major), .known_if = FLT_SAMPLE_FAULTS },
	{ "cost_ns", NULL, 0, FLT_COLUMN_NS, AT(s.duration), .known_if = OF_PROCESS | OF_METHOD },
	{ "mmap_lock_max_ns", NULL, 0, FLT_COLUMN_NS, AT(s.held_max), .zero_unknown = true },
	{ "pages", NULL, 0, FLT_COLUMN_COUNT, AT(s.pages), .zero_unknown = true },
	{ "special_skipped", NULL, 0, FLT_COLUMN_COUNT, AT(s.special), .zero_unknown = true },
	{ "hugetlb_skipped_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.hugetlb),
	  .zero_unknown = true },
	{ "device_skipped_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.device), .zero_unknown = true },
	{ "unknown_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(s.left), .zero_unknown = true },
	{ "flags", NULL, 0, FLT_COLUMN_STRING, AT(flags) },
	{ "windows", NULL, 0, FLT_COLUMN_COUNT, AT(windows), .known_if = OF_METHOD },
	{ "vs_scan_percent", NULL, 0, FLT_COLUMN_REAL, AT(against), .decimals = 1,
	  .known_if = OF_AGAINST },
	{ "counts", NULL, 0, FLT_COLUMN_STRING, AT(differs) },
	{ "mmap_lock_below_ns", NULL, 0, FLT_COLUMN_NS, AT(below), .zero_unknown = true },
	{ "mmap_lock_holds", NULL, 0, FLT_COLUMN_COUNT, AT(holds), .known_if = OF_LOCK },
	{ 0 },
};

int wss_rows_open(struct wss *w)
{
	uint64_t shown = 1u << w->args->by | (w->args->written ? SHOW_WRITTEN : 0) |
			 (w->control ? SHOW_FAULTS : 0);

	return flt_table_new(&w->table, stdout, &w->args->style, columns, shown);
}

void wss_rows_close(struct wss *w)
{
	flt_table_free(w->table);
	w->table = NULL;
}

void wss_rows_flush(struct wss *w)
{
	if (w->args->compare && w->args->style.format == FLT_FORMAT_TEXT)
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
		{ FLT_WSS_BEGUN, "begun" }, { FLT_WSS_STRETCHED, "stretched" },
		{ FLT_WSS_CUT, "cut" }, { FLT_WSS_UNFLUSHED, "unflushed" },
		{ FLT_WSS_SECONDARY, "secondary" },
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

/* Return a row with the process, the time and the method of a sample. */
static struct row begin_row(const struct wss *w, const struct flt_sample *s)
{
	struct row row = { .record = "sample", .time = s->time + w->wall_offset };

	row.s.tgid = s->tgid;
	row.s.window = s->window;
	row.comm = s->tgid ? s->comm : "(all)";
	row.method = w->step[w->at < w->steps ? w->at : w->steps - 1].method->name;
	return row;
}

static int write_process(struct wss *w, const struct flt_sample *s)
{
	struct row row = begin_row(w, s);
	char flags[128];

	row.s = *s;
	row.flags = flags_text(s->flags, flags);
	return flt_table_row(w->table, &row, OF_SAMPLE | OF_PROCESS | s->has);
}

static int write_part(struct wss *w, const struct flt_sample *s, const char *by, uint64_t bytes)
{
	struct row row = begin_row(w, s);

	row.by = by;
	row.s.referenced = bytes;
	return flt_table_row(w->table, &row, OF_SAMPLE | FLT_SAMPLE_REFERENCED);
}

static int write_by_kind(struct wss *w, const struct flt_sample *s)
{
	int ret = 0;
	uint32_t i;

	for (i = 0; i < __FLT_AREA_MAX && !ret; i++)
		if (s->area[i])
			ret = write_part(w, s, flt_area_name(i), s->area[i]);
	return ret;
}

static int write_by_node(struct wss *w, const struct flt_sample *s)
{
	char name[16];
	int ret = 0;
	uint32_t i;

	for (i = 0; i < FLT_SAMPLE_NODES && !ret; i++) {
		if (!s->node[i])
			continue;
		snprintf(name, sizeof(name), "%u", i);
		ret = write_part(w, s, name, s->node[i]);
	}
	return ret;
}

static int write_by_vma(struct wss *w, const struct flt_sample *s)
{
	const uint64_t known = OF_SAMPLE | FLT_SAMPLE_RSS | FLT_SAMPLE_PSS | FLT_SAMPLE_REFERENCED;
	char name[FLT_SYMBOL_LEN * 4 + 48];
	struct row row = begin_row(w, s);
	size_t i;
	int ret = 0;

	row.by = name;
	for (i = 0; i < w->areas.count && !ret; i++) {
		const struct flt_sample_area *a = &w->areas.area[i];

		if (!a->rss)
			continue;
		snprintf(name, sizeof(name), "%" PRIx64 "-%" PRIx64 " %s", a->start, a->end,
			 a->name[0] ? a->name : "[anon]");
		row.s.rss = a->rss;
		row.s.pss = a->pss;
		row.s.referenced = a->referenced;
		ret = flt_table_row(w->table, &row, known);
	}
	return ret;
}

int wss_rows_sample(struct wss *w, const struct flt_sample *s)
{
	if (w->args->compare && w->args->style.format == FLT_FORMAT_TEXT)
		return 0;
	switch ((enum wss_by)w->args->by) {
	case WSS_BY_KIND:
		return write_by_kind(w, s);
	case WSS_BY_NODE:
		return write_by_node(w, s);
	case WSS_BY_VMA:
		return write_by_vma(w, s);
	case WSS_BY_CGROUP:
		return wss_cgroups_add(w, s);
	case WSS_BY_PROCESS:
		break;
	}
	return write_process(w, s);
}

int wss_rows_cgroup(struct wss *w, const struct flt_sample *s, const char *path, const char *name)
{
	struct row row = begin_row(w, s);

	row.s = *s;
	row.comm = NULL;
	row.cgroup = path;
	row.container = name;
	return flt_table_row(w->table, &row, OF_SAMPLE | s->has);
}

int wss_rows_quantile(struct wss *w, const struct flt_sample *s, double quantile, uint64_t bytes)
{
	struct row row = begin_row(w, s);

	row.record = "quantile";
	row.quantile = quantile;
	row.s.referenced = bytes;
	return flt_table_row(w->table, &row, OF_SAMPLE | OF_QUANTILE | FLT_SAMPLE_REFERENCED);
}

int wss_rows_method(struct wss *w, const struct wss_method *m, const struct flt_wset *set,
		    double against)
{
	uint64_t known = OF_METHOD | FLT_SAMPLE_REFERENCED;
	struct row row = {
		.record = "method", .method = m->name, .differs = m->differs,
		.windows = set->windows, .against = against,
		.s = { .window = set->window, .rss = set->rss_last, .duration = set->duration,
		       .referenced = set->referenced[FLT_WSET_P50] },
	};

	known |= set->rss_last ? FLT_SAMPLE_RSS : 0;
	known |= isfinite(against) ? OF_AGAINST : 0;
	return flt_table_row(w->table, &row, known);
}

int wss_rows_holds(struct wss *w)
{
	struct row row = { .record = "lock" };
	uint32_t bucket;
	int ret = 0;

	for (bucket = 0; bucket < FLT_BUCKETS && !ret; bucket++) {
		if (!w->holds.count[bucket])
			continue;
		row.below = bucket + 1 < FLT_BUCKETS ? flt_bucket_floor(bucket + 1) : 0;
		row.holds = w->holds.count[bucket];
		ret = flt_table_row(w->table, &row, OF_LOCK);
	}
	return ret;
}
