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

/* Bits of .known_if: the rows that have a column. */
enum {
	OF_COUNTS = 1,		/* regions and sums of regions */
	OF_LATENCY = 2,		/* the same, if latencies are known */
	OF_REGION = 4,		/* regions */
	OF_STRIDE = 8,		/* regions with strided accesses */
	OF_RANGE = 16,		/* regions and cells with addresses */
	OF_TIME = 32,		/* regions and cells, which begin and end */
};

struct row {
	const char *record;
	uint32_t pid;
	const char *comm, *name, *cgroup, *container;
	uint64_t start, end;
	struct flt_region r;
	struct flt_verdict v;
	uint64_t faults, bytes, distinct;
	uint64_t all_latency;		/* ns, of all regions */
	double share;			/* percent of all faults */
	const char *rights, *kind, *pattern, *evidence;
	enum flt_advice advice;
};

/* Bits of .text_if: the tables that have a column. */
enum { SHOW_REGION = 1, SHOW_CGROUP = 2 };

#define AT(member) FLT_AT(struct row, member)

static const struct flt_column columns[] = {
	{ "record", NULL, 0, FLT_COLUMN_STRING, AT(record) },
	{ "pid", "PID", 7, FLT_COLUMN_COUNT, AT(pid), .zero_unknown = true,
	  .text_if = SHOW_REGION },
	{ "comm", "COMM", -8, FLT_COLUMN_STRING, AT(comm), .zero_unknown = true,
	  .text_if = SHOW_REGION },
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, AT(cgroup) },
	{ "container", "CGROUP", -20, FLT_COLUMN_STRING, AT(container), .text_if = SHOW_CGROUP },
	{ "of", NULL, 0, FLT_COLUMN_NAME, AT(r.area.of), .name = flt_region_of_name,
	  .known_if = OF_REGION },
	{ "start", NULL, 0, FLT_COLUMN_HEX, AT(start), .known_if = OF_RANGE },
	{ "end", NULL, 0, FLT_COLUMN_HEX, AT(end), .known_if = OF_RANGE },
	{ "faults", "FAULTS", 8, FLT_COLUMN_COUNT, AT(faults) },
	{ "share", "%", 5, FLT_COLUMN_REAL, AT(share), .decimals = 1, .known_if = OF_COUNTS },
	{ "minor", NULL, 0, FLT_COLUMN_COUNT, AT(r.minor), .known_if = OF_COUNTS },
	{ "major", "MAJOR", 6, FLT_COLUMN_COUNT, AT(r.major), .known_if = OF_COUNTS },
	{ "failed", NULL, 0, FLT_COLUMN_COUNT, AT(r.failed), .known_if = OF_COUNTS },
	{ "refaults", "REFAULT", 7, FLT_COLUMN_COUNT, AT(r.refaults) },
	{ "latency_ns", "TIME", 6, FLT_COLUMN_NS, AT(r.latency), .known_if = OF_LATENCY },
	{ "latency_share", "TIME%", 5, FLT_COLUMN_PERCENT, AT(r.latency), .decimals = 1,
	  .of = offsetof(struct row, all_latency), .spare = 1 },
	{ "bytes", "BYTES", 7, FLT_COLUMN_BYTES, AT(bytes), .known_if = OF_COUNTS, .spare = 2 },
	{ "distinct_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(distinct), .known_if = OF_COUNTS },
	{ "kind", "KIND", -6, FLT_COLUMN_STRING, AT(kind) },
	{ "pattern", NULL, 0, FLT_COLUMN_STRING, AT(v.name) },
	{ NULL, "PATTERN", -18, FLT_COLUMN_STRING, AT(pattern), .text_if = SHOW_REGION },
	{ "rights", "ACC", -3, FLT_COLUMN_STRING, AT(rights), .spare = 1,
	  .text_if = SHOW_REGION },
	{ "area", "REGION", -10, FLT_COLUMN_STRING, AT(name), .text_if = SHOW_REGION },
	{ "order", NULL, 0, FLT_COLUMN_NAME, AT(v.order), .name = flt_order_name,
	  .known_if = OF_REGION },
	{ "reuse", NULL, 0, FLT_COLUMN_NAME, AT(v.reuse), .name = flt_reuse_name,
	  .known_if = OF_REGION },
	{ "stride", NULL, 0, FLT_COLUMN_SIGNED, AT(v.stride), .known_if = OF_STRIDE },
	{ "steps", NULL, 0, FLT_COLUMN_COUNT, AT(v.steps), .known_if = OF_REGION },
	{ "steps_share", NULL, 0, FLT_COLUMN_COUNT, AT(v.share), .known_if = OF_REGION },
	{ "refault_share", NULL, 0, FLT_COLUMN_COUNT, AT(v.refault_share),
	  .known_if = OF_REGION },
	{ "evidence", NULL, 0, FLT_COLUMN_STRING, AT(evidence) },
	{ "remedy", NULL, 0, FLT_COLUMN_NAME, AT(advice), .name = flt_advice_name,
	  .known_if = OF_REGION },
	{ "advice", NULL, 0, FLT_COLUMN_NAME, AT(advice), .name = flt_advice_text,
	  .known_if = OF_REGION },
	{ "from_ns", NULL, 0, FLT_COLUMN_COUNT, AT(r.first), .known_if = OF_TIME },
	{ "until_ns", NULL, 0, FLT_COLUMN_COUNT, AT(r.last), .known_if = OF_TIME },
	{ "", NULL, 0, FLT_COLUMN_COUNT, FLT_AT_ARRAY(struct row, r.kinds), .name = flt_kind_name,
	  .known_if = OF_COUNTS },
	{ 0 },
};

