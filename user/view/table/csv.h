/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.h - lines of CSV (RFC 4180, with LF): the keys of columns, and rows. */
#ifndef FLT_VIEW_CSV_H
#define FLT_VIEW_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "text/buffer.h"
#include "view/table/column.h"

/* Both add a line. Return -ENOMEM; then the line is incomplete. */
int flt_csv_heading(struct flt_buffer *out, const struct flt_column *columns, size_t count);
/* row, known: see flt_table_row(). */
int flt_csv_row(struct flt_buffer *out, const struct flt_column *columns, size_t count,
		const void *row, uint64_t known);

#endif
