// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/metrics/writer.h"

#include <errno.h>
#include <string.h>

#include "text/escape.h"

void flt_metrics_put(struct flt_metrics *m, const char *bytes, size_t length)
{
	char *end = m->error ? NULL : flt_buffer_end(&m->text, length);

	if (!end) {
		m->error = -ENOMEM;
		return;
	}
	memcpy(end, bytes, length);
	m->text.used += length;
}

/* Return true if the text is UTF-8 without characters that change when they are made safe. */
static bool is_plain(const char *text)
{
	size_t length = strlen(text), i, n;
	uint32_t point;

	for (i = 0; i < length; i += n) {
		n = flt_escape_decode(text + i, length - i, &point);
		if (!n || point < 0x20 || (point >= 0x7f && point < 0xa0))
			return false;
	}
	return true;
}

/*
 * Prometheus refuses a whole answer because of one byte that is not UTF-8, or because of two series
 * with equal labels. So the escaped form of a name must differ from all plain names.
 */
const char *flt_metrics_safe_value(char safe[FLT_METRIC_VALUE], const char *value)
{
	static const char mark[] = "(escaped)";
	const size_t length = sizeof(mark) - 1;

	if (is_plain(value))
		return value;
	memcpy(safe, mark, length);
	flt_escape_text(safe + length, FLT_METRIC_VALUE - length, value, strlen(value));
	return safe;
}

const char *flt_metrics_suffix(enum flt_metric_type type)
{
	return type == FLT_METRIC_COUNTER ? "_total" : type == FLT_METRIC_INFO ? "_info" : "";
}
