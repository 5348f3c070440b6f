/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats_columns.h - the columns of 'fltctl stats', and how they are filled.
 *
 * Data has all of them in every row; the text those with a title.
 */
#ifndef FLT_CMD_STATS_COLUMNS_H
#define FLT_CMD_STATS_COLUMNS_H

#include "cmd/stats/stats.h"

#define COUNTER(member, attribute, ...) COL_##attribute,
enum stats_column {
	COL_RECORD, COL_SPAN, COL_CLOCK, COL_TIME, COL_SECONDS, COL_PID, COL_TID, COL_COMM, COL_KIND,
	COL_MINOR_S, COL_MAJOR_S, COL_FAILED_S, COL_FAULTS_S, COL_RETRIES, COL_MINOR, COL_MAJOR,
	COL_FAILED, COL_FAULTS,
	FLT_COUNTERS_DETAIL(COUNTER)
	COL_NO_ROW, COL_NO_TASK, COL_BUSY, COL_FULL,
	COL_UNTRACKED, COL_VANISHED, COL_COMPLETE, COL_PROCESSES, COL_USER, COL_SYSTEM, COL_STATUS,
	COL_WAIT_MINOR, COL_WAIT_MAJOR, COL_KINDS, COL_KIND_FIRST,
	STATS_COLUMNS = COL_KIND_FIRST + __FLT_KIND_MAX,
};
#undef COUNTER

/* Room for the kinds of one account as text. */
#define STATS_KINDS_TEXT 512

/* Allocated; titles are taken from the columns that this report has no use for. */
struct flt_column *stats_columns_new(const struct stats *s, bool kinds, bool summary);

/* What all rows of a report begin with; clock must live as long as the cells. */
void stats_fill_head(const struct stats *s, struct flt_cell *cells, const char *record,
		     const char *span, uint64_t ns, char clock[16]);
struct flt_cell stats_cell_rate(uint64_t count, uint64_t ns);
/* What the source does not know stays absent. */
void stats_fill_account(const struct stats *s, struct flt_cell *cells,
			const struct flt_account *account, uint64_t ns);
void stats_fill_loss(const struct stats *s, struct flt_cell *cells, const struct flt_loss *loss);

/* "anon 120 cow 33": those that there are, in the order of the enum. */
void stats_write_kinds(char text[STATS_KINDS_TEXT], const struct flt_account *account);
/* HH:MM:SS of so long before the report. */
void stats_write_clock(const struct stats *s, char *text, size_t size, uint64_t ago_ns);
bool stats_is_text(const struct stats *s);

#endif
