/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_file.h - close a file that was written by stdio. */
#ifndef FLT_TEXT_FILE_H
#define FLT_TEXT_FILE_H

#include <stdio.h>

/* Close the file. Return 0, or the -errno of a failed write (-EIO: of an earlier one). */
int flt_text_file_close(FILE *file);

#endif
