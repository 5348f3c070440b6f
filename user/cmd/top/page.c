// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/top/top.h"
#include "model/counts/rates.h"
#include "text/units.h"

/* Those of a row, in the order of enum flt_rank_key, behind what only data has. */
enum { COL_TIME = 0, COL_SECONDS, COL_BY, COL_KEYS, COLUMNS = COL_KEYS + __FLT_RANK_MAX };

#define COLUMN(key) (COL_KEYS + FLT_RANK_##key)

/* The title, and what is missing. */
#define HEAD_ROWS 2

static const struct flt_column all_columns[COLUMNS] = {
	[COL_TIME] = { .key = "time" },
	[COL_SECONDS] = { .key = "seconds" },
	[COL_BY] = { .key = "by" },
	[COLUMN(PID)] = { .key = "pid", .title = "PID", .width = 7 },
	[COLUMN(TID)] = { .key = "tid", .title = "TID", .width = 7 },
	[COLUMN(COMM)] = { .key = "name", .title = "COMM", .width = -15 },
	[COLUMN(MINOR)] = { .key = "minor_per_second", .title = "MINOR/s", .width = 9 },
	[COLUMN(MAJOR)] = { .key = "major_per_second", .title = "MAJOR/s", .width = 8 },
	[COLUMN(FAILED)] = { .key = "failed_per_second", .title = "FAIL/s", .width = 6 },
	[COLUMN(FAULTS)] = { .key = "faults_per_second", .title = "FAULTS/s", .width = 9 },
	[COLUMN(P99)] = { .key = "p99_ns", .title = "P99", .width = 6 },
	[COLUMN(TIME)] = { .key = "time_percent", .title = "TIME%", .width = 5 },
	[COLUMN(RSS)] = { .key = "rss", .title = "RSS", .width = 7 },
	[COLUMN(READ)] = { .key = "read_per_second", .title = "READ/s", .width = 7 },
	[COLUMN(FILE)] = { .key = "file", .title = "MAJORS IN", .width = -1 },
};

#define KEY(key) (1u << FLT_RANK_##key)
#define RATES (KEY(MINOR) | KEY(MAJOR) | KEY(TIME) | KEY(P99))

static const struct {
	const char *name, *title;
	uint32_t keys;
} views[__TOP_VIEW_MAX] = {
	[TOP_PROCESS] = { "process", "COMM",
			  RATES | KEY(FAILED) | KEY(PID) | KEY(COMM) | KEY(RSS) | KEY(READ) | KEY(FILE) },
	[TOP_THREAD] = { "thread", "COMM", RATES | KEY(FAILED) | KEY(PID) | KEY(TID) | KEY(COMM) |
			 KEY(READ) | KEY(FILE) },
	[TOP_FILE] = { "file", "FILE", RATES | KEY(COMM) },
	[TOP_CGROUP] = { "cgroup", "CGROUP", RATES | KEY(FAILED) | KEY(COMM) | KEY(RSS) | KEY(READ) |
			 KEY(FILE) },
	[TOP_KIND] = { "kind", "KIND", RATES | KEY(COMM) },
};

const char *top_view_name(enum top_view view)
{
	return views[view].name;
}

/* Of a process's kinds the module knows how many there were, minor and major together. */
static uint32_t keys_of(const struct top *t)
{
	return t->view == TOP_KIND && t->args->pids.count ? KEY(COMM) | KEY(FAULTS) : views[t->view].keys;
}

bool top_page_has(const struct top *t, enum flt_rank_key key)
{
	return keys_of(t) >> key & 1;
}

enum flt_rank_key top_page_sort(const struct top *t)
{
	if (t->view == TOP_FILE)
		return FLT_RANK_MAJOR;
	return top_page_has(t, FLT_RANK_MINOR) ? FLT_RANK_MINOR : FLT_RANK_FAULTS;
}

/* The columns of the view that t shows; a name of any length comes last. */
static void make_columns(const struct top *t, struct flt_column columns[COLUMNS])
{
	size_t i;

	memcpy(columns, all_columns, sizeof(all_columns));
	for (i = 0; i < __FLT_RANK_MAX; i++)
		if (!top_page_has(t, (enum flt_rank_key)i))
			columns[COL_KEYS + i].title = NULL;
	columns[COLUMN(COMM)].title = views[t->view].title;
	if (t->view == TOP_CGROUP)
		columns[COLUMN(COMM)].width = -40;
	if (t->view == TOP_FILE)
		columns[COLUMN(COMM)].width = -50;
}

