// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/table/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "text/escape.h"

void flt_json_init(struct flt_json *json, FILE *out)
{
	*json = (struct flt_json){ .out = out };
}

/* Escape the string in pieces, so that a small buffer is enough. */
static void put_string(struct flt_json *json, const char *text, size_t length)
{
	char piece[64 * FLT_ESCAPE_JSON_GROWTH + 1];
	uint32_t point;
	size_t step, take;

	putc('"', json->out);
	while (length) {
		for (take = 0; take < length && take < 60; take += step) {
			step = flt_escape_decode(text + take, length - take, &point);
			if (!step)
				step = 1;
		}
		flt_escape_json(piece, sizeof(piece), text, take);
		fputs(piece, json->out);
		text += take;
		length -= take;
	}
	putc('"', json->out);
}

static void begin(struct flt_json *json, const char *key)
{
	if (json->comma)
		putc(',', json->out);
	json->comma = true;
	if (!key)
		return;
	put_string(json, key, strlen(key));
	putc(':', json->out);
}

static void open_nest(struct flt_json *json, const char *key, char bracket)
{
	begin(json, key);
	putc(bracket, json->out);
	json->depth++;
	json->comma = false;
}

static void close_nest(struct flt_json *json, char bracket)
{
	putc(bracket, json->out);
	json->depth--;
	json->comma = true;
}

void flt_json_open_object(struct flt_json *json, const char *key)
{
	open_nest(json, key, '{');
}

void flt_json_close_object(struct flt_json *json)
{
	close_nest(json, '}');
}

void flt_json_open_array(struct flt_json *json, const char *key)
{
	open_nest(json, key, '[');
}

void flt_json_close_array(struct flt_json *json)
{
	close_nest(json, ']');
}

void flt_json_end_line(struct flt_json *json)
{
	putc('\n', json->out);
	json->comma = false;
}

void flt_json_bytes(struct flt_json *json, const char *key, const char *value, size_t length)
{
	begin(json, key);
	put_string(json, value, length);
}

void flt_json_string(struct flt_json *json, const char *key, const char *value)
{
	flt_json_bytes(json, key, value, strlen(value));
}

void flt_json_u64(struct flt_json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void flt_json_i64(struct flt_json *json, const char *key, int64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void flt_json_double(struct flt_json *json, const char *key, double value, int decimals)
{
	if (!isfinite(value)) {
		flt_json_null(json, key);
		return;
	}
	begin(json, key);
	fprintf(json->out, "%.*f", decimals, value);
}

void flt_json_bool(struct flt_json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void flt_json_null(struct flt_json *json, const char *key)
{
	begin(json, key);
	fputs("null", json->out);
}
