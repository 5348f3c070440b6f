// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "text/clock.h"
#include "text/digits.h"
#include "account/account.h"
#include "cmd/trace/trace.h"
#include "view/export/ctf.h"

/* Bits of .known_if: the rows that have a value. */
enum { OF_FAULT = 1, OF_FILE = 2, OF_GAP = 4, OF_INODE = 8, OF_TIMED = 16, OF_CAUSES = 32 };

/* Bits of .text_if and .data_if. */
#define WITH_PART(cause) (1ull << (cause))
#define WITH_CAUSES (1ull << __FLT_CAUSE_MAX)

enum record { RECORD_FAULT = 0, RECORD_LOST };

struct row {
	uint32_t record;		/* enum record */
	uint32_t result;		/* enum flt_result */
	uint64_t time;			/* end of the fault or gap, ns since 1970 */
	struct flt_fault fault;
	uint64_t offset;		/* bytes */
	uint64_t part[__FLT_CAUSE_MAX];	/* ns, by cause */
	const char *cause;		/* the largest part */
	const char *comm, *path, *where, *dev;
	const char *stack, *cut, *cut_line;
	uint64_t gap_from, lost;
	uint32_t lost_cpu;
};

/* Return "w", "r" or "x", or a capital if the kernel accessed memory for the process. */
static const char *access_name(uint32_t flags)
{
	bool user = !(flags & FLT_FAULT_KERNEL);

	if (flags & FLT_FAULT_WRITE)
		return user ? "w" : "W";
	if (flags & FLT_FAULT_EXEC)
		return user ? "x" : "X";
	if (!(flags & FLT_FAULT_OP))
		return "?";
	return user ? "r" : "R";
}

static const char *record_name(uint32_t record)
{
	return record == RECORD_FAULT ? "fault" : "lost";
}

#define AT(member) FLT_AT(struct row, member)

