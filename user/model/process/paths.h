/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - paths of files by (device, inode) as in struct flt_fault.
 *
 * Add PATH notes in the order of time, because the kernel reuses inode numbers: from its note on, a
 * number is the new file. The module sends a note for each file that faults, so a long observation
 * gets more paths than fit. Of FLT_PATHS_MAX paths, the least recently used one is evicted.
 */
#ifndef FLT_MODEL_PATHS_H
#define FLT_MODEL_PATHS_H

#include <stdint.h>

#include <linux/flt_event.h>

#define FLT_PATHS_MAX 65536

struct flt_paths;

int flt_paths_new(struct flt_paths **paths);
void flt_paths_free(struct flt_paths *paths);

/* Add a note. bytes has note->length bytes. Return -ENOMEM; then the old path stays. */
int flt_paths_put(struct flt_paths *paths, const struct flt_event_path *note, const void *bytes);

/*
 * Return the path, with " (deleted)" appended if the file was deleted. The bytes are those of the
 * kernel, so escape them before printing. Return NULL if the path is unknown or was evicted. The
 * module remembers fewer files than FLT_PATHS_MAX, so the note of an evicted path comes again.
 * Valid until the next put.
 */
const char *flt_paths_get(struct flt_paths *paths, uint32_t device, uint64_t inode);

#endif
