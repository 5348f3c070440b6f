// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account/account.h"
#include "cmd/map/map.h"
#include "text/escape.h"

#define FINDINGS 5
#define NAME_LEN 4200

static const struct flt_column columns[MAP_COLUMNS] = {
	[MAP_RECORD] = { .key = "record" },
	[MAP_PID] = { .key = "pid", .title = "PID", .width = 7 },
	[MAP_COMM] = { .key = "comm", .title = "COMM", .width = -8 },
	[MAP_OF] = { .key = "of" },
	[MAP_START] = { .key = "start" },
	[MAP_END] = { .key = "end" },
	[MAP_FAULTS] = { .key = "faults", .title = "FAULTS", .width = 8 },
	[MAP_SHARE] = { .key = "share", .title = "%", .width = 5 },
	[MAP_MINOR] = { .key = "minor" },
	[MAP_MAJOR] = { .key = "major", .title = "MAJOR", .width = 6 },
	[MAP_FAILED] = { .key = "failed" },
	[MAP_REFAULTS] = { .key = "refaults", .title = "REFAULT", .width = 7 },
	[MAP_LATENCY] = { .key = "latency_ns", .title = "TIME", .width = 6 },
	[MAP_LATENCY_SHARE] = { .key = "latency_share", .title = "TIME%", .width = 5 },
	[MAP_BYTES] = { .key = "bytes", .title = "BYTES", .width = 7 },
	[MAP_DISTINCT] = { .key = "distinct_bytes" },
	[MAP_KIND] = { .key = "kind", .title = "KIND", .width = -6 },
	[MAP_PATTERN] = { .key = "pattern", .title = "PATTERN", .width = -18 },
	[MAP_RIGHTS] = { .key = "rights", .title = "ACC", .width = -3 },
	[MAP_AREA] = { .key = "area", .title = "REGION", .width = -10 },
	[MAP_ORDER] = { .key = "order" },
	[MAP_REUSE] = { .key = "reuse" },
	[MAP_STRIDE] = { .key = "stride" },
	[MAP_STEPS] = { .key = "steps" },
	[MAP_STEPS_SHARE] = { .key = "steps_share" },
	[MAP_REFAULT_SHARE] = { .key = "refault_share" },
	[MAP_EVIDENCE] = { .key = "evidence" },
	[MAP_REMEDY] = { .key = "remedy" },
	[MAP_ADVICE] = { .key = "advice" },
	[MAP_FROM] = { .key = "from_ns" },
	[MAP_UNTIL] = { .key = "until_ns" },
	[MAP_KINDS + FLT_KIND_UNKNOWN] = { .key = "unknown" },
	[MAP_KINDS + FLT_KIND_ANON] = { .key = "anon" },
	[MAP_KINDS + FLT_KIND_HUGE] = { .key = "huge" },
	[MAP_KINDS + FLT_KIND_FILE] = { .key = "file" },
	[MAP_KINDS + FLT_KIND_SHARED] = { .key = "shared" },
	[MAP_KINDS + FLT_KIND_COW] = { .key = "cow" },
	[MAP_KINDS + FLT_KIND_WP] = { .key = "wp" },
	[MAP_KINDS + FLT_KIND_SWAP] = { .key = "swap" },
	[MAP_KINDS + FLT_KIND_NUMA] = { .key = "numa" },
	[MAP_KINDS + FLT_KIND_MIGRATION] = { .key = "migration" },
	[MAP_KINDS + FLT_KIND_UFFD] = { .key = "uffd" },
	[MAP_KINDS + FLT_KIND_HUGETLB] = { .key = "hugetlb" },
	[MAP_KINDS + FLT_KIND_DEVICE] = { .key = "device" },
	[MAP_KINDS + FLT_KIND_SPURIOUS] = { .key = "spurious" },
};

static int sort_by;

static uint64_t weight_of(const struct flt_region *r)
{
	switch (sort_by) {
	case 1:
		return r->latency;
	case 2:
		return r->major;
	case 3:
		return r->refaults;
	default:
		return flt_region_faults(r);
	}
}

static int by_address(const struct flt_region *a, const struct flt_region *b)
{
	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	return a->area.start < b->area.start ? -1 : a->area.start > b->area.start;
}

static int row_order(const void *a, const void *b)
{
	const struct flt_region *x = ((const struct map_row *)a)->region, *y = ((const struct map_row *)b)->region;

	if (sort_by == 4)
		return by_address(x, y);
	if (weight_of(x) != weight_of(y))
		return weight_of(x) > weight_of(y) ? -1 : 1;
	if (flt_region_faults(x) != flt_region_faults(y))
		return flt_region_faults(x) > flt_region_faults(y) ? -1 : 1;
	return by_address(x, y);
}

