/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h - a row of 'fltctl stats', and its columns.
 *
 * JSON and CSV have all columns in every row. The text has the columns that apply to the rows.
 */
#ifndef FLT_CMD_STATS_COLUMNS_H
#define FLT_CMD_STATS_COLUMNS_H

#include "cmd/stats/stats.h"

/* Size of the kinds of one account as text. */
#define STATS_KINDS_TEXT 512

struct stats_row {
	uint64_t known;			/* bits of columns that have a value */
	const char *record, *span;
	uint64_t time;			/* ns since 1970 */
	uint64_t ns;			/* length of the span; 0: not known */
	uint32_t pid, tid;
	const char *comm, *kind;
	const char *cgroup, *container;	/* path and name; NULL: none */
	uint64_t pgfault, pgmajfault;	/* change of memory.stat */
	struct flt_account account;
	char kinds[STATS_KINDS_TEXT];	/* of the account, for the text */
	uint64_t faults;		/* of the kind */
	struct flt_loss loss;
	bool complete;
	struct stats_command command;
};

/* Create s->table, for reports or for the summary of a command. Return 0 or -ENOMEM. */
int stats_columns_open(struct stats *s, bool kinds, bool summary);

/* Return a row with the values that all rows of a report share. */
struct stats_row stats_row_begin(const struct stats *s, const char *record, const char *span,
				 uint64_t ns);
/* Fill the counters that the source has. */
void stats_row_account(const struct stats *s, struct stats_row *row,
		       const struct flt_account *account);
/* Fill the losses. Call after stats_row_account(). */
void stats_row_loss(const struct stats *s, struct stats_row *row, const struct flt_loss *loss);
/* Fill one kind of fault. */
void stats_row_kind(struct stats_row *row, uint32_t kind, uint64_t faults);
/* Mark the row as that of a cgroup, and fill what memory.stat counts for it. */
void stats_row_cgroup(const struct stats *s, struct stats_row *row, const struct flt_row *from);
/* Mark what memory.stat counts as known. */
void stats_row_memory(struct stats_row *row);
/* Mark the row as the sum of @processes processes; 0: the row is one process. */
void stats_row_processes(struct stats_row *row, uint32_t processes);
/* Fill the times and the exit status of a command that has ended. */
void stats_row_command(const struct stats *s, struct stats_row *row,
		       const struct stats_command *command);
int stats_row_put(struct stats *s, const struct stats_row *row);

/* Write the kinds that are not 0, in the order of the enum: "anon 120 cow 33". */
void stats_write_kinds(char text[STATS_KINDS_TEXT], const struct flt_account *account);
bool stats_is_text(const struct stats *s);

#endif
