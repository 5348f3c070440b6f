/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - how far a command is, from what it writes.
 *
 * Either the number of lines, or a number found in them: the first group of an
 * extended regular expression, or all that matches if it has none. The latest counts.
 */
#ifndef FLT_MODEL_PROGRESS_H
#define FLT_MODEL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line longer than that is looked at up to here. */
#define FLT_PROGRESS_LINE 4096

struct flt_progress;

/* metric: "lines" or an expression. -EINVAL, with the reason in why; -ENOMEM. */
int flt_progress_new(struct flt_progress **progress, const char *metric, char *why, size_t size);
void flt_progress_free(struct flt_progress *progress);

void flt_progress_feed(struct flt_progress *progress, const char *bytes, size_t n);
/* False: no number yet. */
bool flt_progress_value(const struct flt_progress *progress, double *value);
uint64_t flt_progress_lines(const struct flt_progress *progress);

#endif
