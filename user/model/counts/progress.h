/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - the progress of a command, from its output.
 *
 * The progress is the number of lines, or the last number that an extended regular expression
 * matched: its first group, or the whole match if there is no group.
 */
#ifndef FLT_MODEL_PROGRESS_H
#define FLT_MODEL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer lines are truncated. */
#define FLT_PROGRESS_LINE 4096

struct flt_progress;

/* metric: "lines" or an expression. Return -EINVAL with the reason in `why`, or -ENOMEM. */
int flt_progress_new(struct flt_progress **progress, const char *metric, char *why, size_t size);
void flt_progress_free(struct flt_progress *progress);

void flt_progress_feed(struct flt_progress *progress, const char *bytes, size_t n);
/* Return false if there is no number yet. */
bool flt_progress_value(const struct flt_progress *progress, double *value);

#endif
