/* SPDX-License-Identifier: GPL-2.0-or-later */
/* textfile.h - read a small file of /proc, for code that cannot call stdio. */
#ifndef FLT_REC_TEXTFILE_H
#define FLT_REC_TEXTFILE_H

#include "lib/core/sys.h"

#include <fcntl.h>

/*
 * Read at most size - 1 bytes and add a NUL. Return the number of bytes, or -errno: then the text
 * is empty.
 */
static inline long rec_textfile_read(const char *path, char *text, size_t size)
{
	long fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n = fd;

	if (fd >= 0) {
		n = sys3(SYS_read, fd, text, size - 1);
		sys1(SYS_close, fd);
	}
	text[n > 0 ? n : 0] = 0;
	return n;
}

#endif