#define PART(key, cause) { key, NULL, 0, FLT_COLUMN_NS, AT(part[FLT_CAUSE_##cause]), \
	.known_if = OF_CAUSES, .data_if = WITH_PART(FLT_CAUSE_##cause) }

static const struct flt_column columns[] = {
	{ "record", NULL, 0, FLT_COLUMN_NAME, AT(record), .name = record_name },
	{ "time", "TIME", 18, FLT_COLUMN_CLOCK, AT(time), .decimals = 9 },
	{ "latency_ns", "LAT", 8, FLT_COLUMN_NS, AT(fault.latency), .known_if = OF_TIMED },
	{ "cause", "WHY", -8, FLT_COLUMN_STRING, AT(cause), .text_if = WITH_CAUSES,
	  .data_if = WITH_CAUSES },
	{ "pid", "PID", 7, FLT_COLUMN_COUNT, AT(fault.pid), .known_if = OF_FAULT },
	{ "tid", "TID", 7, FLT_COLUMN_COUNT, AT(fault.tid), .known_if = OF_FAULT, .spare = 3 },
	{ "comm", "COMM", -15, FLT_COLUMN_STRING, AT(comm) },
	{ "result", "RESULT", -7, FLT_COLUMN_NAME, AT(result), .known_if = OF_FAULT,
	  .name = flt_result_name },
	{ "kind", "KIND", -9, FLT_COLUMN_NAME, AT(fault.kind), .known_if = OF_FAULT,
	  .name = flt_kind_name },
	{ "access", "ACC", -3, FLT_COLUMN_NAME, AT(fault.flags), .known_if = OF_FAULT,
	  .name = access_name, .spare = 4 },
	{ "attempts", "TRY", 3, FLT_COLUMN_COUNT, AT(fault.attempts), .zero_unknown = true,
	  .spare = 2 },
	{ "address", "ADDRESS", -14, FLT_COLUMN_HEX, AT(fault.address), .known_if = OF_FAULT },
	{ "ip", "IP", -14, FLT_COLUMN_HEX, AT(fault.ip), .zero_unknown = true, .spare = 1 },
	{ "dev", "DEV", -6, FLT_COLUMN_STRING, AT(dev), .spare = 1 },
	{ "inode", "INODE", 8, FLT_COLUMN_COUNT, AT(fault.inode), .known_if = OF_INODE,
	  .spare = 1 },
	{ "offset", NULL, 0, FLT_COLUMN_HEX, AT(offset), .known_if = OF_FILE },
	{ "weight", NULL, 0, FLT_COLUMN_COUNT, AT(fault.weight), .known_if = OF_FAULT },
	{ "path", NULL, 0, FLT_COLUMN_STRING, AT(path) },
	{ NULL, "PATH+OFFSET", -12, FLT_COLUMN_STRING, AT(where) },
	PART("other_ns", OTHER), PART("io_ns", IO), PART("swap_ns", SWAP),
	PART("reclaim_ns", RECLAIM), PART("compaction_ns", COMPACTION),
	PART("thrashing_ns", THRASHING), PART("copy_ns", COPY), PART("queue_ns", QUEUE),
	PART("userfaultfd_ns", USERFAULTFD), PART("unmeasured_ns", UNMEASURED),
	PART("lock_ns", LOCK),
	{ "stack", NULL, 0, FLT_COLUMN_LINES, AT(stack) },
	{ "cut", NULL, 0, FLT_COLUMN_STRING, AT(cut) },
	{ NULL, NULL, 0, FLT_COLUMN_LINES, AT(cut_line) },
	{ "lost_since", NULL, 0, FLT_COLUMN_COUNT, AT(gap_from), .zero_unknown = true },
	{ "lost", NULL, 0, FLT_COLUMN_COUNT, AT(lost), .known_if = OF_GAP },
	{ "cpu", NULL, 0, FLT_COLUMN_COUNT, AT(lost_cpu), .known_if = OF_GAP },
	{ 0 },
};

int trace_line_open(struct trace *t, struct flt_errmsg *e)
{
	t->wall_offset = flt_clock_wall_offset();
	if (t->args->by == TRACE_BY_CGROUP)
		return trace_cgroups_open(t, e);
	if (t->args->ctf)
		return flt_ctf_new(&t->ctf, t->args->ctf, e);
	return flt_table_new(&t->table, t->out, &t->args->style, columns,
			     t->args->why ? t->causes.known | WITH_CAUSES : 0);
}

int trace_line_close(struct trace *t, int status)
{
	int err = t->ctf ? flt_ctf_end(t->ctf) : 0;

	flt_table_free(t->table);
	trace_cgroups_close(t);
	if (!err)
		return status;
	flt_command_say(t->command, "cannot write %s: %s", t->args->ctf,
			err == -ERANGE ? "the faults are not in order of time" : strerror(-err));
	return status ? status : FLT_EXIT_FAILED;
}

static int write_ctf(struct trace *t, const struct trace_fault *k, const struct row *row)
{
	const struct flt_fault *f = k->fault;

	flt_ctf_fault(t->ctf, &(struct flt_ctf_fault){
		.time = row->time, .latency = f->latency, .address = f->address, .ip = f->ip,
		.inode = f->inode, .offset = k->in_file ? row->offset : 0, .pid = f->pid,
		.tid = f->tid, .device = f->device, .weight = f->weight, .cpu = f->cpu,
		.comm = k->comm, .result = flt_result_name(row->result),
		.kind = flt_kind_name(f->kind), .access = access_name(f->flags),
		.path = row->path, .stack = k->stack });
	return 0;
}

/* Fill the columns of --why. text is where row->cause points to. */
static uint64_t fill_causes(struct row *row, const struct flt_stream_causes *causes,
			    char text[FLT_CAUSE_TEXT])
{
	if (!causes)
		return 0;
	memcpy(row->part, causes->part, sizeof(row->part));
	row->cause = flt_cause_main(causes->part, row->fault.latency, text);
	return OF_CAUSES;
}

/* Fill the columns of a file that are in data. dev is where row->dev points to. */
static void fill_file(const struct trace *t, struct row *row, char dev[32])
{
	const struct flt_fault *f = &row->fault;
	char *end;

	row->offset = (uint64_t)f->page << t->page_shift;
	if (!f->inode)
		return;
	end = flt_digits_decimal(dev, f->device >> 20);
	*end++ = ':';
	*flt_digits_decimal(end, f->device & 0xfffff) = 0;
	row->dev = dev;
}

int trace_line_fault(struct trace *t, const struct trace_fault *k)
{
	char dev[32], where[PATH_MAX + 32], cut_line[32], cause[FLT_CAUSE_TEXT];
	struct row row = {
		.record = RECORD_FAULT, .fault = *k->fault, .comm = k->comm, .stack = k->stack,
		.cut = k->cut,
	};
	uint64_t known = OF_FAULT;

	if (t->full)
		return 0;
	row.time = k->fault->time + k->fault->latency + t->wall_offset;
	row.result = flt_fault_result(k->fault);
	known |= k->timed ? OF_TIMED : 0;
	known |= k->fault->inode ? OF_INODE : 0;
	known |= fill_causes(&row, k->causes, cause);
	if (k->in_file) {
		known |= OF_FILE;
		row.path = k->path;
		fill_file(t, &row, dev);
	}
	if (k->in_file && t->args->style.format == FLT_FORMAT_TEXT) {
		snprintf(where, sizeof(where), "%s+0x%" PRIx64, k->path ? k->path : "?",
			 row.offset);
		row.where = where;
	}
	if (++t->lines == t->args->count)
		t->full = true;
	if (t->ctf)
		return write_ctf(t, k, &row);
	if (row.cut) {
		snprintf(cut_line, sizeof(cut_line), "[cut: %s]\n", row.cut);
		row.cut_line = cut_line;
	}
	return flt_table_row(t->table, &row, known);
}

int trace_line_gap(struct trace *t, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	struct row row = { .record = RECORD_LOST, .lost = count, .lost_cpu = cpu };
	char begin[FLT_CLOCK_TEXT] = "the beginning", end[FLT_CLOCK_TEXT];

	if (t->full)
		return 0;
	t->lost += count;
	if (t->ctf)
		flt_ctf_lost(t->ctf, count);
	row.time = to + t->wall_offset;
	row.gap_from = from ? from + t->wall_offset : 0;
	if (!t->cgroups && t->args->style.format != FLT_FORMAT_TEXT)
		return flt_table_row(t->table, &row, OF_GAP);
	if (from)
		flt_clock_write(begin, row.gap_from, 9);
	flt_command_say(t->command, "lost %" PRIu64 " faults on CPU %" PRIu32
			" between %s and %s", count, cpu, begin,
			flt_clock_write(end, row.time, 9));
	return 0;
}
