// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/top/top.h"
#include "model/counts/rates.h"
#include "observe/loss.h"
#include "text/units.h"

/* The title and the notice. */
#define HEAD_ROWS 2

#define KEY(key) (1u << FLT_RANK_##key)
#define VIEW(view) (1ull << (32 + TOP_##view))
#define RATES (KEY(MINOR) | KEY(MAJOR) | KEY(TIME) | KEY(P99))
/* What /proc does not tell. */
#define BY_MODULE (KEY(FAILED) | KEY(TIME) | KEY(P99) | KEY(FILE))

static const struct {
	const char *name;
	uint32_t keys;
} views[__TOP_VIEW_MAX] = {
	[TOP_PROCESS] = { "process", RATES | KEY(FAILED) | KEY(PID) | KEY(COMM) | KEY(RSS) |
			  KEY(READ) | KEY(FILE) },
	[TOP_THREAD] = { "thread", RATES | KEY(FAILED) | KEY(PID) | KEY(TID) | KEY(COMM) |
			 KEY(READ) | KEY(FILE) },
	[TOP_FILE] = { "file", RATES | KEY(COMM) },
	[TOP_CGROUP] = { "cgroup", RATES | KEY(FAILED) | KEY(COMM) | KEY(RSS) | KEY(READ) |
			 KEY(FILE) },
	[TOP_KIND] = { "kind", RATES | KEY(COMM) },
};

struct row {
	uint64_t known;			/* bits of enum flt_rank_key */
	uint64_t time, ns;		/* ns since 1970; length of the interval */
	const char *by;
	uint64_t faults;
	uint64_t read;			/* bytes per second */
	struct flt_rank rank;
};

#define AT(member) FLT_AT(struct row, member)
#define IF(key) .known_if = KEY(key), .text_if = KEY(key)
#define RATE(member) FLT_COLUMN_RATE, AT(member), .of = offsetof(struct row, ns),              \
	.decimals = FLT_DECIMALS_SHORT

/* The text has the columns of the view. Its name column differs per view. */
static const struct flt_column columns[] = {
	{ "time", NULL, 0, FLT_COLUMN_SECONDS, AT(time), .decimals = 3 },
	{ "seconds", NULL, 0, FLT_COLUMN_SECONDS, AT(ns), .decimals = 6 },
	{ "by", NULL, 0, FLT_COLUMN_STRING, AT(by) },
	{ "pid", "PID", 7, FLT_COLUMN_COUNT, AT(rank.pid), IF(PID) },
	{ "tid", "TID", 7, FLT_COLUMN_COUNT, AT(rank.tid), IF(TID) },
	{ "name", NULL, 0, FLT_COLUMN_CHARS, AT(rank.name) },
	{ NULL, "COMM", -15, FLT_COLUMN_CHARS, AT(rank.name),
	  .text_if = VIEW(PROCESS) | VIEW(THREAD), .known_if = KEY(COMM) },
	{ NULL, "FILE", -50, FLT_COLUMN_CHARS, AT(rank.name), .text_if = VIEW(FILE),
	  .known_if = KEY(COMM) },
	{ NULL, "CGROUP", -40, FLT_COLUMN_CHARS, AT(rank.name), .text_if = VIEW(CGROUP),
	  .known_if = KEY(COMM) },
	{ NULL, "KIND", -15, FLT_COLUMN_CHARS, AT(rank.name), .text_if = VIEW(KIND),
	  .known_if = KEY(COMM) },
	{ "minor_per_second", "MINOR/s", 9, RATE(rank.minor), IF(MINOR) },
	{ "major_per_second", "MAJOR/s", 8, RATE(rank.major), IF(MAJOR) },
	{ "failed_per_second", "FAIL/s", 6, RATE(rank.failed), IF(FAILED) },
	{ "faults_per_second", "FAULTS/s", 9, RATE(faults), IF(FAULTS) },
	{ "p99_ns", "P99", 6, FLT_COLUMN_NS, AT(rank.p99), .zero_unknown = true, IF(P99) },
	{ "time_percent", "TIME%", 5, FLT_COLUMN_PERCENT, AT(rank.time), .decimals = 1,
	  .of = offsetof(struct row, ns), IF(TIME) },
	{ "rss", "RSS", 7, FLT_COLUMN_BYTES, AT(rank.rss), IF(RSS) },
	{ "read_per_second", "READ/s", 7, FLT_COLUMN_BYTES, AT(read), IF(READ) },
	{ "file", "MAJORS IN", -1, FLT_COLUMN_CHARS, AT(rank.file), .zero_unknown = true,
	  IF(FILE) },
	{ 0 },
};

const char *top_view_name(enum top_view view)
{
	return views[view].name;
}

/* Return the columns of the view. Kinds of single processes have only a number of faults. */
static uint32_t view_keys(const struct top *t)
{
	if (t->view == TOP_KIND && t->args->pids.count)
		return KEY(COMM) | KEY(FAULTS);
	return views[t->view].keys;
}

