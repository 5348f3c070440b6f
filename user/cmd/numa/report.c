// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/numa/numa.h"
#include "model/counts/balance.h"
#include "observe/ledger_report.h"
#include "source/proc/machine.h"
#include "text/escape.h"

/* Bits of .known_if: the rows that have a column. */
#define OF_MOVES (1ull << 59)	/* lines with tried migrations */
#define OF_MEMORY (1ull << 60)	/* lines of processes whose memory is known; regions */
#define OF_REASON (1ull << 61)
#define OF_MATRIX (1ull << 62)
#define OF_REGION (1ull << 63)
/* Other bits of .needs: a line of the ledger, and the bits that its .unknown lacks. */
#define OF_LINE (1ull << 58)
#define OF_COUNTS (OF_LINE - 1)

struct row {
	struct flt_ledger_row head;
	struct flt_balance b;
	uint64_t move_ns;		/* mean */
	uint64_t memory, remote;	/* bytes */
	uint32_t from, on;		/* nodes */
	uint64_t address;
};

#define AT(member) FLT_AT(struct row, member)
#define NUMA(name) FLT_LEDGER_COUNTER(FLT_NUMA_##name)
#define COUNT(member, counters) FLT_COLUMN_COUNT, AT(member), .needs = OF_LINE | (counters)
/* A row of FLT_NUMA_COUNTERS as data. */
#define COUNTER(name, number, column) \
	{ column, NULL, 0, COUNT(head.n[number], FLT_LEDGER_COUNTER(number)) },

static const struct flt_column columns[] = {
	FLT_LEDGER_COLUMNS(struct row, head),
	{ "hint_faults", "hints", 8, COUNT(b.hints, NUMA(HINTS)) },
	{ "local", "local", 8, COUNT(b.local, NUMA(LOCAL)) },
	{ "remote", "remote", 8, COUNT(b.remote, NUMA(HINTS) | NUMA(LOCAL)) },
	{ "local_percent", "local%", 6, FLT_COLUMN_PERCENT, AT(b.local), .decimals = 1,
	  .of = offsetof(struct row, b.hints) },
	{ "wanted", NULL, 0, COUNT(b.wanted, NUMA(WANTED)) },
	{ "pages_moved", "moved", 8, COUNT(b.moved_pages, FLT_LEDGER_SECTION(FLT_LEDGER_MOVED)) },
	{ "moves_not_made", "not", 6,
	  COUNT(b.not_moved, NUMA(WANTED) | NUMA(TRIED) | NUMA(FAILED)) },
	FLT_NUMA_COUNTERS_MOVE(COUNTER)
	{ "move_ns", "a move", 8, FLT_COLUMN_NS, AT(move_ns), .known_if = OF_MOVES },
	{ "move_p99_ns", "p99", 6, FLT_COLUMN_NS, AT(b.move_p99), .zero_unknown = true,
	  .needs = FLT_LEDGER_SECTION(FLT_LEDGER_OCTAVES) },
	{ "spent_ns", "spent", 8, FLT_COLUMN_NS, AT(b.spent_ns),
	  .needs = OF_LINE | NUMA(HINTS) | NUMA(MOVE_NS) },
	{ NULL, "threads", 7, COUNT(head.n[FLT_NUMA_TASK_MOVED], NUMA(TASK_MOVED)) },
	FLT_NUMA_COUNTERS_TASK(COUNTER)
	{ "resident_bytes", "memory", 8, FLT_COLUMN_BYTES, AT(memory), .known_if = OF_MEMORY },
	{ "remote_bytes", "remote", 8, FLT_COLUMN_BYTES, AT(remote), .known_if = OF_MEMORY },
	{ "event", NULL, 0, FLT_COLUMN_STRING, AT(head.event) },
	{ "reason", NULL, 0, FLT_COLUMN_STRING, AT(head.reason) },
	{ "from_node", NULL, 0, FLT_COLUMN_COUNT, AT(from), .known_if = OF_MATRIX },
	{ "on_node", NULL, 0, FLT_COLUMN_COUNT, AT(on), .known_if = OF_MATRIX },
	{ "address", NULL, 0, FLT_COLUMN_HEX, AT(address), .known_if = OF_REGION },
	{ "count", NULL, 0, FLT_COLUMN_COUNT, AT(head.count), .known_if = OF_MATRIX | OF_REASON },
	{ 0 },
};

struct report {
	struct numa *n;
	const struct flt_ledger_run_span *span;
	uint64_t page_size;
	bool text;
};

int numa_report_open(struct numa *n)
{
	return flt_ledger_report_open(&n->run, columns);
}

static int put_line(void *arg, const struct flt_ledger_line *line,
		    const struct flt_ledger_who *who)
{
	struct report *r = arg;
	const struct numa_memory *m = line->id ? numa_memory_of(r->n, line->id) : NULL;
	struct row row = { .head = flt_ledger_row(r->span, who->record, line, who) };
	const uint64_t *n = line->n.count;
	uint64_t known = OF_LINE | (OF_COUNTS & ~line->unknown);

	flt_ledger_row_count(&row.head, line, who);
	flt_balance_judge(line, r->n->misplaced, &row.b);
	if (n[FLT_NUMA_TRIED]) {
		known |= OF_MOVES;
		row.move_ns = n[FLT_NUMA_MOVE_NS] / n[FLT_NUMA_TRIED];
	}
	if (m) {
		known |= OF_MEMORY;
		row.memory = m->pages * r->page_size;
		row.remote = m->remote * r->page_size;
	}
	return flt_table_row(r->n->run.table, &row, known);
}

