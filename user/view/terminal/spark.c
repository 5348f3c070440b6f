// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/terminal/spark.h"

#include <string.h>

static const char *const blocks[] = { "\u2581", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585",
				      "\u2586", "\u2587", "\u2588" };
static const char *const digits[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8" };

static uint64_t largest(const uint64_t *values, size_t count)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (values[i] > most)
			most = values[i];
	return most;
}

char *flt_spark_write(char text[FLT_SPARK_TEXT], const uint64_t *values, size_t count, int plain)
{
	const char *const *steps = plain ? digits : blocks;
	size_t places = count < FLT_SPARK_WIDTH ? count : FLT_SPARK_WIDTH, i;
	uint64_t top = largest(values, count), value;
	char *at = text;

	for (i = 0; i < places; i++) {
		size_t from = i * count / places, to = (i + 1) * count / places;

		value = largest(values + from, to - from);
		at = stpcpy(at, steps[top ? (size_t)(8.0 * (double)value / (double)top + 0.5) : 0]);
	}
	*at = '\0';
	return text;
}
