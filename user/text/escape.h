/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h - strings from outside, made safe for where they go.
 *
 * Names of processes, files and symbols are bytes that anybody may choose. On a
 * terminal they must not move the cursor or forge a column; in JSON they must be
 * UTF-8.
 */
#ifndef FLT_VIEW_ESCAPE_H
#define FLT_VIEW_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/*
 * For people and CSV. Control characters (C0, DEL, C1), line and direction
 * marks (U+2028-202E, U+2066-2069), and bytes that are no UTF-8 become \n, \t,
 * \r, \xHH or \uHHHH; a backslash is doubled, so that nothing is ambiguous.
 * At most size - 1 bytes are written, cut between characters, and a NUL; returns
 * the bytes the whole takes, as snprintf does. A byte of input grows to at most
 * FLT_ESCAPE_GROWTH.
 */
#define FLT_ESCAPE_GROWTH 4
size_t flt_escape_text(char *out, size_t size, const char *text, size_t length);

/*
 * For the inside of a JSON string: as RFC 8259 wants it, C1 and DEL as \uHHHH,
 * and U+FFFD for every byte that is no UTF-8, in which the original is lost.
 */
#define FLT_ESCAPE_JSON_GROWTH 6
size_t flt_escape_json(char *out, size_t size, const char *text, size_t length);

/*
 * The code point at text and its length in bytes; 0 if the bytes there are no
 * well-formed UTF-8 (overlong, surrogate, past U+10FFFF, cut off).
 */
size_t flt_escape_decode(const char *text, size_t length, uint32_t *point);

/* Code points in a well-formed string: the columns it takes, wide ones apart. */
size_t flt_escape_columns(const char *text);

#endif
