// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "text/clock.h"
#include "cmd/lat/lat.h"
#include "text/units.h"
#include "view/terminal/bars.h"

enum column {
	RECORD, SPAN, TIME, SECONDS, GROUP, NAME, LATENCY, CLOCK, PID, TID, COMM, FAULTS, MEAN, P50,
	P90, P99, P999, MAX, FROM, TO, KIND, RESULT, ATTEMPTS, ADDRESS, PATH, MISSED, LOST, LOST_NOTES,
	COMPLETE,
	COLUMNS
};

static const struct flt_column data_columns[COLUMNS] = {
	[RECORD] = { .key = "record" }, [SPAN] = { .key = "span" }, [TIME] = { .key = "time" },
	[SECONDS] = { .key = "seconds" }, [GROUP] = { .key = "group" }, [NAME] = { .key = "name" },
	[PID] = { .key = "pid" }, [TID] = { .key = "tid" }, [COMM] = { .key = "comm" },
	[FAULTS] = { .key = "faults" }, [MEAN] = { .key = "mean_ns" }, [P50] = { .key = "p50_ns" },
	[P90] = { .key = "p90_ns" }, [P99] = { .key = "p99_ns" }, [P999] = { .key = "p999_ns" },
	[MAX] = { .key = "max_ns" }, [FROM] = { .key = "from_ns" }, [TO] = { .key = "to_ns" },
	[CLOCK] = { .data_absent = true }, [LATENCY] = { .key = "latency_ns" },
	[KIND] = { .key = "kind" }, [RESULT] = { .key = "result" },
	[ATTEMPTS] = { .key = "attempts" }, [ADDRESS] = { .key = "address" },
	[PATH] = { .key = "path" }, [MISSED] = { .key = "missed" },
	[LOST] = { .key = "lost_slow" }, [LOST_NOTES] = { .key = "lost_notes" },
	[COMPLETE] = { .key = "complete" },
};

static const struct flt_column row_columns[COLUMNS] = {
	[GROUP] = { .title = "by", .width = -8 }, [NAME] = { .title = "which", .width = -15 },
	[FAULTS] = { .title = "faults", .width = 10 }, [MEAN] = { .title = "mean", .width = 7 },
	[P50] = { .title = "p50", .width = 7 }, [P90] = { .title = "p90", .width = 7 },
	[P99] = { .title = "p99", .width = 7 }, [P999] = { .title = "p99.9", .width = 7 },
	[MAX] = { .title = "max", .width = 7 },
};

static const struct flt_column example_columns[COLUMNS] = {
	[LATENCY] = { .title = "slowest", .width = 8 }, [CLOCK] = { .title = "ended", .width = -8 },
	[PID] = { .title = "pid", .width = 7 }, [TID] = { .title = "tid", .width = 7 },
	[COMM] = { .title = "comm", .width = -15 }, [KIND] = { .title = "kind", .width = -7 },
	[RESULT] = { .title = "result", .width = -6 }, [ATTEMPTS] = { .title = "tries", .width = 5 },
	[ADDRESS] = { .title = "address", .width = -14 }, [PATH] = { .title = "file", .width = -1 },
};

int lat_report_open(struct lat *l)
{
	enum flt_format format = (enum flt_format)l->args->format;
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	int ret;

	setlocale(LC_CTYPE, "");
	l->unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	l->color = isatty(STDOUT_FILENO) && !(no_color && *no_color) && term &&
		   strcmp(term, "dumb") != 0;
	l->wall_offset = flt_clock_wall_offset();
	if (format != FLT_FORMAT_TEXT)
		return flt_table_new_cells(&l->data, stdout, format, data_columns, COLUMNS);
	ret = flt_table_new_cells(&l->rows, stdout, format, row_columns, COLUMNS);
	if (!ret)
		ret = flt_table_new_cells(&l->examples, stdout, format, example_columns, COLUMNS);
	return ret;
}

void lat_report_close(struct lat *l)
{
	flt_table_free(l->data);
	flt_table_free(l->rows);
	flt_table_free(l->examples);
}

/* The report under way: what all its rows begin with. */
struct report {
	struct lat *l;
	const struct lat_look *look;
	uint64_t from;
	const char *span;
};

static void fill_head(const struct report *r, struct flt_cell *cells, const char *record)
{
	cells[RECORD] = flt_cell_string(record);
	cells[SPAN] = flt_cell_string(r->span);
	cells[TIME] = flt_cell_double((double)(r->look->now + r->l->wall_offset) / 1e9, 3);
	cells[SECONDS] = flt_cell_double((double)(r->look->now - r->from) / 1e9, 6);
}

