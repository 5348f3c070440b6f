// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/numa/numa.h"
#include "model/counts/balance.h"
#include "text/escape.h"

enum column {
	COL_RECORD, COL_SPAN, COL_SECONDS, COL_PID, COL_COMM, COL_HINTS, COL_LOCAL, COL_REMOTE,
	COL_LOCAL_SHARE, COL_WANTED, COL_MOVED, COL_NOT_MOVED, COL_TRIED, COL_FAILED, COL_MOVE_NS,
	COL_MOVE_P99, COL_SPENT, COL_TASK_MOVED, COL_TASK_STUCK, COL_TASK_SWAPPED, COL_MEMORY, COL_MEMORY_REMOTE,
	COL_EVENT, COL_REASON, COL_FROM, COL_ON, COL_ADDRESS, COL_COUNT, COLUMNS
};

static const struct flt_column columns[COLUMNS] = {
	[COL_RECORD] = { .key = "record" },
	[COL_SPAN] = { .key = "span" },
	[COL_SECONDS] = { .key = "seconds" },
	[COL_PID] = { .key = "pid", .title = "pid", .width = 7 },
	[COL_COMM] = { .key = "comm", .title = "comm", .width = -15 },
	[COL_HINTS] = { .key = "hint_faults", .title = "hints", .width = 8 },
	[COL_LOCAL] = { .key = "local", .title = "local", .width = 8 },
	[COL_REMOTE] = { .key = "remote", .title = "remote", .width = 8 },
	[COL_LOCAL_SHARE] = { .key = "local_percent", .title = "local%", .width = 6 },
	[COL_WANTED] = { .key = "wanted" },
	[COL_MOVED] = { .key = "pages_moved", .title = "moved", .width = 8 },
	[COL_NOT_MOVED] = { .key = "moves_not_made", .title = "not", .width = 6 },
	[COL_TRIED] = { .key = "moves_tried" },
	[COL_FAILED] = { .key = "moves_failed" },
	[COL_MOVE_NS] = { .key = "move_ns", .title = "a move", .width = 8 },
	[COL_MOVE_P99] = { .key = "move_p99_ns", .title = "p99", .width = 6 },
	[COL_SPENT] = { .key = "spent_ns", .title = "spent", .width = 8 },
	[COL_TASK_MOVED] = { .key = "threads_moved", .title = "threads", .width = 7 },
	[COL_TASK_STUCK] = { .key = "threads_stuck" },
	[COL_TASK_SWAPPED] = { .key = "threads_swapped" },
	[COL_MEMORY] = { .key = "resident_bytes", .title = "memory", .width = 8 },
	[COL_MEMORY_REMOTE] = { .key = "remote_bytes", .title = "remote", .width = 8 },
	[COL_EVENT] = { .key = "event" },
	[COL_REASON] = { .key = "reason" },
	[COL_FROM] = { .key = "from_node" },
	[COL_ON] = { .key = "on_node" },
	[COL_ADDRESS] = { .key = "address" },
	[COL_COUNT] = { .key = "count" },
};

struct report {
	struct numa *n;
	const struct ledger_span *span;
	bool text;
	struct flt_cell cell[COLUMNS];
};

int numa_report_open(struct numa *n, enum flt_format format)
{
	return flt_table_new_cells(&n->table, stdout, format, columns, COLUMNS);
}

static void begin_row(struct report *r, const char *record, const struct flt_ledger_line *line)
{
	memset(r->cell, 0, sizeof(r->cell));
	r->cell[COL_RECORD] = flt_cell_string(record);
	r->cell[COL_SPAN] = flt_cell_string(r->span->last ? "total" : "interval");
	r->cell[COL_SECONDS] = flt_cell_double((double)r->span->ns / 1e9, 3);
	if (line->id)
		r->cell[COL_PID] = flt_cell_u64(line->tgid);
}

