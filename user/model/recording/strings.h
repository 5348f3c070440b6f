/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strings.h - interned strings: equal strings have equal addresses. */
#ifndef FLT_MODEL_STRINGS_H
#define FLT_MODEL_STRINGS_H

#include <stddef.h>

struct flt_strings;

/* bound: limit of the bytes of all strings. Return NULL without memory. */
struct flt_strings *flt_strings_new(size_t bound);
void flt_strings_free(struct flt_strings *s);
/*
 * Return the interned string, which lives as long as s, or NULL past the bound or without
 * memory.
 */
const char *flt_strings_add(struct flt_strings *s, const char *text);

#endif