static struct flt_cell rate(const struct top *t, uint64_t n)
{
	double per_second = flt_rates_per_second(n, t->ns);

	return flt_cell_double(per_second, per_second < 100 ? 1 : 0);
}

static void make_cells(const struct top *t, const struct flt_rank *r, struct flt_cell *cells)
{
	memset(cells, 0, COLUMNS * sizeof(*cells));
	cells[COL_TIME] = flt_cell_double((double)flt_clock_ns(CLOCK_REALTIME) / 1e9, 3);
	cells[COL_SECONDS] = flt_cell_double((double)t->ns / 1e9, 6);
	cells[COL_BY] = flt_cell_string(views[t->view].name);
	if (r->known & KEY(PID) && t->view != TOP_CGROUP)
		cells[COLUMN(PID)] = flt_cell_u64(r->pid);
	if (r->known & KEY(TID))
		cells[COLUMN(TID)] = flt_cell_u64(r->tid);
	cells[COLUMN(COMM)] = flt_cell_string(r->name);
	if (r->known & KEY(MINOR))
		cells[COLUMN(MINOR)] = rate(t, r->minor);
	if (r->known & KEY(MAJOR))
		cells[COLUMN(MAJOR)] = rate(t, r->major);
	if (r->known & KEY(FAILED))
		cells[COLUMN(FAILED)] = rate(t, r->failed);
	if (r->known & KEY(FAULTS))
		cells[COLUMN(FAULTS)] = rate(t, r->minor + r->major);
	if (r->known & KEY(P99) && r->p99)
		cells[COLUMN(P99)] = flt_cell_ns(r->p99);
	if (r->known & KEY(TIME) && t->ns)
		cells[COLUMN(TIME)] = flt_cell_double(100.0 * (double)r->time / (double)t->ns, 1);
	if (r->known & KEY(RSS))
		cells[COLUMN(RSS)] = flt_cell_size(r->rss);
	if (r->known & KEY(READ) && t->ns)
		cells[COLUMN(READ)] =
			flt_cell_size((uint64_t)flt_rates_per_second(r->read, t->ns));
	if (*r->file)
		cells[COLUMN(FILE)] = flt_cell_string(r->file);
}

int top_page_open(struct top *t)
{
	t->columns = calloc(COLUMNS, sizeof(*t->columns));
	if (!t->columns)
		return -ENOMEM;
	make_columns(t, t->columns);
	return flt_table_new_cells(&t->table, stdout, (enum flt_format)t->args->format, t->columns,
			     COLUMNS);
}

void top_page_close(struct top *t)
{
	flt_table_free(t->table);
	free(t->columns);
}

static void write_title(const struct top *t, char *out, size_t size)
{
	char p99[FLT_UNITS_TEXT], clock[16] = "", length[FLT_UNITS_TEXT];
	time_t now = time(NULL);
	struct tm tm;
	int n;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	n = snprintf(out, size, "%s by %s, %s: minor %.0f/s, major %.0f/s", clock,
		     views[t->view].name, flt_units_write_ns(length, t->ns ? t->ns : t->interval),
		     flt_rates_per_second(t->total.minor, t->ns),
		     flt_rates_per_second(t->total.major, t->ns));
	if (t->control && n > 0 && (size_t)n < size)
		snprintf(out + n, size - (size_t)n, ", failed %.0f/s, p99 %s, time %.1f%%",
			 flt_rates_per_second(t->total.failed, t->ns),
			 t->total_p99 ? flt_units_write_ns(p99, t->total_p99) : "-",
			 t->ns ? 100.0 * (double)t->total.latency_sum / (double)t->ns : 0);
}

/* What is missing, before anything else is said. */
static void write_notice(const struct top *t, char *out, size_t size)
{
	if (t->lost)
		snprintf(out, size, "incomplete: %" PRIu64 " faults of the stream lost", t->lost);
	else if (t->lost_notes)
		snprintf(out, size, "incomplete: %" PRIu64 " notes lost: some files have no name",
			 t->lost_notes);
	else if (t->missed)
		snprintf(out, size, "incomplete: %" PRIu64 " faults without latency and kind",
			 t->missed);
	else if (t->calls)
		snprintf(out, size, "incomplete: %" PRIu64 " calls missed by the probe", t->calls);
	else if (t->left_out)
		snprintf(out, size, "incomplete: the threads of %zu more processes that faulted are "
			 "not shown", t->left_out);
	else
		snprintf(out, size, "%s", t->notice);
}