/* Return the columns of the view that can be known. */
static uint32_t keys_of(const struct top *t)
{
	return view_keys(t) & (t->control ? ~0u : ~BY_MODULE);
}

bool top_view_has(const struct top *t, enum flt_rank_key key)
{
	return view_keys(t) >> key & 1;
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

/* Return the mask of the columns that the text has in this view. */
static uint64_t shown_in(const struct top *t)
{
	return 1ull << (32 + t->view) | keys_of(t);
}

/* Return the column of the view that shows the key by which rows are sorted. */
static const struct flt_column *sorted_column(const struct top *t)
{
	const struct flt_column *c;

	for (c = columns; c->type != FLT_COLUMN_END; c++)
		if (c->known_if >> t->sort & 1 && flt_column_in_text(c, shown_in(t)))
			return c;
	return NULL;
}

static struct row make_row(const struct top *t, const struct flt_rank *rank)
{
	struct row row = { .rank = *rank, .ns = t->ns, .by = views[t->view].name };

	row.time = flt_clock_ns(CLOCK_REALTIME);
	row.faults = rank->minor + rank->major;
	row.read = (uint64_t)flt_rates_per_second(rank->read, t->ns);
	/* The name is always known, and an empty file is not shown. */
	row.known = rank->known | KEY(COMM) | KEY(FILE);
	if (t->view == TOP_CGROUP)
		row.known &= ~(uint64_t)KEY(PID);
	if (!t->ns)
		row.known &= ~(uint64_t)KEY(READ);
	return row;
}

int top_page_open(struct top *t)
{
	return flt_table_new(&t->table, stdout, &t->args->style, columns,
			     shown_in(t));
}

void top_page_close(struct top *t)
{
	flt_table_free(t->table);
}

static void write_title(const struct top *t, char *out, size_t size)
{
	char p99[FLT_UNITS_TEXT], clock[FLT_CLOCK_TEXT], length[FLT_UNITS_TEXT];
	int n;

	flt_clock_write(clock, flt_clock_ns(CLOCK_REALTIME), 0);
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

/* Write the first loss, or else the notice. */
static void write_notice(const struct top *t, char *out, size_t size)
{
	const struct flt_loss loss = {
		.streamed = t->lost, .notes = t->lost_notes, .missed = t->missed,
		.calls = t->calls, .threads = t->left_out,
	};
	char text[FLT_LOSS_TEXT];

	if (flt_loss_write(text, &loss))
		snprintf(out, size, "incomplete: %s", text);
	else
		snprintf(out, size, "%s", t->notice);
}

static int paint_help(struct flt_screen *s)
{
	static const char *const lines[] = {
		"p t f c k   show by process, thread, file, cgroup, kind; Tab: next",
		"< >         sort by the column to the left or right; r reverses",
		"m j l s     sort by minor, major, latency (p99), share of time",
		"/           filter by a text in the name or by PID; Esc: no filter",
		"up down     PgUp, PgDn, Home: scroll",
		"space       pause and continue",
		"h ?         help; any key returns",
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
	size_t i, first = (size_t)t->scroll, count = 0;
	struct flt_screen_rows list;
	struct row *rows;
	int ret;

	if (first < t->ranking.shown)
		count = t->ranking.shown - first;
	if (end > row + 1 && count > (size_t)(end - row - 1))
		count = (size_t)(end - row - 1);
	rows = calloc(count ? count : 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		rows[i] = make_row(t, &t->ranking.rank[first + i]);
	list = (struct flt_screen_rows){
		.columns = columns, .shown = shown_in(t), .sorted = sorted_column(t),
		.row = rows, .size = sizeof(*rows), .count = count,
		.known = offsetof(struct row, known),
	};
	ret = flt_screen_table(s, row, end, &list);
	free(rows);
	return ret;
}

/* Leave room for title, notice and heading above the rows, and for the keys below them. */
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
	if (!t->taken || !t->ns)
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
	struct row row;
	size_t i, count = t->ranking.shown;
	char text[256];
	int ret = 0;

	if (t->args->style.format == FLT_FORMAT_TEXT) {
		if (t->args->rows && count > t->args->rows)
			count = t->args->rows;
		write_title(t, text, sizeof(text));
		printf("%s%s\n", t->reports ? "\n" : "", text);
		write_notice(t, text, sizeof(text));
		if (*text && strcmp(text, t->notice) != 0)
			puts(text);
	}
	for (i = 0; i < count && !ret; i++) {
		row = make_row(t, &t->ranking.rank[i]);
		ret = flt_table_row(t->table, &row, row.known);
	}
	if (t->args->style.format == FLT_FORMAT_TEXT && !count)
		puts("no faults");
	flt_table_flush(t->table, count > 0);
	fflush(stdout);
	return ret;
}
