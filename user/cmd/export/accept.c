// SPDX-License-Identifier: GPL-2.0-or-later
/* The header Accept, see RFC 9110, section 12.5.1. Text formats of all versions count as one. */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "cmd/export/export.h"

#define SPACE " \t"

/* A part of the header. */
struct span {
	const char *at;
	size_t length;
};

static const struct {
	const char *type;
	enum flt_metrics_format format;
} types[] = {
	{ "application/vnd.google.protobuf", FLT_METRICS_PROTOBUF },
	{ "application/openmetrics-text", FLT_METRICS_OPENMETRICS },
	{ "text/plain", FLT_METRICS_TEXT },
	{ "text/*", FLT_METRICS_TEXT },
	{ "*/*", FLT_METRICS_TEXT },
};

/* Return the text before the separator, without spaces, and move on behind the separator. */
static struct span next_part(struct span *rest, char separator)
{
	const char *end = memchr(rest->at, separator, rest->length);
	struct span part = { rest->at, end ? (size_t)(end - rest->at) : rest->length };

	rest->at += part.length + !!end;
	rest->length -= part.length + !!end;
	while (part.length && strchr(SPACE, *part.at)) {
		part.at++;
		part.length--;
	}
	while (part.length && strchr(SPACE, part.at[part.length - 1]))
		part.length--;
	return part;
}

static bool is_text(struct span span, const char *text)
{
	return span.length == strlen(text) && !strncasecmp(span.at, text, span.length);
}

/* Return a quality such as "0.5" in thousandths; 0 if the text is invalid. */
static uint32_t quality(struct span text)
{
	uint32_t value, unit = 100;
	size_t i;

	if (!text.length || (text.at[0] != '0' && text.at[0] != '1') ||
	    (text.length > 1 && text.at[1] != '.') || text.length > 5)
		return 0;
	value = text.at[0] == '1' ? 1000 : 0;
	for (i = 2; i < text.length; i++, unit /= 10) {
		if (text.at[i] < '0' || text.at[i] > '9')
			return 0;
		value += unit * (uint32_t)(text.at[i] - '0');
	}
	return value <= 1000 ? value : 0;
}

/*
 * Return the quality of a media range in thousandths. 0: flt has no such format, or the client
 * refuses the format. Messages of another protobuf schema or encoding are another format.
 */
static uint32_t read_range(struct span range, enum flt_metrics_format *format)
{
	struct span type = next_part(&range, ';'), name, value;
	uint32_t q = 1000;
	size_t i = 0;

	while (i < sizeof(types) / sizeof(types[0]) && !is_text(type, types[i].type))
		i++;
	if (i == sizeof(types) / sizeof(types[0]))
		return 0;
	*format = types[i].format;
	while (range.length) {
		value = next_part(&range, ';');
		name = next_part(&value, '=');
		if (is_text(name, "q"))
			q = quality(value);
		else if (*format == FLT_METRICS_PROTOBUF && is_text(name, "proto") &&
			 !is_text(value, "io.prometheus.client.MetricFamily"))
			return 0;
		else if (*format == FLT_METRICS_PROTOBUF && is_text(name, "encoding") &&
			 !is_text(value, "delimited"))
			return 0;
	}
	return q;
}

enum flt_metrics_format export_accept_format(const char *header)
{
	enum flt_metrics_format best = FLT_METRICS_TEXT, format;
	struct span rest = { header, header ? strlen(header) : 0 };
	uint32_t most = 0, q;

	while (rest.length) {
		q = read_range(next_part(&rest, ','), &format);
		if (q > most) {
			most = q;
			best = format;
		}
	}
	return best;
}
