/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - what files are called: (dev, inode) as in struct flt_event_record.
 *
 * Fed with PATH notes in the order of time, so that a number used anew is the new
 * file from its note on.
 */
#ifndef FLT_MODEL_PATHS_H
#define FLT_MODEL_PATHS_H

#include <stdint.h>

#include <linux/flt_event.h>

struct flt_paths;

int flt_paths_new(struct flt_paths **paths);
void flt_paths_free(struct flt_paths *paths);

/* bytes: note->length of them. -ENOMEM. */
int flt_paths_put(struct flt_paths *paths, const struct flt_event_path *note, const void *bytes);

/*
 * The name, ended with 0, " (deleted)" appended if it is; the bytes are whatever the
 * kernel has: escape them. NULL: nobody said. Good until the next put.
 */
const char *flt_paths_get(const struct flt_paths *paths, uint32_t dev, uint64_t inode);

#endif
