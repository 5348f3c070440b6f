/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strings.h - each string once; equal strings have equal addresses. */
#ifndef FLT_MODEL_STRINGS_H
#define FLT_MODEL_STRINGS_H

#include <stddef.h>

struct flt_strings;

/* `bound`: bytes in all; past it flt_strings_add() gives NULL. */
struct flt_strings *flt_strings_new(size_t bound);
void flt_strings_free(struct flt_strings *s);
/* NULL: no memory, or past the bound. Lives as long as s. */
const char *flt_strings_add(struct flt_strings *s, const char *text);

#endif
