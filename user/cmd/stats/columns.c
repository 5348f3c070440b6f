// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/stats/columns.h"

#include <inttypes.h>

#include "account/counter.h"
#include "cli/manpage.h"
#include "observe/loss.h"

/* Bits of .known_if: the rows that have a value. */
enum {
	OF_ACCOUNT = 1 << 0,
	OF_MODULE = 1 << 1,		/* accounts and losses that the module counts */
	OF_KERNEL_LOSS = 1 << 2,
	OF_MODULE_LOSS = 1 << 3,
	OF_LOSS = OF_KERNEL_LOSS | OF_MODULE_LOSS,
	OF_KINDS = 1 << 4,		/* an account with kinds */
	OF_KIND = 1 << 5,		/* one kind of fault */
	OF_COMMAND = 1 << 6,
	OF_PROCESSES = 1 << 7,		/* a command whose number of processes is known */
	OF_MEMORY = 1 << 8,		/* a cgroup whose memory.stat was read twice */
};

/* A counter that the module may be unable to keep. */
#define OF_COUNTER(attribute) (1ull << (32 + (attribute)))

/* Bits of .text_if and .data_if: the tables that have a column. */
enum {
	SHOW_CLOCK = 1 << 0, SHOW_PROCESS = 1 << 1, SHOW_THREAD = 1 << 2,
	SHOW_RATES = 1 << 3, SHOW_COUNTS = 1 << 4,	/* of an account */
	SHOW_KIND = 1 << 5, SHOW_KIND_COUNT = 1 << 6,	/* of a row for each kind */
	SHOW_KINDS_TEXT = 1 << 7, SHOW_KINDS_DATA = 1 << 8, SHOW_CGROUP = 1 << 9,
	SHOW_MODULE_RATES = 1 << 10, SHOW_MODULE_COUNTS = 1 << 11,	/* that the module counts */
};

#define AT(member) FLT_AT(struct stats_row, member)
#define RATE(member) FLT_COLUMN_RATE, AT(member), .of = offsetof(struct stats_row, ns),        \
	.decimals = 1
#define IN_COUNTS .text_if = SHOW_COUNTS
#define IN_RATES .text_if = SHOW_RATES
#define IN_MODULE_COUNTS .text_if = SHOW_MODULE_COUNTS
#define IN_MODULE_RATES .text_if = SHOW_MODULE_RATES

static const struct flt_column columns[] = {
	{ "record", NULL, 0, FLT_COLUMN_STRING, AT(record) },
	{ "span", NULL, 0, FLT_COLUMN_STRING, AT(span) },
	{ NULL, "time", -8, FLT_COLUMN_CLOCK, AT(time), .text_if = SHOW_CLOCK },
	{ "time", NULL, 0, FLT_COLUMN_SECONDS, AT(time), .decimals = 3 },
	{ "seconds", NULL, 0, FLT_COLUMN_SECONDS, AT(ns), .decimals = 6, .zero_unknown = true },
	{ "pid", "pid", 7, FLT_COLUMN_COUNT, AT(pid), .zero_unknown = true,
	  .text_if = SHOW_PROCESS },
	{ "tid", "tid", 7, FLT_COLUMN_COUNT, AT(tid), .zero_unknown = true,
	  .text_if = SHOW_THREAD },
	{ "comm", "comm", -15, FLT_COLUMN_STRING, AT(comm), .text_if = SHOW_PROCESS },
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, AT(cgroup) },
	{ "container", "cgroup", -30, FLT_COLUMN_STRING, AT(container), .text_if = SHOW_CGROUP },
	{ "kind", "kind", -9, FLT_COLUMN_STRING, AT(kind), .text_if = SHOW_KIND },
	{ "minor_per_second", "minor/s", 10, RATE(account.minor), .known_if = OF_ACCOUNT,
	  IN_RATES },
	{ "major_per_second", "major/s", 8, RATE(account.major), .known_if = OF_ACCOUNT, IN_RATES },
	{ "failed_per_second", "failed/s", 8, RATE(account.failed), .known_if = OF_MODULE,
	  IN_MODULE_RATES },
	{ "faults_per_second", "faults/s", 10, RATE(faults), .known_if = OF_KIND,
	  .text_if = SHOW_KIND },
	{ "retries", "retries", 7, FLT_COLUMN_COUNT, AT(account.retried), .known_if = OF_MODULE,
	  IN_MODULE_COUNTS },
	{ "minor", "minor", 9, FLT_COLUMN_COUNT, AT(account.minor), .known_if = OF_ACCOUNT,
	  IN_COUNTS },
	{ "major", "major", 7, FLT_COLUMN_COUNT, AT(account.major), .known_if = OF_ACCOUNT,
	  IN_COUNTS },
	{ "failed", "failed", 6, FLT_COLUMN_COUNT, AT(account.failed), .known_if = OF_MODULE,
	  IN_MODULE_COUNTS },
	{ "faults", "faults", 9, FLT_COLUMN_COUNT, AT(faults), .known_if = OF_KIND,
	  .text_if = SHOW_KIND_COUNT },
	{ "pgfault", "pgfault", 9, FLT_COLUMN_COUNT, AT(pgfault), .known_if = OF_MEMORY,
	  .text_if = SHOW_CGROUP },
	{ "pgmajfault", "pgmajfault", 10, FLT_COLUMN_COUNT, AT(pgmajfault), .known_if = OF_MEMORY,
	  .text_if = SHOW_CGROUP },
