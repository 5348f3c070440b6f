// SPDX-License-Identifier: GPL-2.0-or-later
/* table.c - write the rows of moments as tables. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/rss/rss.h"
#include "source/proc/container.h"
#include "text/units.h"

#define STACK_BYTES 16384

/* Bits of .known_if: the rows that have a value. */
enum { ONE_PROCESS = 1 };

/* Bits of .text_if: the tables that have a column. */
enum {
	LINES = 1 << RSS_BY_LINE,
	STACKS = 1 << RSS_BY_STACK,
	CODE = LINES | STACKS | 1 << RSS_BY_FUNCTION,
	THREADS = 1 << RSS_BY_THREAD,
	VMAS = 1 << RSS_BY_VMA,
	OBJECTS = CODE | VMAS | 1 << RSS_BY_OBJECT,
	CGROUPS = 1 << RSS_BY_CGROUP,
	DIFF = 1 << 16,
	PLAIN = 1 << 17,
};

struct line {
	const char *moment;
	uint64_t since;
	struct rss_row row;
	double percent;
	uint64_t rss, anon, file, shmem, shared, private, huge, swap, hugetlb, unknown;	/* bytes */
	uint64_t before;
	int64_t change;
	const char *function, *source, *object, *container;
	char change_text[FLT_UNITS_TEXT + 1];
	char comm[80];
	const char *stack;
};

#define AT(member) FLT_AT(struct line, member)
#define IN(tables) .text_if = (tables), .data_if = (tables)

