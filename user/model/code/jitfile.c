// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/code/jitfile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *flt_jit_file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;
	FILE *file;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (st.st_uid && st.st_uid != geteuid()) ||
	    !(file = fdopen(fd, "r"))) {
		close(fd);
		return NULL;
	}
	return file;
}
