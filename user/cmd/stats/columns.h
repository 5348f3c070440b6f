/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h - a row of 'fltctl stats', and its columns.
 *
 * JSON and CSV have all columns in every row. The text has those that fit what a row is.
 */
#ifndef FLT_CMD_STATS_COLUMNS_H
#define FLT_CMD_STATS_COLUMNS_H

#include "cmd/stats/stats.h"

/* Room for the kinds of one account as text. */
#define STATS_KINDS_TEXT 512

struct stats_row {
	uint64_t known;			/* which columns have a value */
	const char *record, *span;
	uint64_t time;			/* ns since 1970 */
	uint64_t ns;			/* of the span; 0: not known */
	uint32_t pid, tid;
	const char *comm, *kind;
	struct flt_account account;
	char kinds[STATS_KINDS_TEXT];	/* of the account, for the text */
	uint64_t faults;		/* of the kind */
	struct flt_loss loss;
	bool complete;
	struct stats_command command;
};

/* Make s->table, of a report or of a command that has ended. -ENOMEM. */
int stats_columns_open(struct stats *s, bool kinds, bool summary);

/* Return what all rows of a report begin with. */
struct stats_row stats_row_begin(const struct stats *s, const char *record, const char *span,
				 uint64_t ns);
/* Fill what the source knows of an account. */
void stats_row_account(const struct stats *s, struct stats_row *row,
		       const struct flt_account *account);
/* Fill what is missing; after the account. */
void stats_row_loss(const struct stats *s, struct stats_row *row, const struct flt_loss *loss);
/* Fill one kind of fault. */
void stats_row_kind(struct stats_row *row, uint32_t kind, uint64_t faults);
/* Fill what is known of a command that has ended. */
void stats_row_command(const struct stats *s, struct stats_row *row,
		       const struct stats_command *command);
int stats_row_put(struct stats *s, const struct stats_row *row);

/* Write the kinds that there are, in the order of the enum: "anon 120 cow 33". */
void stats_write_kinds(char text[STATS_KINDS_TEXT], const struct flt_account *account);
bool stats_is_text(const struct stats *s);

#endif