#define COUNTER(member, attribute, number, bits, fold, presence, file, column, ...)	\
	{ column, NULL, 0, FLT_COLUMN_COUNT, AT(account.member), .known_if = OF_COUNTER(number) },
	FLT_COUNTERS_DETAIL(COUNTER)
#undef COUNTER
#define LOSS(member, attribute, number, column)					\
	{ column, NULL, 0, FLT_COLUMN_COUNT, AT(loss.member), .known_if = OF_MODULE_LOSS },
	FLT_TALLY_LOSSES(LOSS)
#undef LOSS
	{ "untracked", NULL, 0, FLT_COLUMN_COUNT, AT(loss.untracked), .known_if = OF_MODULE_LOSS },
	{ "unplaced", NULL, 0, FLT_COLUMN_COUNT, AT(loss.unplaced), .known_if = OF_MODULE_LOSS },
	{ "vanished", NULL, 0, FLT_COLUMN_COUNT, AT(loss.vanished), .known_if = OF_KERNEL_LOSS },
	{ "complete", NULL, 0, FLT_COLUMN_BOOL, AT(complete), .known_if = OF_LOSS },
	{ "processes", NULL, 0, FLT_COLUMN_COUNT, AT(command.processes), .known_if = OF_PROCESSES },
	{ "user_seconds", NULL, 0, FLT_COLUMN_SECONDS, AT(command.user), .decimals = 6,
	  .known_if = OF_COMMAND },
	{ "system_seconds", NULL, 0, FLT_COLUMN_SECONDS, AT(command.system), .decimals = 6,
	  .known_if = OF_COMMAND },
	{ "status", NULL, 0, FLT_COLUMN_SIGNED, AT(command.status), .known_if = OF_COMMAND },
	{ "wait4_minor", NULL, 0, FLT_COLUMN_COUNT, AT(command.minor), .known_if = OF_COMMAND },
	{ "wait4_major", NULL, 0, FLT_COLUMN_COUNT, AT(command.major), .known_if = OF_COMMAND },
	{ NULL, "kinds", -1, FLT_COLUMN_CHARS, AT(kinds), .known_if = OF_KINDS,
	  .text_if = SHOW_KINDS_TEXT },
	{ "kind_", NULL, 0, FLT_COLUMN_COUNT, FLT_AT_ARRAY(struct stats_row, account.kinds),
	  .name = flt_kind_name, .known_if = OF_KINDS, .data_if = SHOW_KINDS_DATA },
	{ 0 },
};

