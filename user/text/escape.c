// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t flt_escape_decode(const char *text, size_t length, uint32_t *point)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t want, i;
	uint32_t value;

	if (!length)
		return 0;
	if (s[0] < 0x80) {
		*point = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] < 0xe0)
		want = 2;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		want = 3;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		want = 4;
	else
		return 0;
	if (want > length)
		return 0;
	value = s[0] & (0x7fu >> want);
	for (i = 1; i < want; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value < least[want] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	*point = value;
	return want;
}

size_t flt_escape_columns(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

static bool is_unsafe(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
	       (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
	       point == 0xfffe || point == 0xffff;	/* no characters of XML 1.0 */
}

/* The output buffer. A full buffer stops writing but continues to count. */
struct sink {
	char *out;
	size_t size;
	size_t used;	/* bytes of the whole result so far */
	size_t written;
	bool full;
};

static void put(struct sink *sink, const char *text, size_t length)
{
	sink->used += length;
	if (sink->full || sink->written + length + 1 > sink->size) {
		sink->full = true;
		return;
	}
	memcpy(sink->out + sink->written, text, length);
	sink->written += length;
}

static size_t finish(struct sink *sink)
{
	if (sink->size)
		sink->out[sink->written] = '\0';
	return sink->used;
}

static void put_text_escape(struct sink *sink, uint32_t point)
{
	char escape[12];
	int n;

	if (point == '\n')
		n = snprintf(escape, sizeof(escape), "\\n");
	else if (point == '\t')
		n = snprintf(escape, sizeof(escape), "\\t");
	else if (point == '\r')
		n = snprintf(escape, sizeof(escape), "\\r");
	else if (point < 0x80)
		n = snprintf(escape, sizeof(escape), "\\x%02x", point);
	else
		n = snprintf(escape, sizeof(escape), "\\u%04x", point);
	put(sink, escape, (size_t)n);
}

size_t flt_escape_text(char *out, size_t size, const char *text, size_t length)
{
	struct sink sink = { .out = out, .size = size };
	uint32_t point;
	char escape[8];
	size_t step;

	while (length) {
		step = flt_escape_decode(text, length, &point);
		if (!step) {
			snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)*text);
			put(&sink, escape, 4);
			step = 1;
		} else if (is_unsafe(point)) {
			put_text_escape(&sink, point);
		} else if (point == '\\') {
			put(&sink, "\\\\", 2);
		} else {
			put(&sink, text, step);
		}
		text += step;
		length -= step;
	}
	return finish(&sink);
}

size_t flt_escape_json(char *out, size_t size, const char *text, size_t length)
{
	struct sink sink = { .out = out, .size = size };
	uint32_t point;
	char escape[12];
	size_t step;

	while (length) {
		step = flt_escape_decode(text, length, &point);
		if (!step) {
			put(&sink, "\\ufffd", 6);
			step = 1;
		} else if (is_unsafe(point)) {
			snprintf(escape, sizeof(escape), "\\u%04x", point);
			put(&sink, escape, 6);
		} else if (point == '\\' || point == '"') {
			escape[0] = '\\';
			escape[1] = (char)point;
			put(&sink, escape, 2);
		} else {
			put(&sink, text, step);
		}
		text += step;
		length -= step;
	}
	return finish(&sink);
}