static void sum_up(struct flt_region *sum, const struct flt_region *r)
{
	size_t i;

	for (i = 0; i < __FLT_KIND_MAX; i++)
		sum->kinds[i] += r->kinds[i];
	sum->minor += r->minor;
	sum->major += r->major;
	sum->failed += r->failed;
	sum->refaults += r->refaults;
	sum->latency += r->latency;
	sum->pages += r->pages;
	sum->distinct += r->distinct;
}

int map_rows_make(struct map *m)
{
	const struct flt_regions *g = m->regions;
	struct map_row *row;
	uint32_t i;

	m->rows = calloc(g->count, sizeof(*m->rows));
	if (!m->rows)
		return -ENOMEM;
	for (i = 0; i < g->count; i++) {
		if (!flt_region_faults(&g->rows[i]) && !g->rows[i].failed)
			continue;
		sum_up(&m->total, &g->rows[i]);
		row = &m->rows[m->count++];
		row->region = &g->rows[i];
		row->verdict = flt_pattern_judge(g->rows[i].pattern);
	}
	for (i = 0; i < m->count; i++)
		m->rows[i].remedy = flt_remedy_for(m->rows[i].region, &m->rows[i].verdict, flt_region_faults(&m->total),
						   m->total.latency, m->limited);
	sort_by = m->args->sort;
	qsort(m->rows, m->count, sizeof(*m->rows), row_order);
	return 0;
}

static void kind_text(const struct flt_region *r, char *text, size_t size)
{
	size_t most = 0, i;

	for (i = 1; i < __FLT_KIND_MAX; i++)
		if (r->kinds[i] > r->kinds[most])
			most = i;
	snprintf(text, size, "%s%s", flt_kind_name((uint32_t)most),
		 r->kinds[most] < flt_region_faults(r) ? "+" : "");
}

void map_row_name(const struct map *m, const struct map_row *row, char *text, size_t size)
{
	flt_region_label(m->regions, row->region, text, size);
}

void map_row_note(const struct map *m, const struct map_row *row, char *text, size_t size)
{
	const char *comm = flt_regions_comm(m->regions, row->region->image);
	char pattern[96];

	flt_pattern_describe(&row->verdict, pattern, sizeof(pattern));
	snprintf(text, size, "%s%s%" PRIu32 ": %" PRIu64 " faults, %s", comm, comm[0] ? " " : "",
		 flt_regions_pid(m->regions, row->region->image), flt_region_faults(row->region), pattern);
}

static double part(uint64_t of, uint64_t all)
{
	return all ? 100.0 * (double)of / (double)all : 0;
}

static void counts_fill(const struct map *m, const struct flt_region *r, struct flt_cell *cells)
{
	size_t i;

	cells[MAP_FAULTS] = flt_cell_u64(flt_region_faults(r));
	cells[MAP_SHARE] = flt_cell_double(part(flt_region_faults(r), flt_region_faults(&m->total)), 1);
	cells[MAP_MINOR] = flt_cell_u64(r->minor);
	cells[MAP_MAJOR] = flt_cell_u64(r->major);
	cells[MAP_FAILED] = flt_cell_u64(r->failed);
	cells[MAP_REFAULTS] = flt_cell_u64(r->refaults);
	/* An engine without latencies has none at all. */
	if (m->total.latency) {
		cells[MAP_LATENCY] = flt_cell_ns(r->latency);
		cells[MAP_LATENCY_SHARE] = flt_cell_double(part(r->latency, m->total.latency), 1);
	}
	cells[MAP_BYTES] = flt_cell_size(r->pages << 12);
	cells[MAP_DISTINCT] = flt_cell_size(r->distinct << 12);
	for (i = 0; i < __FLT_KIND_MAX; i++)
		cells[MAP_KINDS + i] = flt_cell_u64(r->kinds[i]);
}