static int put_reason(struct report *r, const struct flt_ledger_line *line,
		      const struct flt_ledger_who *who, const char *event,
		      uint32_t reason, uint64_t count)
{
	struct row row = { .head = flt_ledger_row(r->span, "reason", line, who) };
	const char *name = r->n->reason[reason];
	char number[32];

	if (!count)
		return 0;
	snprintf(number, sizeof(number), "reason %" PRIu32, reason);
	if (!*name)
		name = number;
	if (r->text) {
		flt_ledger_report_reason(line, who, event, 20, name, 24, count);
		return 0;
	}
	row.head.event = event;
	row.head.reason = name;
	row.head.count = count;
	return flt_table_row(r->n->run.table, &row, OF_REASON);
}

/* Write the matrix of one line as data. The text has only the matrix of the sum. */
static int put_matrix(struct report *r, const struct flt_ledger_line *line,
		      const struct flt_ledger_who *who)
{
	struct row row = { .head = flt_ledger_row(r->span, "matrix", line, who) };
	int ret = 0;

	for (row.from = 0; !ret && row.from < line->nodes; row.from++) {
		for (row.on = 0; !ret && row.on < line->nodes; row.on++) {
			row.head.count = line->n.matrix[row.from * line->nodes + row.on];
			ret = flt_table_row(r->n->run.table, &row, OF_MATRIX);
		}
	}
	return ret;
}

static void print_matrix(const struct flt_ledger_line *sum)
{
	uint64_t row_sum;
	uint32_t from, on;

	printf("hint faults by node of the CPU (line) and node of the memory (column)\n%8s", "");
	for (on = 0; on < sum->nodes; on++)
		printf("%10s%-2" PRIu32, "node ", on);
	printf("%12s\n", "sum");
	for (from = 0; from < sum->nodes; from++) {
		printf("node %-3" PRIu32, from);
		row_sum = 0;
		for (on = 0; on < sum->nodes; on++) {
			row_sum += sum->n.matrix[from * sum->nodes + on];
			printf("%12" PRIu64, sum->n.matrix[from * sum->nodes + on]);
		}
		printf("%12" PRIu64 "\n", row_sum);
	}
}

static int put_areas(struct report *r, const struct flt_ledger_line *line,
		     const struct flt_ledger_who *who)
{
	const struct numa_memory *m = line->id ? numa_memory_of(r->n, line->id) : NULL;
	char what[sizeof(m->area[0].map.what) * FLT_ESCAPE_GROWTH];
	struct row row = { .head = flt_ledger_row(r->span, "region", line, who) };
	size_t i;
	int ret = 0;

	for (i = 0; m && !ret && i < m->areas && m->area[i].remote; i++) {
		const struct numa_area *a = &m->area[i];

		if (r->text) {
			flt_escape_text(what, sizeof(what), a->map.what, strlen(a->map.what));
			printf("%7" PRIu32 "  region %#-14" PRIx64 " %-24s remote %" PRIu64
			       " of %" PRIu64 " pages, %.0f %%\n", line->tgid, a->map.address,
			       what, a->remote, a->pages,
			       100.0 * (double)a->remote / (double)a->pages);
			continue;
		}
		row.address = a->map.address;
		row.head.reason = a->map.what;
		row.memory = a->pages * r->page_size;
		row.remote = a->remote * r->page_size;
		ret = flt_table_row(r->n->run.table, &row, OF_REGION | OF_MEMORY);
	}
	return ret;
}

/* Write the reasons, the matrix and the remote regions of a line. */
static int put_details(void *arg, const struct flt_ledger_line *line,
		       const struct flt_ledger_who *who)
{
	struct report *r = arg;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < FLT_MOVE_REASONS; i++)
		ret = put_reason(r, line, who, "pages moved for", i, line->n.moved[i]);
	for (i = 0; !ret && i < FLT_MOVE_REASONS; i++)
		ret = put_reason(r, line, who, "not moved, wanted by", i, line->n.not_moved[i]);
	if (!ret && !r->text)
		ret = put_matrix(r, line, who);
	return ret ? ret : put_areas(r, line, who);
}

static int put_verdict(struct report *r, const struct flt_ledger_line *sum)
{
	static const char *const names[] = {
		[FLT_BALANCE_IDLE] = "idle", [FLT_BALANCE_LOCAL] = "local",
		[FLT_BALANCE_WORKS] = "works", [FLT_BALANCE_STUCK] = "stuck",
		[FLT_BALANCE_SHARED] = "shared", [FLT_BALANCE_UNKNOWN] = "unknown",
	};
	struct row row = { .head = flt_ledger_row(r->span, "verdict", sum, NULL) };
	struct flt_balance b;
	char text[512];

	flt_balance_judge(sum, r->n->misplaced, &b);
	flt_balance_say(&b, text, sizeof(text));
	if (r->text) {
		printf("verdict: %s\n", text);
		return 0;
	}
	row.head.event = names[b.verdict];
	row.head.reason = text;
	return flt_table_row(r->n->run.table, &row, 0);
}

int numa_report(void *arg, const struct flt_ledger_run_span *span)
{
	struct report r = { .n = arg, .span = span, .page_size = flt_machine_page() };
	struct flt_ledger_line sum = { 0 };
	int ret = flt_ledger_report(&r.n->run, span, put_line, &r, &sum);

	r.text = r.n->run.args->style.format == FLT_FORMAT_TEXT;
	if (ret || !span->last)
		return ret;
	ret = flt_ledger_run_each(&r.n->run, span, put_details, &r, NULL);
	if (!ret && r.text && sum.nodes)
		print_matrix(&sum);
	if (!ret)
		ret = put_verdict(&r, &sum);
	flt_table_flush(r.n->run.table, false);
	return ret;
}
