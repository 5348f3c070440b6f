/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spark.h - a curve on one line of text. */
#ifndef FLT_VIEW_SPARK_H
#define FLT_VIEW_SPARK_H

#include <stddef.h>
#include <stdint.h>

#define FLT_SPARK_WIDTH 60
/* Room for any: three bytes a place. */
#define FLT_SPARK_TEXT (3 * FLT_SPARK_WIDTH + 1)

/*
 * From 0 to the largest value, in eighths of a line (UTF-8) or, if plain, in digits
 * from 0 to 8. More values than places: each place has the largest of its share.
 */
char *flt_spark_write(char text[FLT_SPARK_TEXT], const uint64_t *values, size_t count, int plain);

#endif
