/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.h - the names of files, by device and inode: the latest, since the number of
 * a file that was removed is used again.
 */
#ifndef FLT_MODEL_FILES_H
#define FLT_MODEL_FILES_H

#include <stdint.h>

struct flt_files;

struct flt_files *flt_files_new(void);
void flt_files_free(struct flt_files *files);
/* name must outlive files. -ENOMEM. */
int flt_files_name(struct flt_files *files, uint32_t device, uint64_t inode, const char *name);
/* NULL: unknown. */
const char *flt_files_find(const struct flt_files *files, uint32_t device, uint64_t inode);

#endif