static int put_line(void *arg, const struct flt_ledger_line *line, const char *record, const char *comm)
{
	struct report *r = arg;
	const struct numa_memory *m = line->id ? numa_memory_of(r->n, line->id) : NULL;
	const uint64_t *n = line->n.count;
	struct flt_cell *cell = r->cell;
	struct flt_balance b;

	flt_balance_judge(line, r->n->misplaced, &b);
	begin_row(r, record, line);
	cell[COL_COMM] = flt_cell_string(comm ? comm : line->comm);
	cell[COL_HINTS] = flt_cell_u64(b.hints);
	cell[COL_LOCAL] = flt_cell_u64(b.local);
	cell[COL_REMOTE] = flt_cell_u64(b.remote);
	if (b.hints)
		cell[COL_LOCAL_SHARE] = flt_cell_double(100.0 * (double)b.local / (double)b.hints, 1);
	cell[COL_WANTED] = flt_cell_u64(b.wanted);
	cell[COL_MOVED] = flt_cell_u64(b.moved_pages);
	cell[COL_NOT_MOVED] = flt_cell_u64(b.not_moved);
	cell[COL_TRIED] = flt_cell_u64(n[FLT_NUMA_TRIED]);
	cell[COL_FAILED] = flt_cell_u64(n[FLT_NUMA_FAILED]);
	if (n[FLT_NUMA_TRIED])
		cell[COL_MOVE_NS] = flt_cell_ns(n[FLT_NUMA_MOVE_NS] / n[FLT_NUMA_TRIED]);
	if (b.move_p99)
		cell[COL_MOVE_P99] = flt_cell_ns(b.move_p99);
	cell[COL_SPENT] = flt_cell_ns(b.spent_ns);
	cell[COL_TASK_MOVED] = flt_cell_u64(n[FLT_NUMA_TASK_MOVED]);
	cell[COL_TASK_STUCK] = flt_cell_u64(n[FLT_NUMA_TASK_STUCK]);
	cell[COL_TASK_SWAPPED] = flt_cell_u64(n[FLT_NUMA_TASK_SWAPPED]);
	if (m) {
		cell[COL_MEMORY] = flt_cell_size(m->pages << 12);
		cell[COL_MEMORY_REMOTE] = flt_cell_size(m->remote << 12);
	}
	return flt_table_cells(r->n->table, cell);
}

static int put_reason(struct report *r, const struct flt_ledger_line *line, const char *event,
		      uint32_t reason, uint64_t count)
{
	char number[32];
	const char *name = r->n->reason[reason];

	if (!count)
		return 0;
	snprintf(number, sizeof(number), "reason %" PRIu32, reason);
	if (!*name)
		name = number;
	if (r->text) {
		if (line->id)
			printf("%7" PRIu32 "  %-20s %-24s %" PRIu64 "\n", line->tgid, event, name, count);
		else
			printf("%7s  %-20s %-24s %" PRIu64 "\n", "-", event, name, count);
		return 0;
	}
	begin_row(r, "reason", line);
	r->cell[COL_EVENT] = flt_cell_string(event);
	r->cell[COL_REASON] = flt_cell_string(name);
	r->cell[COL_COUNT] = flt_cell_u64(count);
	return flt_table_cells(r->n->table, r->cell);
}

/* In the text the matrix of the sum only; as data each line's. */
static int put_matrix(struct report *r, const struct flt_ledger_line *line)
{
	uint32_t from, on;
	int ret = 0;

	for (from = 0; !ret && from < line->nodes; from++) {
		for (on = 0; !ret && on < line->nodes; on++) {
			uint64_t count = line->n.matrix[from * line->nodes + on];

			begin_row(r, "matrix", line);
			r->cell[COL_FROM] = flt_cell_u64(from);
			r->cell[COL_ON] = flt_cell_u64(on);
			r->cell[COL_COUNT] = flt_cell_u64(count);
			ret = flt_table_cells(r->n->table, r->cell);
		}
	}
	return ret;
}

static void print_matrix(const struct flt_ledger_line *sum)
{
	uint64_t row;
	uint32_t from, on;

	printf("hint faults from CPUs of a node (line) on memory of a node (column)\n%8s", "");
	for (on = 0; on < sum->nodes; on++)
		printf("%10s%-2" PRIu32, "node ", on);
	printf("%12s\n", "sum");
	for (from = 0; from < sum->nodes; from++) {
		printf("node %-3" PRIu32, from);
		row = 0;
		for (on = 0; on < sum->nodes; on++) {
			row += sum->n.matrix[from * sum->nodes + on];
			printf("%12" PRIu64, sum->n.matrix[from * sum->nodes + on]);
		}
		printf("%12" PRIu64 "\n", row);
	}
}

