/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - write the files of the kernel that hold a limit or a setting. */
#ifndef FLT_LIMIT_FILE_H
#define FLT_LIMIT_FILE_H

#include <limits.h>

/* Write text to an existing file, in one write(). Return 0 or -errno. */
int limit_file_write(const char *path, const char *text);
/* The same for the file DIRECTORY/NAME. */
int limit_file_write_in(const char *directory, const char *name, const char *text);

#endif
