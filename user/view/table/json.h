/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - a streaming JSON writer.
 *
 * Commas and escapes are its business, nesting is the caller's. key is NULL
 * inside an array and at the top. Write errors stay in the FILE (ferror).
 */
#ifndef FLT_VIEW_JSON_H
#define FLT_VIEW_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flt_json {
	FILE *out;
	unsigned int depth;
	bool comma;	/* something stands before in this object or array */
};

void flt_json_init(struct flt_json *json, FILE *out);

void flt_json_open_object(struct flt_json *json, const char *key);
void flt_json_close_object(struct flt_json *json);
void flt_json_open_array(struct flt_json *json, const char *key);
void flt_json_close_array(struct flt_json *json);
/* Ends a line after a top-level value: one JSON text per line. */
void flt_json_end_line(struct flt_json *json);

void flt_json_string(struct flt_json *json, const char *key, const char *value);
void flt_json_bytes(struct flt_json *json, const char *key, const char *value, size_t length);
/* Numbers are exact up to 2^64 - 1; a reader with doubles keeps 53 bits. */
void flt_json_u64(struct flt_json *json, const char *key, uint64_t value);
void flt_json_i64(struct flt_json *json, const char *key, int64_t value);
/* null for what is no finite number. */
void flt_json_double(struct flt_json *json, const char *key, double value, int decimals);
void flt_json_bool(struct flt_json *json, const char *key, bool value);
void flt_json_null(struct flt_json *json, const char *key);

#endif