static const struct flt_column columns[] = {
	{ "moment", NULL, 0, FLT_COLUMN_STRING, AT(moment) },
	{ "time_ns", NULL, 0, FLT_COLUMN_COUNT, AT(since) },
	{ "percent", "%", 6, FLT_COLUMN_REAL, AT(percent), .decimals = 2, IN(PLAIN) },
	{ NULL, "CHANGE", 9, FLT_COLUMN_CHARS, AT(change_text), IN(DIFF) },
	{ "change_bytes", NULL, 0, FLT_COLUMN_SIGNED, AT(change), IN(DIFF) },
	{ "before_bytes", "BEFORE", 8, FLT_COLUMN_BYTES, AT(before), IN(DIFF) },
	{ "rss_bytes", "RSS", 8, FLT_COLUMN_BYTES, AT(rss) },
	{ "anon_bytes", "ANON", 8, FLT_COLUMN_BYTES, AT(anon), .spare = 4 },
	{ "file_bytes", "FILE", 8, FLT_COLUMN_BYTES, AT(file), .spare = 4 },
	{ "shmem_bytes", "SHMEM", 7, FLT_COLUMN_BYTES, AT(shmem), .spare = 2 },
	{ "shared_bytes", "SHARED", 8, FLT_COLUMN_BYTES, AT(shared), .spare = 3 },
	{ "private_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(private) },
	{ "huge_bytes", "HUGE", 7, FLT_COLUMN_BYTES, AT(huge), .spare = 1 },
	{ "swap_bytes", "SWAP", 7, FLT_COLUMN_BYTES, AT(swap), .spare = 2 },
	{ "hugetlb_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(hugetlb) },
	{ "unknown_bytes", "UNKNOWN", 8, FLT_COLUMN_BYTES, AT(unknown),
	  IN(VMAS | CGROUPS) },
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, AT(row.cgroup), IN(CGROUPS) },
	{ "container", "CGROUP", -20, FLT_COLUMN_STRING, AT(container), IN(CGROUPS) },
	{ "pid", "PID", 5, FLT_COLUMN_COUNT, AT(row.pid), .known_if = ONE_PROCESS, .spare = 3 },
	{ "comm", NULL, 0, FLT_COLUMN_CHARS, AT(comm), .known_if = ONE_PROCESS },
	{ NULL, "COMM", -8, FLT_COLUMN_CHARS, AT(comm), .spare = 5 },
	{ "tid", "TID", 5, FLT_COLUMN_COUNT, AT(row.tid), .zero_unknown = true, IN(THREADS) },
	{ "address", "ADDRESS", 14, FLT_COLUMN_HEX, AT(row.address), .zero_unknown = true,
	  IN(VMAS) },
	{ "function", "FUNCTION", -20, FLT_COLUMN_STRING, AT(function), IN(CODE) },
	{ "inlined_in", "INLINED IN", -10, FLT_COLUMN_STRING, AT(row.within), .spare = 4,
	  IN(CODE) },
	{ "file", NULL, 0, FLT_COLUMN_STRING, AT(row.file), IN(LINES | STACKS) },
	{ "line", NULL, 0, FLT_COLUMN_COUNT, AT(row.line), .zero_unknown = true,
	  IN(LINES | STACKS) },
	{ NULL, "SOURCE", -12, FLT_COLUMN_STRING, AT(source), IN(LINES | STACKS) },
	{ "object", NULL, 0, FLT_COLUMN_STRING, AT(row.object), IN(OBJECTS) },
	{ NULL, "OBJECT", -8, FLT_COLUMN_STRING, AT(object), IN(OBJECTS) },
	{ "unknown", NULL, 0, FLT_COLUMN_BOOL, AT(row.unknown) },
	{ "collapse", NULL, 0, FLT_COLUMN_BOOL, AT(row.collapse), IN(OBJECTS | THREADS) },
	{ "callers", NULL, 0, FLT_COLUMN_LINES, AT(stack), IN(STACKS) },
	{ 0 },
};

static const char *source_write(char *text, size_t size, const char *file, uint32_t line)
{
	if (!file)
		return NULL;
	snprintf(text, size, "%s:%u", flt_symbols_base(file), line);
	return text;
}

/* Append "function (file.c:12)". Return the new length, which exceeds size if the text was cut. */
static size_t caller_append(char *text, size_t size, size_t used, const struct flt_frame *f)
{
	char source[256];
	const char *at = source_write(source, sizeof(source), f->file, f->line);

	return used + (size_t)snprintf(text + used, size - used, at ? "%s (%s)\n" : "%s\n",
				       f->function, at);
}

/* Write the callers of a row to text, innermost first, one per line. */
static void callers_write(char *text, size_t size, struct rss_joined *j, const struct rss_row *row)
{
	uint32_t places[FLT_STACK_DEPTH_MAX];
	const struct flt_frames *f;
	size_t n, i, k, used = 0;

	text[0] = '\0';
	n = row->image ? flt_recording_stack(j->load.rec, row->image, row->stack, places, NULL,
					     FLT_STACK_DEPTH_MAX) : 0;
	for (i = 0; i < n; i++) {
		f = flt_symbols_at(j->symbols, places[i]);
		for (k = 0; f && k < f->count && used < size - 1; k++)
			used = caller_append(text, size, used, &f->frame[k]);
	}
	/* End with a whole line. */
	if (used >= size)
		*(strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text) = '\0';
}

static void parts_bytes(struct line *l, const struct rss_moment *m, const struct rss_parts *p)
{
	l->rss = rss_bytes(m, p->rss);
	l->anon = rss_bytes(m, p->by[FLT_PRESENT_ANON]);
	l->file = rss_bytes(m, p->by[FLT_PRESENT_FILE]);
	l->shmem = rss_bytes(m, p->by[FLT_PRESENT_SHMEM]);
	l->hugetlb = rss_bytes(m, p->by[FLT_PRESENT_HUGETLB]);
	l->shared = rss_bytes(m, p->shared);
	l->private = rss_bytes(m, p->rss - p->shared);
	l->huge = rss_bytes(m, p->huge);
	l->swap = rss_bytes(m, p->swap);
	l->unknown = rss_bytes(m, p->unknown);
}

static int row_write(struct flt_table *table, struct rss_joined *j, const struct rss_moment *m,
		     const struct rss_row *row, const struct rss_rows *rows)
{
	char source[256], size[FLT_UNITS_TEXT], stack[STACK_BYTES], container[FLT_CONTAINER_NAME];
	struct line l = { .moment = m->label, .since = m->since, .row = *row };
	const char *nobody = rss_row_nobody(row);

	parts_bytes(&l, m, &row->parts);
	l.before = rss_bytes(m, row->before.rss);
	l.change = (int64_t)l.rss - (int64_t)l.before;
	flt_units_write_size(size, (uint64_t)(l.change < 0 ? -l.change : l.change));
	snprintf(l.change_text, sizeof(l.change_text), "%s%s",
		 l.change > 0 ? "+" : l.change < 0 ? "-" : "", size);
	l.percent = rows->total.rss ? 100.0 * (double)row->parts.rss / (double)rows->total.rss : 0;
	l.function = nobody ? nobody : row->function;
	l.source = source_write(source, sizeof(source), row->file, row->line);
	l.object = row->object ? flt_symbols_base(row->object) : nobody;
	l.container = flt_container_label(row->cgroup, container);
	callers_write(stack, sizeof(stack), j, row);
	l.stack = stack;
	snprintf(l.comm, sizeof(l.comm), "%.64s%s", row->comm, row->several ? ", ..." : "");
	return flt_table_row(table, &l, row->several ? 0 : ONE_PROCESS);
}

/* Write a number of pages as a size. */
static const char *size_of(const struct rss_moment *m, char text[FLT_UNITS_TEXT], uint64_t pages)
{
	return flt_units_write_size(text, rss_bytes(m, pages));
}

static void total_write(const struct rss_moment *m, const struct rss_rows *rows)
{
	const struct rss_parts *t = &rows->total;
	char a[FLT_UNITS_TEXT], b[FLT_UNITS_TEXT], c[FLT_UNITS_TEXT], d[FLT_UNITS_TEXT];
	char at[FLT_UNITS_TEXT];

	printf("%s: %" PRIu64 " pages (%s) resident in %zu process%s after %s\n", m->label, t->rss,
	       size_of(m, a, t->rss), m->moment.count, m->moment.count == 1 ? "" : "es",
	       flt_units_write_ns(at, m->since));
	printf("%s anonymous, %s file, %s shmem; %s private, ",
	       size_of(m, a, t->by[FLT_PRESENT_ANON]), size_of(m, b, t->by[FLT_PRESENT_FILE]),
	       size_of(m, c, t->by[FLT_PRESENT_SHMEM]), size_of(m, d, t->rss - t->shared));
	printf("%s shared; %s in huge pages; %s swapped", size_of(m, a, t->shared),
	       size_of(m, b, t->huge), size_of(m, c, t->swap));
	if (t->by[FLT_PRESENT_HUGETLB])
		printf("; %s hugetlb beside", size_of(m, a, t->by[FLT_PRESENT_HUGETLB]));
	printf("\nunknown: %" PRIu64 " pages, %.2f %%\n", t->unknown,
	       t->rss ? 100.0 * (double)t->unknown / (double)t->rss : 0);
}

static void diff_write(const struct rss_moment *m, const struct rss_rows *rows,
		       const struct rss_moment *before)
{
	char a[FLT_UNITS_TEXT], b[FLT_UNITS_TEXT];

	printf("%s: %" PRIu64 " pages (%s), %s: %" PRIu64 " pages (%s)\n", before->label,
	       rows->before.rss, size_of(m, a, rows->before.rss), m->label, rows->total.rss,
	       size_of(m, b, rows->total.rss));
}

/*
 * Write the rows of a moment, which may be compared with an earlier one. Text has a table for
 * each moment. Else *table is that of all moments; NULL at first.
 */
static int moment_write(struct rss_joined *j, const struct rss_moment *m,
			const struct rss_moment *before, struct flt_table **all)
{
	const struct rss_args *args = j->run->args;
	const bool text = args->style.format == FLT_FORMAT_TEXT;
	struct rss_rows rows, old = { 0 };
	struct flt_table *table = *all;
	size_t i, shown;
	int ret;

	ret = rss_rows_build(&rows, j, m, (enum rss_by)args->by);
	if (!ret && before)
		ret = rss_rows_build(&old, j, before, (enum rss_by)args->by);
	if (!ret && before)
		ret = rss_rows_diff(&rows, &old);
	if (!ret && !table)
		ret = flt_table_new(&table, stdout, &args->style, columns,
				    1ull << args->by | (before ? DIFF : PLAIN));
	if (!ret) {
		shown = text && args->top && args->top < rows.count ? args->top : rows.count;
		for (i = 0; !ret && i < shown; i++)
			ret = row_write(table, j, m, &rows.rows[i], &rows);
		flt_table_flush(table, true);
		if (text)
			flt_table_free(table);
		else
			*all = table;
		if (text && shown < rows.count)
			printf("... %zu more rows; -n 0 lists all\n", rows.count - shown);
		if (text && before)
			diff_write(m, &rows, before);
		if (text)
			total_write(m, &rows);
	}
	rss_rows_free(&rows);
	rss_rows_free(&old);
	return ret;
}

int rss_table_write(struct rss_joined *j)
{
	const struct rss_args *args = j->run->args;
	struct flt_table *all = NULL;
	size_t i;
	int ret = 0;

	if (args->diff)
		ret = moment_write(j, &j->moments[j->count - 1], &j->moments[0], &all);
	for (i = 0; !args->diff && !ret && i < j->count; i++) {
		if (i && args->style.format == FLT_FORMAT_TEXT)
			putchar('\n');
		ret = moment_write(j, &j->moments[i], NULL, &all);
	}
	flt_table_free(all);
	return ret ? flt_command_fail(j->run->command, NULL, ret) : FLT_EXIT_DONE;
}