/* For row_order(), because qsort() has no argument for it. */
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
	const struct flt_region *x = ((const struct map_row *)a)->region;
	const struct flt_region *y = ((const struct map_row *)b)->region;

	if (sort_by == 4)
		return by_address(x, y);
	if (weight_of(x) != weight_of(y))
		return weight_of(x) > weight_of(y) ? -1 : 1;
	if (flt_region_faults(x) != flt_region_faults(y))
		return flt_region_faults(x) > flt_region_faults(y) ? -1 : 1;
	return by_address(x, y);
}

void map_rows_add(struct flt_region *sum, const struct flt_region *r)
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
	struct flt_advice_all all = { .limited = m->limited, .page = g->page };
	struct map_row *row;
	uint32_t i;

	m->rows = calloc(g->count, sizeof(*m->rows));
	if (!m->rows)
		return -ENOMEM;
	for (i = 0; i < g->count; i++) {
		if (!flt_region_faults(&g->rows[i]) && !g->rows[i].failed)
			continue;
		map_rows_add(&m->total, &g->rows[i]);
		row = &m->rows[m->count++];
		row->region = &g->rows[i];
		row->verdict = flt_pattern_classify(g->rows[i].pattern);
	}
	all.faults = flt_region_faults(&m->total);
	all.latency = m->total.latency;
	for (i = 0; i < m->count; i++)
		m->rows[i].advice = flt_advice_for(m->rows[i].region, &m->rows[i].verdict, &all);
	sort_by = m->args->sort;
	qsort(m->rows, m->count, sizeof(*m->rows), row_order);
	return 0;
}

/* Write the most frequent kind, with a "+" if there are others. */
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

static double part(uint64_t of, uint64_t all)
{
	return all ? 100.0 * (double)of / (double)all : 0;
}

static int write_row(const struct map *m, struct flt_table *table, struct row *row, uint64_t known)
{
	row->faults = flt_region_faults(&row->r);
	row->share = part(row->faults, flt_region_faults(&m->total));
	row->bytes = row->r.pages << m->regions->page.shift;
	row->distinct = row->r.distinct << m->regions->page.shift;
	/* Latencies of all regions are 0 if the engine of the recording has none. */
	row->all_latency = m->total.latency;
	known |= OF_COUNTS | (m->total.latency ? OF_LATENCY : 0);
	return flt_table_row(table, row, known);
}

static int region_write(const struct map *m, struct flt_table *table, const struct map_row *from)
{
	const struct flt_region *r = from->region;
	const uint32_t rights = r->area.protection;
	const char access[] = { rights & 1 ? 'r' : '-', rights & 2 ? 'w' : '-',
				rights & 4 ? 'x' : '-', '\0' };
	char name[NAME_LEN], kind[32], pattern[96], evidence[192];
	uint64_t known = OF_REGION | OF_TIME;
	struct row row = {
		.record = "region", .r = *r, .v = from->verdict, .advice = from->advice,
		.pid = flt_regions_pid(m->regions, r->image),
		.comm = flt_regions_comm(m->regions, r->image),
		.start = r->area.start, .end = r->area.end,
		.name = name, .kind = kind, .pattern = pattern, .evidence = evidence,
	};

	flt_region_label(m->regions, r, name, sizeof(name));
	kind_text(r, kind, sizeof(kind));
	flt_pattern_describe(&row.v, pattern, sizeof(pattern));
	flt_pattern_evidence(&row.v, evidence, sizeof(evidence));
	if (row.v.order == FLT_ORDER_STRIDED)
		known |= OF_STRIDE;
	if (row.end) {
		known |= OF_RANGE;
		row.rights = access;
	}
	return write_row(m, table, &row, known);
}

