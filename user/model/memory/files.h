/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h - the latest name of each file, by device and inode.
 *
 * The kernel reuses the inode number of a deleted file, so a later name replaces an earlier one.
 */
#ifndef FLT_MODEL_FILES_H
#define FLT_MODEL_FILES_H

#include <stdint.h>

struct flt_files;

struct flt_files *flt_files_new(void);
void flt_files_free(struct flt_files *files);
/* Set the name of a file. The name must outlive `files`. Return -ENOMEM. */
int flt_files_name(struct flt_files *files, uint32_t device, uint64_t inode, const char *name);
/* Return the name, or NULL if it is unknown. */
const char *flt_files_find(const struct flt_files *files, uint32_t device, uint64_t inode);

#endif
