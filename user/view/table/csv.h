/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csv.h - write rows as CSV (RFC 4180, with LF), below a line with the keys of the columns.
 *
 * 'fltctl trace --csv' writes a row per fault. So lines are collected, and the types of the columns
 * are looked at once, not in each row.
 */
#ifndef FLT_VIEW_CSV_H
#define FLT_VIEW_CSV_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "view/table/column.h"

struct flt_csv;

/* columns[count] must outlive the lines. Return -ENOMEM. */
int flt_csv_new(struct flt_csv **csv, FILE *out, const struct flt_column *columns, size_t count);
/* Free the lines that were not flushed. NULL is allowed. */
void flt_csv_free(struct flt_csv *csv);

/* Add a row. row, known: see flt_table_row(). Return -ENOMEM. */
int flt_csv_row(struct flt_csv *csv, const void *row, uint64_t known);
/*
 * Write the collected lines, or the heading if there are no rows, and flush the FILE. Return
 * -ENOMEM. Check the FILE for write errors.
 */
int flt_csv_flush(struct flt_csv *csv);

#endif