void stats_columns_manual(FILE *out)
{
	const struct flt_counter *c;
	size_t i;

	fputs(".SH COUNTERS\n"
	      "These columns of\n.B \\-\\-json\nand\n.B \\-\\-csv\nare counters of the module. "
	      "A counter that it cannot keep on the running\nkernel is absent.\n", out);
	for (i = 0; (c = flt_counter_at(i)); i++)
		if (c->column)
			flt_manpage_term(out, c->column, c->meaning);
}

int stats_columns_open(struct stats *s, bool kinds, bool summary)
{
	const bool by_kind = s->by == STATS_BY_KIND;
	uint64_t shown = by_kind ? SHOW_KIND_COUNT : SHOW_COUNTS;

	if (!summary)
		shown |= SHOW_CLOCK | (by_kind ? SHOW_KIND : SHOW_RATES);
	if (s->control && shown & SHOW_COUNTS)
		shown |= SHOW_MODULE_COUNTS;
	if (s->control && shown & SHOW_RATES)
		shown |= SHOW_MODULE_RATES;
	if (!summary && s->by == STATS_BY_THREAD)
		shown |= SHOW_THREAD;
	if (s->by == STATS_BY_PROCESS || s->by == STATS_BY_THREAD)
		shown |= SHOW_PROCESS;
	if (s->by == STATS_BY_CGROUP)
		shown |= SHOW_CGROUP;
	if (kinds)
		shown |= SHOW_KINDS_DATA | (by_kind ? 0 : SHOW_KINDS_TEXT);
	return flt_table_new(&s->table, s->out, &s->args->style, columns, shown);
}

bool stats_is_text(const struct stats *s)
{
	return s->args->style.format == FLT_FORMAT_TEXT;
}

void stats_write_kinds(char text[STATS_KINDS_TEXT], const struct flt_account *account)
{
	size_t size = STATS_KINDS_TEXT, used = 0, i;

	text[0] = '\0';
	for (i = 0; i < __FLT_KIND_MAX && used < size; i++)
		if (account->kinds[i])
			used += (size_t)snprintf(text + used, size - used, "%s%s %" PRIu64,
						 used ? " " : "", flt_kind_name((uint32_t)i),
						 account->kinds[i]);
	if (account->kinds_beyond && used < size)
		snprintf(text + used, size - used, "%snewer %" PRIu64, used ? " " : "",
			 account->kinds_beyond);
}

struct stats_row stats_row_begin(const struct stats *s, const char *record, const char *span,
				 uint64_t ns)
{
	return (struct stats_row){ .record = record, .span = span, .time = s->stamp, .ns = ns };
}

void stats_row_account(const struct stats *s, struct stats_row *row,
		       const struct flt_account *account)
{
	row->account = *account;
	row->known |= OF_ACCOUNT;
	if (!s->control)
		return;
	row->known |= OF_MODULE | (uint64_t)~account->unknown << 32;
	if (s->kinds) {
		row->known |= OF_KINDS;
		stats_write_kinds(row->kinds, account);
	}
}

void stats_row_loss(const struct stats *s, struct stats_row *row, const struct flt_loss *loss)
{
	row->loss = *loss;
	row->complete = !flt_loss_any(loss);
	row->known |= s->control ? OF_MODULE_LOSS : OF_KERNEL_LOSS;
	if (s->control) {
		row->account.missed = loss->missed;
		row->known |= OF_COUNTER(FLT_ACCOUNT_MISSED);
	}
}

void stats_row_kind(struct stats_row *row, uint32_t kind, uint64_t faults)
{
	row->known |= OF_KIND;
	row->kind = flt_kind_name(kind);
	row->faults = faults;
}

void stats_row_command(const struct stats *s, struct stats_row *row,
		       const struct stats_command *command)
{
	row->known |= OF_COMMAND | (s->control ? OF_PROCESSES : 0);
	row->command = *command;
	row->comm = command->argv[0];
}

void stats_row_processes(struct stats_row *row, uint32_t processes)
{
	if (!processes)
		return;
	row->command.processes = processes;
	row->known |= OF_PROCESSES;
}

void stats_row_memory(struct stats_row *row)
{
	row->known |= OF_MEMORY;
}

int stats_row_put(struct stats *s, const struct stats_row *row)
{
	return flt_table_row(s->table, row, row->known);
}