static int sum_write(const struct map *m, struct flt_table *table, const struct flt_region *sum,
		     const char *record, const char *name)
{
	struct row row = { .record = record, .r = *sum, .name = m->cgroups ? NULL : name,
			   .container = m->cgroups ? name : NULL };

	return write_row(m, table, &row, 0);
}

int map_row_cgroup(const struct map *m, struct flt_table *table, const struct flt_region *sum,
		   const char *path, const char *name)
{
	char kind[32];
	struct row row = {
		.record = "cgroup", .r = *sum, .cgroup = path, .container = name, .kind = kind,
	};

	kind_text(sum, kind, sizeof(kind));
	return write_row(m, table, &row, 0);
}

int map_row_cell(const struct map *m, struct flt_table *table, const char *name,
		 const struct flt_heat_band *band, const struct flt_heat_cell *cell)
{
	const struct flt_heat *heat = &m->regions->heat;
	const struct row row = {
		.record = "cell", .name = name, .faults = cell->all,
		.start = cell->row << band->shift << m->regions->page.shift,
		.end = (cell->row + 1) << band->shift << m->regions->page.shift,
		.r = { .refaults = cell->again,
		       .first = heat->begin + cell->column * heat->step,
		       .last = heat->begin + (cell->column + 1) * heat->step },
	};

	return flt_table_row(table, &row, OF_RANGE | OF_TIME);
}

/* Print text in lines of 80 columns, indented by three. */
static void print_wrapped(const char *text)
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

static void print_finding(const struct map *m, const struct map_row *row, unsigned int number)
{
	char name[1024], shown[1024 * FLT_ESCAPE_GROWTH], comm[64];
	char pattern[96], evidence[192], line[512];
	const struct flt_region *r = row->region;

	flt_region_label(m->regions, r, name, sizeof(name));
	flt_escape_text(shown, sizeof(shown), name, strlen(name));
	flt_escape_text(comm, sizeof(comm), flt_regions_comm(m->regions, r->image),
			strlen(flt_regions_comm(m->regions, r->image)));
	printf("\n%u. %s (%s%s%" PRIu32 "): %.1f %% of the faults", number, shown, comm,
	       comm[0] ? " " : "", flt_regions_pid(m->regions, r->image),
	       part(flt_region_faults(r), flt_region_faults(&m->total)));
	if (m->total.latency)
		printf(", %.1f %% of their time", part(r->latency, m->total.latency));
	putchar('\n');
	flt_pattern_describe(&row->verdict, pattern, sizeof(pattern));
	flt_pattern_evidence(&row->verdict, evidence, sizeof(evidence));
	snprintf(line, sizeof(line), "%s: %s.", pattern, evidence);
	print_wrapped(line);
	print_wrapped(flt_advice_text(row->advice));
}

/* Print the first regions that have advice, with the reason and the advice. */
static void print_findings(const struct map *m)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < m->count && n < FINDINGS; i++)
		if (m->rows[i].advice)
			print_finding(m, &m->rows[i], ++n);
}

/* Write the first regions, and the sum of the others. */
static int write_regions(const struct map *m, struct flt_table *table)
{
	const bool text = m->args->style.format == FLT_FORMAT_TEXT;
	size_t top = text && m->args->top && m->args->top < m->count ? m->args->top : m->count, i;
	struct flt_region others = { 0 };
	char name[64];
	int err = 0;

	for (i = 0; !err && i < top; i++)
		err = region_write(m, table, &m->rows[i]);
	for (; i < m->count; i++)
		map_rows_add(&others, m->rows[i].region);
	snprintf(name, sizeof(name), "(%zu others)", m->count - top);
	return err || top == m->count ? err : sum_write(m, table, &others, "others", name);
}

int map_rows_write(struct map *m)
{
	const bool text = m->args->style.format == FLT_FORMAT_TEXT;
	struct flt_table *table;
	int err;

	err = flt_table_new(&table, stdout, &m->args->style, columns,
			    m->cgroups ? SHOW_CGROUP : SHOW_REGION);
	if (err)
		return err;
	err = m->cgroups ? map_cgroups_write(m, table) : write_regions(m, table);
	if (!err)
		err = sum_write(m, table, &m->total, "total", "(total)");
	if (!err && !text && m->args->heat)
		err = map_picture_rows(m, table);
	flt_table_flush(table, true);
	flt_table_free(table);
	if (!err && text)
		print_findings(m);
	return err;
}
