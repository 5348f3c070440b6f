// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sweep.c - `fltctl record --sweep`: run the command natively, then with all the memory that
 * it needs, then with each share of that. The table shows time and faults per size of memory,
 * the miss curve of the program.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/clock.h"
#include "cmd/record/child.h"
#include "cmd/record/once.h"
#include "cmd/record/sweep.h"
#include "observe/observe.h"
#include "text/units.h"
#include "view/table/table.h"

#define SHARES_MAX 64
#define BAR 24

struct point {
	char name[16];		/* "native", "all", "25%" */
	unsigned int percent;	/* of the peak; 0: not limited */
	uint64_t limit;
	struct flt_record_outcome out;
	bool recorded;
};

/* Bits of .known_if: the rows that have a value. */
enum { OF_LIMIT = 1, OF_RECORDING = 2 };

struct row {
	struct point p;
	uint64_t faults, resident_peak;
	double slowdown;	/* time relative to the native run; 0: not known */
	char bar[BAR + 1];
};

#define AT(member) FLT_AT(struct row, member)
#define SUM(member) AT(p.out.total.sum.member), .known_if = OF_RECORDING

static const struct flt_column columns[] = {
	{ "memory", "memory", -8, FLT_COLUMN_CHARS, AT(p.name) },
	{ "percent", NULL, 0, FLT_COLUMN_COUNT, AT(p.percent), .known_if = OF_LIMIT },
	{ "limit_bytes", "limit", 9, FLT_COLUMN_BYTES, AT(p.limit), .known_if = OF_LIMIT },
	{ "time_ns", "time", 7, FLT_COLUMN_NS, AT(p.out.ns) },
	{ "slowdown", "slowdown", 8, FLT_COLUMN_REAL, AT(slowdown), .decimals = 2,
	  .zero_unknown = true },
	{ "faults", "faults", 9, FLT_COLUMN_COUNT, AT(faults), .known_if = OF_RECORDING },
	{ "first_touches", "first", 9, FLT_COLUMN_COUNT, SUM(faults.alloc) },
	{ "refaults", "again", 9, FLT_COLUMN_COUNT, SUM(faults.refault) },
	{ "evicted_pages", "evicted", 9, FLT_COLUMN_COUNT, SUM(totals.evicted) },
	{ "resident_peak_bytes", NULL, 0, FLT_COLUMN_BYTES, AT(resident_peak),
	  .known_if = OF_RECORDING },
	{ "rescued", NULL, 0, FLT_COLUMN_COUNT, SUM(totals.rescued) },
	{ NULL, "", -BAR, FLT_COLUMN_CHARS, AT(bar), .spare = 1 },
	{ 0 },
};

/* Parse "25,50,100%". Return the number of shares, at most SHARES_MAX, or -EINVAL. */
static int read_shares(const char *text, unsigned int *share)
{
	int n = 0;

	for (;;) {
		char *end;
		unsigned long value = strtoul(text, &end, 10);

		if (end == text || *text == '-' || *text == '+' || !value || value > 1000 ||
		    n == SHARES_MAX)
			return -EINVAL;
		share[n++] = (unsigned int)value;
		if (*end == '%')
			end++;
		if (!*end)
			return n;
		if (*end != ',')
			return -EINVAL;
		text = end + 1;
	}
}

struct native {
	struct flt_observe o;
	struct point *p;
};

static int native_finish(void *arg)
{
	const struct native *n = arg;

	n->p->out.ns = flt_clock_ns(CLOCK_MONOTONIC) - n->o.began;
	return FLT_EXIT_DONE;
}

static int run_native(struct flt_run *run, const struct flt_record_args *args, struct point *p)
{
	static const struct flt_observe_ops ops = { .finish = native_finish };
	struct native n = {
		.o = {
			.command = run->command, .ops = &ops, .arg = &n,
			.setup = {
				.argv = run->words.command, .prepare = flt_record_in_child,
				.arg = (void *)args,
			},
		},
		.p = p,
	};

	return flt_observe_run(&n.o);
}

