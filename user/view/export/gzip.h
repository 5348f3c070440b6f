/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gzip.h - write compressed data. */
#ifndef FLT_VIEW_GZIP_H
#define FLT_VIEW_GZIP_H

#include <stddef.h>
#include <stdio.h>

/*
 * Write data as a gzip file without name and time, so that equal data give equal files. Errors of
 * out are left to ferror(). Return -ENOMEM, or 0.
 */
int flt_gzip_write(FILE *out, const void *data, size_t size);

#endif
