// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/trace/trace.h"

enum column {
	RECORD, TIME, LATENCY, PID, TID, COMM, RESULT, KIND, ACCESS, ATTEMPTS, ADDRESS, IP, DEV,
	INODE, OFFSET, WEIGHT, PATH, WHERE, STACK, CUT, LOST_SINCE, LOST, LOST_CPU, COLUMNS
};

static const struct flt_column columns[COLUMNS] = {
	[RECORD] = { "record", NULL, 0 },
	[TIME] = { "time", "TIME", 18 },
	[LATENCY] = { "latency_ns", "LAT", 8 },
	[PID] = { "pid", "PID", 7 },
	[TID] = { "tid", "TID", 7 },
	[COMM] = { "comm", "COMM", -15 },
	[RESULT] = { "result", "RESULT", -7 },
	[KIND] = { "kind", "KIND", -9 },
	[ACCESS] = { "access", "ACC", -3 },
	[ATTEMPTS] = { "attempts", "TRY", 3 },
	[ADDRESS] = { "address", "ADDRESS", -14 },
	[IP] = { "ip", "IP", -14 },
	[DEV] = { "dev", "DEV", -6 },
	[INODE] = { "inode", "INODE", 8 },
	[OFFSET] = { "offset", NULL, 0 },
	[WEIGHT] = { "weight", NULL, 0 },
	[PATH] = { "path", NULL, 0 },
	[WHERE] = { "where", "PATH+OFFSET", -12, true },
	[STACK] = { "stack", NULL, 0 },
	[CUT] = { "cut", NULL, 0 },
	[LOST_SINCE] = { "lost_since", NULL, 0 },
	[LOST] = { "lost", NULL, 0 },
	[LOST_CPU] = { "cpu", NULL, 0 },
};

int trace_line_open(struct trace *t)
{
	int ret = names_open(&t->names);

	if (ret)
		return ret;
	t->wall_offset = flt_clock_wall_offset();
	return flt_table_new(&t->table, t->out, (enum flt_format)t->args->format, columns, COLUMNS);
}

void trace_line_close(struct trace *t)
{
	flt_table_free(t->table);
	names_close(&t->names);
}

/* Threads that are born or run something new while we look say so. */
int trace_line_note(struct trace *t, const union flt_stream_note *head, const void *bytes)
{
	return names_note(&t->names, head, bytes);
}

static const char *result_of(const struct flt_event_record *r)
{
	if (r->result == FLT_RESULT_MINOR)
		return "minor";
	if (r->result == FLT_RESULT_MAJOR)
		return "major";
	return flt_failure_name((uint32_t)r->result - FLT_RESULT_FAILED);
}

/* "w", "r" or "x"; in capitals when the kernel did it on the process's behalf. */
static const char *access_of(const struct flt_event_record *r)
{
	bool user = r->flags & FLT_EVENT_USER;

	if (r->flags & FLT_EVENT_WRITE)
		return user ? "w" : "W";
	if (r->flags & FLT_EVENT_EXEC)
		return user ? "x" : "X";
	return user ? "r" : "R";
}

/* hh:mm:ss.ns in the text, nanoseconds since 1970 elsewhere. */
static struct flt_cell time_cell(const struct trace *t, uint64_t mono, char text[32])
{
	uint64_t ns = mono + t->wall_offset;
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;

	if (t->args->format != FLT_FORMAT_TEXT)
		return flt_cell_u64(ns);
	localtime_r(&seconds, &tm);
	snprintf(text, 32, "%02d:%02d:%02d.%09" PRIu64, tm.tm_hour, tm.tm_min, tm.tm_sec,
		 ns % 1000000000);
	return flt_cell_string(text);
}

int trace_line_record(struct trace *t, const struct flt_event_record *r)
{
	struct flt_cell cell[COLUMNS] = { 0 };
	uint64_t latency = flt_event_latency(r);
	const char *path = names_path(&t->names, r);
	char when[32], dev[16], where[PATH_MAX + 32], why[32];
	const char *lines, *cut;
	int ret;

	if (t->full)
		return 0;
	if (r->type != FLT_EVENT_FAULT)
		return 0;
	cell[RECORD] = flt_cell_string("fault");
	cell[TIME] = time_cell(t, r->time + latency, when);
	cell[LATENCY] = flt_cell_ns(latency);
	cell[PID] = flt_cell_u64(r->tgid);
	cell[TID] = flt_cell_u64(r->tid);
	cell[COMM] = flt_cell_string(names_comm(&t->names, r));
	cell[RESULT] = flt_cell_string(result_of(r));
	cell[KIND] = flt_cell_string(flt_kind_name(r->kind));
	cell[ACCESS] = flt_cell_string(access_of(r));
	cell[ATTEMPTS] = flt_cell_u64(r->attempts);
	cell[ADDRESS] = flt_cell_hex(r->address);
	if (r->ip)
		cell[IP] = flt_cell_hex(r->ip);
	if (r->inode) {
		snprintf(dev, sizeof(dev), "%u:%u", r->dev >> 8 & 0xfff,
			 (r->dev & 0xff) | (r->dev >> 12 & 0xfff00));
		cell[DEV] = flt_cell_string(dev);
		cell[INODE] = flt_cell_u64(r->inode);
		cell[OFFSET] = flt_cell_hex((uint64_t)r->page << 12);
		cell[PATH] = flt_cell_string(path);
		snprintf(where, sizeof(where), "%s+0x%" PRIx64, path ? path : "?", (uint64_t)r->page << 12);
		cell[WHERE] = flt_cell_string(where);
	}
	if (t->stacks) {
		ret = trace_stacks_text(t, r, &lines, &cut);
		if (ret)
			return ret;
		cell[STACK] = flt_cell_lines(lines);
		if (cut && t->args->format == FLT_FORMAT_TEXT) {
			snprintf(why, sizeof(why), "[cut: %s]\n", cut);
			cell[CUT] = flt_cell_lines(why);
		} else {
			cell[CUT] = flt_cell_string(cut);
		}
	}
	cell[WEIGHT] = flt_cell_u64(r->weight);
	if (++t->lines == t->args->count)
		t->full = true;
	return flt_table_row(t->table, cell);
}

int trace_line_gap(struct trace *t, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	struct flt_cell cell[COLUMNS] = { 0 };
	char begin[32], end[32];

	if (t->full)
		return 0;
	t->lost += count;
	if (t->args->format == FLT_FORMAT_TEXT) {
		time_cell(t, from, begin);
		time_cell(t, to, end);
		flt_command_say(t->command, "lost %" PRIu64 " faults on CPU %" PRIu32
				" between %s and %s", count, cpu, from ? begin : "the beginning", end);
		return 0;
	}
	cell[RECORD] = flt_cell_string("lost");
	cell[TIME] = time_cell(t, to, end);
	if (from)
		cell[LOST_SINCE] = time_cell(t, from, begin);
	cell[LOST] = flt_cell_u64(count);
	cell[LOST_CPU] = flt_cell_u64(cpu);
	return flt_table_row(t->table, cell);
}