static char *write_clock(const struct lat *l, char text[16], uint64_t mono)
{
	time_t when = (time_t)((mono + l->wall_offset) / FLT_NSEC_PER_SEC);
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(text, 16, "%H:%M:%S", &tm))
		snprintf(text, 16, "-");
	return text;
}

static size_t line_width(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	uint64_t n;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return columns && !flt_units_read_u64(columns, &n) && n && n < 1000 ? (size_t)n : 80;
}

/* Which of the percentiles fall into this octave: "p50 p90". */
static void write_marks(const struct flt_hist *hist, uint32_t octave, char text[64])
{
	static const struct {
		uint32_t part;
		const char *name;
	} marks[] = { { 50000, "p50" }, { 90000, "p90" }, { 99000, "p99" }, { 99900, "p99.9" } };
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (flt_bucket_of(flt_hist_percentile(hist, marks[i].part)) >> FLT_BUCKET_SHIFT ==
		    octave)
			used += (size_t)snprintf(text + used, 64 - used, "%s%s", used ? " " : "",
						 marks[i].name);
}

static void write_bars(const struct lat *l, const struct flt_hist *hist)
{
	const struct flt_bars_style style = { l->unicode, l->color, line_width() };
	char label[FLT_OCTAVES][2 * FLT_UNITS_TEXT + 4], mark[FLT_OCTAVES][64];
	char low[FLT_UNITS_TEXT], high[FLT_UNITS_TEXT];
	struct flt_bar bars[FLT_OCTAVES];
	uint32_t first = FLT_OCTAVES, last = 0, o;

	for (o = 0; o < FLT_OCTAVES; o++) {
		if (!flt_hist_octave(hist, o))
			continue;
		if (first == FLT_OCTAVES)
			first = o;
		last = o;
	}
	for (o = first; o <= last; o++) {
		snprintf(label[o], sizeof(label[o]), "%s - %s",
			 flt_units_write_ns(low, flt_hist_octave_floor(o)),
			 o + 1 < FLT_OCTAVES ?
				 flt_units_write_ns(high, flt_hist_octave_floor(o + 1)) : "");
		write_marks(hist, o, mark[o]);
		bars[o] = (struct flt_bar){ label[o], flt_hist_octave(hist, o),
					    *mark[o] ? mark[o] : NULL };
	}
	if (first < FLT_OCTAVES)
		flt_bars_write(stdout, bars + first, last - first + 1, "latency", "faults", &style);
}

/* JSON and CSV: every bucket that has a fault. */
static int put_buckets(const struct report *r, const char *group, const char *name,
		       const struct flt_row *row, const struct flt_hist *hist)
{
	uint32_t i, step = hist->octaves ? 1u << FLT_BUCKET_SHIFT : 1;
	struct flt_cell cells[COLUMNS] = { 0 };
	int ret = 0;

	fill_head(r, cells, "bucket");
	cells[GROUP] = flt_cell_string(group);
	cells[NAME] = flt_cell_string(name);
	if (row)
		cells[PID] = flt_cell_u64(row->tgid);
	for (i = 0; i < FLT_BUCKETS && !ret; i += step) {
		if (!hist->count[i])
			continue;
		cells[FROM] = flt_cell_ns(flt_bucket_floor(i));
		cells[TO] = i + step < FLT_BUCKETS ? flt_cell_ns(flt_bucket_floor(i + step)) :
						     flt_cell_absent();
		cells[FAULTS] = flt_cell_u64(hist->count[i]);
		ret = flt_table_cells(r->l->data, cells);
	}
	return ret;
}