static int run_recorded(struct flt_run *run, const struct flt_record_args *args, struct point *p)
{
	struct flt_record_args one = *args;
	char output[PATH_MAX];
	size_t n = strcspn(p->name, "%");

	if ((size_t)snprintf(output, sizeof(output), "%s.%.*s", args->output, (int)n, p->name) >=
	    sizeof(output))
		return flt_command_fail(run->command, NULL, -ENAMETOOLONG);
	one.output = output;
	one.limit = p->limit;
	one.quiet = true;
	p->recorded = true;
	return flt_record_once(run, &one, &p->out);
}

static int write_point(struct flt_table *table, const struct point *p, uint64_t native,
		       uint64_t most)
{
	const struct flt_ring_counts *faults = &p->out.total.sum.faults;
	struct row row = { .p = *p, .faults = faults->alloc + faults->refault };
	uint64_t known = (p->percent ? OF_LIMIT : 0) | (p->recorded ? OF_RECORDING : 0);

	row.resident_peak = flt_record_bytes(p->out.total.resident_peak);
	row.slowdown = native ? (double)p->out.ns / (double)native : 0;
	memset(row.bar, '#', most ? (size_t)((faults->refault * BAR + most - 1) / most) : 0);
	return flt_table_row(table, &row, known);
}

static int print(const struct point *points, size_t n, const struct flt_table_style *style)
{
	struct flt_table *table;
	uint64_t most = 0;
	size_t i;
	int ret;

	ret = flt_table_new(&table, stdout, style, columns, 0);
	if (ret)
		return ret;
	for (i = 0; i < n; i++)
		if (points[i].out.total.sum.faults.refault > most)
			most = points[i].out.total.sum.faults.refault;
	for (i = 0; i < n && !ret; i++)
		ret = write_point(table, &points[i], points[0].out.ns, most);
	flt_table_flush(table, true);
	flt_table_free(table);
	return ret;
}

int flt_record_sweep(struct flt_run *run, const struct flt_record_args *args)
{
	struct point points[SHARES_MAX + 2] = { { .name = "native" }, { .name = "all" } };
	struct flt_record_args silent = *args;
	unsigned int share[SHARES_MAX];
	char size[FLT_UNITS_TEXT];
	size_t n = 2, i = 0;
	int ret, shares;

	shares = read_shares(args->sweep, share);
	if (shares < 0)
		return flt_command_misuse(run->command, "invalid value '%s' of --sweep (expected "
					  "percentages, e.g. 25,50,75,100%%)", args->sweep);
	ret = flt_record_may(run, args);
	if (ret)
		return ret;
	for (int k = 0; k < shares; k++, n++) {
		points[n].percent = share[k];
		snprintf(points[n].name, sizeof(points[n].name), "%u%%", share[k]);
	}
	silent.silent = true;
	points[1].limit = flt_record_bytes((uint64_t)sysconf(_SC_PHYS_PAGES));
	for (i = 0, ret = 0; i < n && !ret; i++) {
		struct point *p = &points[i];

		if (p->percent) {
			p->limit = flt_record_bytes(points[1].out.total.used_peak * p->percent /
						    100);
			if (p->limit < FLT_RECORD_LEAST)
				p->limit = FLT_RECORD_LEAST;
		}
		if (!args->quiet)
			flt_command_say(run->command, "run %zu of %zu: %s%s%s", i + 1, n, p->name,
					p->percent ? ", -L " : "",
					p->percent ? flt_units_write_size(size, p->limit) : "");
		ret = i ? run_recorded(run, &silent, p) : run_native(run, &silent, p);
	}
	if (ret && i < n)
		flt_command_say(run->command, "the sweep ended early: run %zu of %zu returned %d",
				i, n, ret);
	if (print(points, i, &args->style))
		return flt_command_fail(run->command, NULL, -ENOMEM);
	return ret;
}
