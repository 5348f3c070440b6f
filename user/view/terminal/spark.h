/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spark.h - a sparkline: a curve in one line of text. */
#ifndef FLT_VIEW_SPARK_H
#define FLT_VIEW_SPARK_H

#include <stddef.h>
#include <stdint.h>

#define FLT_SPARK_WIDTH 60
/* Bytes for a sparkline of any width: three per character. */
#define FLT_SPARK_TEXT (3 * FLT_SPARK_WIDTH + 1)

/*
 * Write values from 0 to the largest as blocks of one to eight eighths (UTF-8), or as digits from
 * 0 to 8 if plain. With more values than characters, each character shows a maximum.
 */
char *flt_spark_write(char text[FLT_SPARK_TEXT], const uint64_t *values, size_t count, int plain);

#endif