/* hist NULL: nothing is known but the count. */
static int put_row(const struct report *r, const char *group, const char *name,
		   const struct flt_row *row, uint64_t count, const struct flt_hist *hist)
{
	struct flt_cell cells[COLUMNS] = { 0 };
	struct lat *l = r->l;
	int ret;

	fill_head(r, cells, "latency");
	cells[GROUP] = flt_cell_string(group);
	cells[NAME] = flt_cell_string(name);
	if (row) {
		cells[PID] = flt_cell_u64(row->tgid);
		cells[COMM] = flt_cell_string(row->comm);
	}
	cells[FAULTS] = flt_cell_u64(count);
	if (hist && flt_hist_total(hist)) {
		cells[MEAN] = flt_cell_ns(flt_hist_mean(hist));
		cells[P50] = flt_cell_ns(flt_hist_percentile(hist, 50000));
		cells[P90] = flt_cell_ns(flt_hist_percentile(hist, 90000));
		cells[P99] = flt_cell_ns(flt_hist_percentile(hist, 99000));
		cells[P999] = flt_cell_ns(flt_hist_percentile(hist, 99900));
		cells[MAX] = flt_cell_ns(flt_hist_max(hist));
	}
	ret = flt_table_cells(l->data ? l->data : l->rows, cells);
	if (!ret && l->data && hist && !l->args->plain && (l->args->each || !strcmp(group, "all")))
		ret = put_buckets(r, group, name, row, hist);
	return ret;
}

static int put_machine(const struct report *r)
{
	static const uint32_t failures[] = {
		FLT_RETURN_OOM, FLT_RETURN_SIGBUS, FLT_RETURN_HWPOISON, FLT_RETURN_HWPOISON_LARGE,
		FLT_RETURN_SIGSEGV,
	};
	const struct lat_look *look = r->look;
	struct flt_hist *failed = calloc(1, sizeof(*failed));
	uint32_t i;
	int ret;

	if (!failed)
		return -ENOMEM;
	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		flt_hist_add(failed, &look->returned[failures[i]]);
	ret = put_row(r, "result", "minor", NULL, look->total.minor, &look->minor);
	if (!ret && look->total.major)
		ret = put_row(r, "result", "major", NULL, look->total.major, &look->major);
	if (!ret && look->total.failed)
		ret = put_row(r, "result", "failed", NULL, look->total.failed, failed);
	free(failed);
	for (i = 0; i < __FLT_KIND_MAX && !ret; i++)
		if (look->total.kinds[i])
			ret = put_row(r, "kind", flt_kind_name(i), NULL, look->total.kinds[i],
				      &look->kind[i]);
	for (i = 0; i < __FLT_RETURN_MAX && !ret; i++) {
		uint64_t n = flt_hist_total(&look->returned[i]);

		if (n)
			ret = put_row(r, "returned", flt_return_name(i), NULL, n,
				      &look->returned[i]);
	}
	return ret;
}

static int put_processes(const struct report *r)
{
	const struct lat_look *look = r->look;
	struct flt_hist *hist;
	size_t i;
	int ret = 0;

	for (i = 0; i < look->rows.count && !ret; i++) {
		const struct flt_row *row = &look->rows.row[i];
		char name[FLT_COMM_LEN + 16];

		hist = calloc(1, sizeof(*hist));
		if (!hist)
			return -ENOMEM;
		flt_hist_account(hist, &row->account);
		snprintf(name, sizeof(name), "%" PRIu32 " %s", row->tgid, row->comm);
		ret = put_row(r, "process", name, row, row->account.minor + row->account.major,
			      hist);
		free(hist);
	}
	if (!ret)
		ret = put_row(r, "result", "minor", NULL, look->total.minor, NULL);
	if (!ret && look->total.major)
		ret = put_row(r, "result", "major", NULL, look->total.major, NULL);
	if (!ret && look->total.failed)
		ret = put_row(r, "result", "failed", NULL, look->total.failed, NULL);
	for (i = 0; i < __FLT_KIND_MAX && !ret; i++)
		if (look->total.kinds[i])
			ret = put_row(r, "kind", flt_kind_name((uint32_t)i), NULL,
				      look->total.kinds[i], NULL);
	return ret;
}

static int put_examples(const struct report *r)
{
	struct lat *l = r->l;
	char clock[16];
	size_t i;
	int ret = 0;

	for (i = 0; i < l->slowest.count && !ret; i++) {
		const struct lat_slow *s = &l->slowest.slow[i];
		struct flt_cell cells[COLUMNS] = { 0 };

		fill_head(r, cells, "slowest");
		if (l->data)
			cells[TIME] = flt_cell_double((double)(s->slow.time + l->wall_offset) / 1e9, 6);
		cells[LATENCY] = flt_cell_ns(s->slow.ns);
		cells[CLOCK] = flt_cell_string(write_clock(l, clock, s->slow.time));
		cells[PID] = flt_cell_u64(s->slow.tgid);
		cells[TID] = flt_cell_u64(s->slow.tid);
		cells[COMM] = flt_cell_string(*s->slow.comm ? s->slow.comm : NULL);
		cells[KIND] = flt_cell_string(flt_kind_name(s->slow.kind));
		cells[RESULT] = flt_cell_string(flt_result_name(s->slow.result));
		cells[ATTEMPTS] = flt_cell_u64(s->slow.attempts);
		cells[ADDRESS] = flt_cell_hex(s->slow.address);
		if (*s->path)
			cells[PATH] = flt_cell_string(s->path);
		ret = flt_table_cells(l->data ? l->data : l->examples, cells);
	}
	return ret;
}

