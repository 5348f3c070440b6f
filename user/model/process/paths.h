/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - what files are called: by (device, inode) as in struct flt_fault.
 *
 * Fed with PATH notes in the order of time, so that a number used anew is the new
 * file from its note on. Every file that anybody faults in is told, so who looks on
 * for days is told of more than it can hold: of FLT_PATHS_MAX the one that was put or
 * got least recently makes room.
 */
#ifndef FLT_MODEL_PATHS_H
#define FLT_MODEL_PATHS_H

#include <stdint.h>

#include <linux/flt_event.h>

#define FLT_PATHS_MAX 65536

struct flt_paths;

int flt_paths_new(struct flt_paths **paths);
void flt_paths_free(struct flt_paths *paths);

/* bytes: note->length of them. -ENOMEM: the one before stays. */
int flt_paths_put(struct flt_paths *paths, const struct flt_event_path *note, const void *bytes);

/*
 * The name, ended with 0, " (deleted)" appended if it is; the bytes are whatever the
 * kernel has: escape them. NULL: nobody said, or it had to make room; it is told again
 * when the module, which keeps less, has forgotten that it was. Good until the next put.
 */
const char *flt_paths_get(struct flt_paths *paths, uint32_t device, uint64_t inode);

#endif