static int region_write(struct map *m, struct flt_table *table, const struct map_row *row)
{
	const struct flt_region *r = row->region;
	const struct flt_verdict *v = &row->verdict;
	const bool text = m->args->format == FLT_FORMAT_TEXT;
	char name[NAME_LEN], kind[32], pattern[96], evidence[192], rights[4];
	struct flt_cell cells[MAP_COLUMNS] = { 0 };

	counts_fill(m, r, cells);
	snprintf(rights, sizeof(rights), "%c%c%c", r->area.protection & 1 ? 'r' : '-',
		 r->area.protection & 2 ? 'w' : '-', r->area.protection & 4 ? 'x' : '-');
	flt_region_label(m->regions, r, name, sizeof(name));
	kind_text(r, kind, sizeof(kind));
	flt_pattern_describe(v, pattern, sizeof(pattern));
	flt_pattern_evidence(v, evidence, sizeof(evidence));
	cells[MAP_RECORD] = flt_cell_string("region");
	if (flt_regions_pid(m->regions, r->image))
		cells[MAP_PID] = flt_cell_u64(flt_regions_pid(m->regions, r->image));
	if (flt_regions_comm(m->regions, r->image)[0])
		cells[MAP_COMM] = flt_cell_string(flt_regions_comm(m->regions, r->image));
	cells[MAP_OF] = flt_cell_string(flt_region_of_name(r->area.of));
	if (r->area.end) {
		cells[MAP_START] = flt_cell_hex(r->area.start);
		cells[MAP_END] = flt_cell_hex(r->area.end);
		cells[MAP_RIGHTS] = flt_cell_string(rights);
	}
	cells[MAP_KIND] = flt_cell_string(kind);
	cells[MAP_PATTERN] = flt_cell_string(text ? pattern : v->name);
	cells[MAP_AREA] = flt_cell_string(name);
	cells[MAP_ORDER] = flt_cell_string(flt_order_name(v->order));
	cells[MAP_REUSE] = flt_cell_string(flt_reuse_name(v->reuse));
	if (v->order == FLT_ORDER_STRIDED)
		cells[MAP_STRIDE] = flt_cell_i64(v->stride);
	cells[MAP_STEPS] = flt_cell_u64(v->steps);
	cells[MAP_STEPS_SHARE] = flt_cell_u64(v->share);
	cells[MAP_REFAULT_SHARE] = flt_cell_u64(v->refault_share);
	cells[MAP_EVIDENCE] = flt_cell_string(evidence);
	cells[MAP_REMEDY] = flt_cell_string(flt_remedy_name(row->remedy));
	cells[MAP_ADVICE] = flt_cell_string(flt_remedy_text(row->remedy));
	cells[MAP_FROM] = flt_cell_u64(r->first);
	cells[MAP_UNTIL] = flt_cell_u64(r->last);
	return flt_table_cells(table, cells);
}

static int sum_write(struct map *m, struct flt_table *table, const struct flt_region *sum, const char *record,
		     const char *name)
{
	struct flt_cell cells[MAP_COLUMNS] = { 0 };

	counts_fill(m, sum, cells);
	cells[MAP_RECORD] = flt_cell_string(record);
	cells[MAP_AREA] = flt_cell_string(name);
	return flt_table_cells(table, cells);
}

/* Words broken at 80 columns, behind an indentation of three. */
static void put_wrapped(const char *text)
{
	int column = 0, length;

	while (*text) {
		length = (int)strcspn(text, " ");
		if (!column)
			column = printf("   %.*s", length, text);
		else if (column + 1 + length <= 80)
			column += printf(" %.*s", length, text);
		else
			column = printf("\n   %.*s", length, text) - 1;
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void finding_write(const struct map *m, const struct map_row *row, unsigned int number)
{
	char name[1024], shown[1024 * FLT_ESCAPE_GROWTH], comm[64], pattern[96], evidence[192], line[512];
	const struct flt_region *r = row->region;

	flt_region_label(m->regions, r, name, sizeof(name));
	flt_escape_text(shown, sizeof(shown), name, strlen(name));
	flt_escape_text(comm, sizeof(comm), flt_regions_comm(m->regions, r->image),
			strlen(flt_regions_comm(m->regions, r->image)));
	printf("\n%u. %s (%s%s%" PRIu32 "): %.1f %% of the faults", number, shown, comm, comm[0] ? " " : "",
	       flt_regions_pid(m->regions, r->image), part(flt_region_faults(r), flt_region_faults(&m->total)));
	if (m->total.latency)
		printf(", %.1f %% of their time", part(r->latency, m->total.latency));
	putchar('\n');
	flt_pattern_describe(&row->verdict, pattern, sizeof(pattern));
	flt_pattern_evidence(&row->verdict, evidence, sizeof(evidence));
	snprintf(line, sizeof(line), "%s: %s.", pattern, evidence);
	put_wrapped(line);
	put_wrapped(flt_remedy_text(row->remedy));
}

/* The regions that something can be done about, with why and what. */
static void findings_write(const struct map *m)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < m->count && n < FINDINGS; i++)
		if (m->rows[i].remedy)
			finding_write(m, &m->rows[i], ++n);
}

int map_rows_write(struct map *m)
{
	const bool text = m->args->format == FLT_FORMAT_TEXT;
	size_t top = text && m->args->top && m->args->top < m->count ? m->args->top : m->count, i;
	struct flt_region others = { 0 };
	struct flt_table *table;
	char name[64];
	int err;

	err = flt_table_new_cells(&table, stdout, (enum flt_format)m->args->format, columns, MAP_COLUMNS);
	if (err)
		return err;
	for (i = 0; !err && i < top; i++)
		err = region_write(m, table, &m->rows[i]);
	for (; i < m->count; i++)
		sum_up(&others, m->rows[i].region);
	snprintf(name, sizeof(name), "(%zu others)", m->count - top);
	if (!err && top < m->count)
		err = sum_write(m, table, &others, "others", name);
	if (!err)
		err = sum_write(m, table, &m->total, "total", "(total)");
	if (!err && !text && m->args->heat)
		err = map_picture_rows(m, table);
	flt_table_flush(table, true);
	flt_table_free(table);
	if (!err && text)
		findings_write(m);
	return err;
}