/* Which rows have a histogram of their own in the text. */
static void write_each(const struct report *r)
{
	const struct lat_look *look = r->look;
	uint32_t i;

	for (i = 0; i < __FLT_KIND_MAX; i++) {
		if (!flt_hist_total(&look->kind[i]))
			continue;
		printf("\nkind %s\n", flt_kind_name(i));
		write_bars(r->l, &look->kind[i]);
	}
	for (i = 0; i < __FLT_RETURN_MAX; i++) {
		if (!flt_hist_total(&look->returned[i]))
			continue;
		printf("\nreturned %s\n", flt_return_name(i));
		write_bars(r->l, &look->returned[i]);
	}
}

static void write_heading(const struct report *r)
{
	char clock[16], length[FLT_UNITS_TEXT];
	uint64_t now = r->look->now;

	if (r->l->reports)
		putchar('\n');
	if (!strcmp(r->span, "begin") && !r->l->session)
		printf("since accounting began at %s, %s ago\n", write_clock(r->l, clock, r->from),
		       flt_units_write_ns(length, now - r->from));
	else
		printf("%s, %s\n", write_clock(r->l, clock, now),
		       flt_units_write_ns(length, now - r->from));
}

int lat_report(struct lat *l, const struct lat_look *look, uint64_t from)
{
	const struct report r = { l, look, from, l->reports ? "interval" : "begin" };
	uint64_t count = look->total.minor + look->total.major;
	int ret;

	if (!l->data) {
		write_heading(&r);
		if (!count && !look->total.failed) {
			puts("no faults");
			fflush(stdout);
			return 0;
		}
		if (!l->args->plain) {
			write_bars(l, &look->all);
			putchar('\n');
		}
	}
	ret = put_row(&r, "all", "all", NULL, count, &look->all);
	if (!ret)
		ret = look->by_process ? put_processes(&r) : put_machine(&r);
	if (!l->data)
		flt_table_flush(l->rows, true);
	if (!l->data && l->args->each)
		write_each(&r);
	if (!ret)
		ret = put_examples(&r);
	if (l->data) {
		flt_table_flush(l->data, false);
	} else if (l->slowest.count) {
		putchar('\n');
		flt_table_flush(l->examples, true);
	}
	fflush(stdout);
	return ret;
}

int lat_report_loss(struct lat *l, const struct flt_loss *loss)
{
	bool counted = !(loss->missed || loss->busy || loss->full || loss->untracked || loss->torn);
	bool complete = counted && !l->lost && !l->lost_notes;
	struct flt_cell cells[COLUMNS] = { 0 };

	if (l->data) {
		cells[RECORD] = flt_cell_string("total");
		cells[MISSED] = flt_cell_u64(loss->missed);
		cells[LOST] = flt_cell_u64(l->lost);
		cells[LOST_NOTES] = flt_cell_u64(l->lost_notes);
		cells[COMPLETE] = flt_cell_bool(complete);
		flt_table_cells(l->data, cells);
		flt_table_flush(l->data, false);
		return complete ? FLT_EXIT_DONE : FLT_EXIT_INCOMPLETE;
	}
	if (complete) {
		puts("lost   nothing");
		return FLT_EXIT_DONE;
	}
	if (!counted)
		printf("lost   the latency of %" PRIu64 " faults; %" PRIu64 " calls missed by the probe; %"
		       PRIu64 " processes without a row%s: the result is incomplete\n", loss->missed,
		       loss->busy + loss->full, loss->untracked,
		       loss->torn ? "; rows were retired while they were read" : "");
	if (l->lost)
		printf("lost   %" PRIu64 " slow faults of the stream: the slowest may not be among those "
		       "listed\n", l->lost);
	if (l->lost_notes)
		printf("lost   %" PRIu64 " notes of the stream: some files or threads may have no name\n",
		       l->lost_notes);
	return FLT_EXIT_INCOMPLETE;
}