static int paint_help(struct flt_screen *s)
{
	static const char *const lines[] = {
		"p t f c k   by process, thread, file, cgroup, kind; Tab is the next",
		"< >         sort by the column to the left or right; r reverses",
		"m j l s     sort by minor, major, latency (p99), share of time",
		"/           show only rows with a text in a name, or a pid; Esc ends that",
		"up down     and PgUp, PgDn, Home: move along the rows",
		"space       pause, and go on",
		"h ?         this; any key leads back",
		"q           quit",
	};
	size_t i;

	flt_screen_put(s, 0, 0, s->cols, false, FLT_LOOK_TITLE, "fltctl top: keys");
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		flt_screen_put(s, (int)i + 2, 0, 0, false, FLT_LOOK_PLAIN, lines[i]);
	return 0;
}

static int paint_rows(const struct top *t, struct flt_screen *s, int row, int end)
{
	struct flt_column columns[COLUMNS];
	size_t i, first = (size_t)t->scroll, count = 0;
	struct flt_cell *cells;
	int ret;

	make_columns(t, columns);
	if (first < t->ranking.shown)
		count = t->ranking.shown - first;
	if (end > row + 1 && count > (size_t)(end - row - 1))
		count = (size_t)(end - row - 1);
	cells = calloc(count ? count : 1, COLUMNS * sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		make_cells(t, &t->ranking.rank[first + i], cells + i * COLUMNS);
	ret = flt_screen_table(s, row, end, columns, COLUMNS, COL_KEYS + (size_t)t->sort, cells,
			       count);
	free(cells);
	return ret;
}

/* Below the title, a line that says what is missing, and the heading; above the keys. */
int top_page_room(int rows)
{
	int room = rows - HEAD_ROWS - 1 - (rows > 6);

	return room > 1 ? room : 1;
}

int top_page_paint(const struct top *t, struct flt_screen *s)
{
	char text[256], *at = text;
	int ret;

	if (t->help)
		return paint_help(s);
	write_title(t, text, sizeof(text));
	flt_screen_put(s, 0, 0, s->cols, false, FLT_LOOK_TITLE, text);
	write_notice(t, text, sizeof(text));
	if (t->paused || *t->filter || t->typing) {
		at += snprintf(at, sizeof(text), "%s%s%s%s%s", t->paused ? "paused  " : "",
			       t->typing || *t->filter ? "only: " : "", t->filter,
			       t->typing ? "_" : "", t->typing || *t->filter ? "  " : "");
		write_notice(t, at, sizeof(text) - (size_t)(at - text));
	}
	flt_screen_put(s, 1, 0, 0, false, FLT_LOOK_ALERT, text);
	ret = paint_rows(t, s, HEAD_ROWS, s->rows - (s->rows > 6));
	if (!t->looked || !t->ns)
		flt_screen_put(s, 3, 0, 0, false, FLT_LOOK_DIM, "counting ...");
	else if (!t->ranking.shown)
		flt_screen_put(s, 3, 0, 0, false, FLT_LOOK_DIM, "no faults");
	if (s->rows > 6)
		flt_screen_put(s, s->rows - 1, 0, s->cols, false, FLT_LOOK_DIM,
			       "h help  q quit  p/t/f/c/k by  < > sort  / only  space pause");
	return ret;
}

int top_page_report(struct top *t)
{
	struct flt_cell cells[COLUMNS];
	size_t i, count = t->ranking.shown;
	char text[256];
	int ret = 0;

	if (t->args->format == FLT_FORMAT_TEXT) {
		if (t->args->rows && count > t->args->rows)
			count = t->args->rows;
		write_title(t, text, sizeof(text));
		printf("%s%s\n", t->reports ? "\n" : "", text);
		write_notice(t, text, sizeof(text));
		if (*text && strcmp(text, t->notice) != 0)
			puts(text);
	}
	for (i = 0; i < count && !ret; i++) {
		make_cells(t, &t->ranking.rank[i], cells);
		ret = flt_table_cells(t->table, cells);
	}
	if (t->args->format == FLT_FORMAT_TEXT && !count)
		puts("no faults");
	flt_table_flush(t->table, count > 0);
	fflush(stdout);
	return ret;
}
