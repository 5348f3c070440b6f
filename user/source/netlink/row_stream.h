/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row_stream.h - the module's rows of processes one by one, without a list in memory. */
#ifndef FLT_SOURCE_ROW_STREAM_H
#define FLT_SOURCE_ROW_STREAM_H

#include "account/account.h"
#include "text/errmsg.h"

struct flt_control;

/* The row is valid during the call. An error, -errno, is returned after all rows were read. */
typedef int (*flt_row_fn)(void *arg, const struct flt_row *row);

/*
 * Call fn for each process. -EINTR: rows were retired during the dump. The rows that fn received
 * are right, but some are missing.
 */
int flt_row_stream(struct flt_control *control, flt_row_fn fn, void *arg, struct flt_errmsg *e);

#endif