static int put_areas(struct report *r, const struct flt_ledger_line *line)
{
	const struct numa_memory *m = line->id ? numa_memory_of(r->n, line->id) : NULL;
	char what[sizeof(m->area[0].map.what) * FLT_ESCAPE_GROWTH];
	size_t i;
	int ret = 0;

	for (i = 0; m && !ret && i < m->areas && m->area[i].remote; i++) {
		const struct numa_area *a = &m->area[i];

		if (r->text) {
			flt_escape_text(what, sizeof(what), a->map.what, strlen(a->map.what));
			printf("%7" PRIu32 "  region %#-14" PRIx64 " %-24s remote %" PRIu64 " of %" PRIu64
			       " pages, %.0f %%\n", line->tgid, a->map.address, what, a->remote,
			       a->pages, 100.0 * (double)a->remote / (double)a->pages);
			continue;
		}
		begin_row(r, "region", line);
		r->cell[COL_ADDRESS] = flt_cell_hex(a->map.address);
		r->cell[COL_REASON] = flt_cell_string(a->map.what);
		r->cell[COL_MEMORY] = flt_cell_size(a->pages << 12);
		r->cell[COL_MEMORY_REMOTE] = flt_cell_size(a->remote << 12);
		ret = flt_table_cells(r->n->table, r->cell);
	}
	return ret;
}

static int put_details(void *arg, const struct flt_ledger_line *line, const char *record, const char *comm)
{
	struct report *r = arg;
	uint32_t i;
	int ret = 0;

	(void)record;
	(void)comm;
	for (i = 0; !ret && i < FLT_MOVE_REASONS; i++)
		ret = put_reason(r, line, "pages moved for", i, line->n.moved[i]);
	for (i = 0; !ret && i < FLT_MOVE_REASONS; i++)
		ret = put_reason(r, line, "not moved, wanted by", i, line->n.not_moved[i]);
	if (!ret && !r->text)
		ret = put_matrix(r, line);
	return ret ? ret : put_areas(r, line);
}

static int put_verdict(struct report *r, const struct flt_ledger_line *sum)
{
	static const char *const words[] = {
		[FLT_BALANCE_IDLE] = "idle", [FLT_BALANCE_LOCAL] = "local",
		[FLT_BALANCE_WORKS] = "works", [FLT_BALANCE_STUCK] = "stuck",
		[FLT_BALANCE_SHARED] = "shared",
	};
	struct flt_balance b;
	char text[512];

	flt_balance_judge(sum, r->n->misplaced, &b);
	flt_balance_say(&b, text, sizeof(text));
	if (r->text) {
		printf("verdict: %s\n", text);
		return 0;
	}
	begin_row(r, "verdict", sum);
	r->cell[COL_EVENT] = flt_cell_string(words[b.verdict]);
	r->cell[COL_REASON] = flt_cell_string(text);
	return flt_table_cells(r->n->table, r->cell);
}

int numa_report(void *arg, const struct ledger_span *span)
{
	struct report r = { .n = arg, .span = span };
	struct flt_ledger_line sum = { 0 };
	int ret;

	r.text = r.n->run.args->format == FLT_FORMAT_TEXT;
	if (r.text && span->last)
		printf("%sin all, %.1f s\n", r.n->reports ? "\n" : "", (double)span->ns / 1e9);
	ret = ledger_each(&r.n->run, span, put_line, &r, &sum);
	flt_table_flush(r.n->table, span->last || r.n->reports % 20 == 0);
	r.n->reports++;
	if (ret || !span->last)
		return ret;
	if (r.text)
		putchar('\n');
	ret = ledger_each(&r.n->run, span, put_details, &r, NULL);
	if (!ret && r.text && sum.nodes)
		print_matrix(&sum);
	if (!ret)
		ret = put_verdict(&r, &sum);
	flt_table_flush(r.n->table, false);
	return ret;
}
