/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jitfile.h - open what a just-in-time compiler wrote about its code. */
#ifndef FLT_MODEL_JITFILE_H
#define FLT_MODEL_JITFILE_H

#include <stdio.h>

/*
 * Open a regular file of root or of the caller to read it. Return NULL for other files, because
 * every user can create files in /tmp, and if the file cannot be opened.
 */
FILE *flt_jit_file_open(const char *path);

#endif
