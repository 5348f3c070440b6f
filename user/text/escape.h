/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h - escape strings from outside for text, CSV and JSON.
 *
 * Anybody can choose the bytes in names of processes, files and symbols. On a terminal
 * these bytes must not move the cursor or imitate a column. In JSON they must be UTF-8.
 */
#ifndef FLT_TEXT_ESCAPE_H
#define FLT_TEXT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Escape for text and CSV. Control characters (C0, DEL, C1), line and direction marks
 * (U+2028-202E, U+2066-2069) and bytes that are not valid UTF-8 become \n, \t, \r, \xHH or
 * \uHHHH. A backslash is doubled, so the result is unambiguous. Write at most size - 1
 * bytes and a NUL; truncate between characters. Return the bytes of the whole result, like
 * snprintf(). A byte of input becomes at most FLT_ESCAPE_GROWTH bytes.
 */
#define FLT_ESCAPE_GROWTH 4
size_t flt_escape_text(char *out, size_t size, const char *text, size_t length);

/*
 * Escape for a JSON string (RFC 8259). C1 and DEL become \uHHHH. A byte that is not valid
 * UTF-8 becomes U+FFFD, so the original byte is lost.
 */
#define FLT_ESCAPE_JSON_GROWTH 6
size_t flt_escape_json(char *out, size_t size, const char *text, size_t length);

/*
 * Decode the code point at text. Return its length in bytes, or 0 if the bytes are not
 * well-formed UTF-8 (overlong, surrogate, above U+10FFFF, truncated).
 */
size_t flt_escape_decode(const char *text, size_t length, uint32_t *point);

/* Return the number of code points in a well-formed string: its columns, if none is wide. */
size_t flt_escape_columns(const char *text);

#endif
