// SPDX-License-Identifier: GPL-2.0-or-later
/* diff.c - report --diff: compare two recordings by name. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/report.h"
#include "source/proc/container.h"
#include "view/table/table.h"

struct pair {
	const struct flt_site *before, *after;	/* one of them may be NULL */
};

static int text_order(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* Compare names of files without their directories, which differ between machines. */
static int name_order(const struct flt_site *x, const struct flt_site *y)
{
	int order = text_order(x->function, y->function);

	if (!order && x->object && y->object)
		order = strcmp(flt_symbols_base(x->object), flt_symbols_base(y->object));
	if (!order && x->file && y->file)
		order = strcmp(flt_symbols_base(x->file), flt_symbols_base(y->file));
	if (!order && x->line != y->line)
		order = x->line < y->line ? -1 : 1;
	if (!order && x->address != y->address)
		order = x->address < y->address ? -1 : 1;
	if (!order && x->tid)
		order = text_order(x->comm, y->comm);
	if (!order)
		order = text_order(x->cgroup, y->cgroup);
	return order;
}

static int row_name_order(const void *a, const void *b)
{
	return name_order(a, b);
}

static int64_t change(const struct pair *p)
{
	return (int64_t)(p->after ? flt_counts_all(&p->after->counts) : 0) -
	       (int64_t)(p->before ? flt_counts_all(&p->before->counts) : 0);
}

static int change_order(const void *a, const void *b)
{
	int64_t x = llabs(change(a)), y = llabs(change(b));

	return x > y ? -1 : x < y;
}

/* Merge two sorted lists. Return the number of pairs. */
static size_t pairs_match(struct pair *pairs, const struct flt_sites *before,
			  const struct flt_sites *after)
{
	size_t i = 0, k = 0, n = 0;
	int order;

	while (i < before->count || k < after->count) {
		order = i == before->count ? 1 : k == after->count ? -1 :
			name_order(&before->rows[i], &after->rows[k]);
		pairs[n].before = order <= 0 ? &before->rows[i++] : NULL;
		pairs[n++].after = order >= 0 ? &after->rows[k++] : NULL;
	}
	return n;
}

struct row {
	uint64_t before, after;
	int64_t change;
	double percent;
	const char *function, *source, *object, *cgroup, *container;
};

enum { HAS_PERCENT = 1 };

/* Bits of .text_if: 1 << enum flt_by. */
enum { CGROUPS = 1 << FLT_BY_CGROUP, CODE = ~CGROUPS };

#define AT(member) FLT_AT(struct row, member)
#define IN(tables) .text_if = (tables), .data_if = (tables)

static const struct flt_column columns[] = {
	{ "before", "BEFORE", 8, FLT_COLUMN_COUNT, AT(before) },
	{ "after", "AFTER", 8, FLT_COLUMN_COUNT, AT(after) },
	{ "change", "CHANGE", 8, FLT_COLUMN_SIGNED, AT(change) },
	{ "change_percent", "%", 7, FLT_COLUMN_REAL, AT(percent), .decimals = 1,
	  .known_if = HAS_PERCENT },
	{ "function", "FUNCTION", -20, FLT_COLUMN_STRING, AT(function), IN(CODE) },
	{ "source", "SOURCE", -12, FLT_COLUMN_STRING, AT(source), IN(CODE) },
	{ "object", "OBJECT", -8, FLT_COLUMN_STRING, AT(object), IN(CODE) },
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, AT(cgroup), IN(CGROUPS) },
	{ "container", "CGROUP", -20, FLT_COLUMN_STRING, AT(container), IN(CGROUPS) },
	{ 0 },
};

static int pair_write(struct flt_table *table, const struct pair *p)
{
	const struct flt_site *site = p->after ? p->after : p->before;
	struct row row = { .change = change(p) };
	char source[256], container[FLT_CONTAINER_NAME];

	row.before = p->before ? flt_counts_all(&p->before->counts) : 0;
	row.after = p->after ? flt_counts_all(&p->after->counts) : 0;
	row.percent = 100.0 * (double)row.change / (double)row.before;
	row.function = site->function ? site->function : site->tid ? site->comm : NULL;
	row.source = flt_report_source(source, sizeof(source), site->file, site->line);
	row.object = site->object ? flt_symbols_base(site->object) : NULL;
	row.cgroup = site->cgroup;
	row.container = flt_container_label(site->cgroup, container);
	return flt_table_row(table, &row, row.before ? HAS_PERCENT : 0);
}

static int pairs_write(struct flt_report *r, const struct pair *pairs, size_t n)
{
	enum flt_format format = (enum flt_format)r->args->style.format;
	struct flt_table *table;
	size_t i;
	int err;

	if (format == FLT_FORMAT_TEXT && r->args->top && r->args->top < n)
		n = (size_t)r->args->top;
	err = flt_table_new(&table, stdout, &r->args->style, columns, 1u << r->by);
	if (err)
		return err;
	for (i = 0; i < n && !err; i++)
		err = pair_write(table, &pairs[i]);
	flt_table_flush(table, true);
	flt_table_free(table);
	return err;
}

int flt_report_diff(struct flt_report *after, const char *path)
{
	struct flt_report before = *after;
	struct flt_sites old = { 0 }, new = { 0 };
	struct pair *pairs = NULL;
	int status, verdict;
	size_t n;

	status = flt_report_open(&before, after->args->diff);
	if (!status)
		status = flt_report_open(after, path);
	if (status)
		goto out;
	status = flt_sites_build(&old, before.by, before.load.rec, before.symbols, &before.group);
	if (!status)
		status = flt_sites_build(&new, after->by, after->load.rec, after->symbols,
					 &after->group);
	flt_report_erase_progress(&before);
	flt_report_erase_progress(after);
	if (!status) {
		pairs = calloc(old.count + new.count + 1, sizeof(*pairs));
		status = pairs ? 0 : -ENOMEM;
	}
	if (!status) {
		if (old.count)
			qsort(old.rows, old.count, sizeof(*old.rows), row_name_order);
		if (new.count)
			qsort(new.rows, new.count, sizeof(*new.rows), row_name_order);
		n = pairs_match(pairs, &old, &new);
		qsort(pairs, n, sizeof(*pairs), change_order);
		status = pairs_write(after, pairs, n);
	}
	if (status) {
		status = flt_command_fail(after->run->command, NULL, status);
		goto out;
	}
	status = flt_load_verdict(&before.load);
	verdict = flt_load_verdict(&after->load);
	status = verdict ? verdict : status;
out:
	free(pairs);
	flt_sites_free(&old);
	flt_sites_free(&new);
	flt_report_close(&before);
	flt_report_close(after);
	return status;
}
