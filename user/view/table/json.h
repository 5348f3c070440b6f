/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - a streaming JSON writer.
 *
 * The writer adds commas and escapes. The caller closes every object and array. key is NULL
 * inside an array and at the top. Check the FILE for write errors (ferror).
 */
#ifndef FLT_VIEW_JSON_H
#define FLT_VIEW_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The version of the schemas in docs/json, which describe the rows. Readers ignore unknown keys, so
 * a new key is not a new version. A key that is removed or changes its meaning is one.
 */
#define FLT_JSON_VERSION 1

struct flt_json {
	FILE *out;
	unsigned int depth;
	bool comma;	/* the next value in this object or array needs a comma before it */
};

void flt_json_init(struct flt_json *json, FILE *out);

void flt_json_open_object(struct flt_json *json, const char *key);
void flt_json_close_object(struct flt_json *json);
void flt_json_open_array(struct flt_json *json, const char *key);
void flt_json_close_array(struct flt_json *json);
/* End the line after a top-level value. The next value begins a new JSON text. */
void flt_json_end_line(struct flt_json *json);

void flt_json_string(struct flt_json *json, const char *key, const char *value);
void flt_json_bytes(struct flt_json *json, const char *key, const char *value, size_t length);
/* Write all digits. Readers that use doubles keep only 53 bits. */
void flt_json_u64(struct flt_json *json, const char *key, uint64_t value);
void flt_json_i64(struct flt_json *json, const char *key, int64_t value);
/* Write null if the value is not finite. */
void flt_json_double(struct flt_json *json, const char *key, double value, int decimals);
void flt_json_bool(struct flt_json *json, const char *key, bool value);
void flt_json_null(struct flt_json *json, const char *key);

#endif
