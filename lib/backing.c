// SPDX-License-Identifier: LGPL-2.1-or-later
/* backing.c - backings for zeros and for files. */
#include "fltuffd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file {
	int fd;
	uint64_t start;
};

static int zero_read(void *context, uint64_t offset, void *data, size_t n)
{
	(void)context;
	(void)offset;
	memset(data, 0, n);
	return 0;
}

int fltuffd_backing_zero(struct fltuffd_backing *b)
{
	*b = (struct fltuffd_backing){ .read = zero_read };
	return 0;
}

static int file_read(void *context, uint64_t offset, void *data, size_t n)
{
	const struct file *f = context;
	size_t done = 0;
	ssize_t got;

	while (done < n) {
		got = pread(f->fd, (char *)data + done, n - done,
			    (off_t)(f->start + offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	memset((char *)data + done, 0, n - done);
	return 0;
}

static int file_write(void *context, uint64_t offset, const void *data, size_t n)
{
	const struct file *f = context;
	ssize_t put;

	while (n) {
		put = pwrite(f->fd, data, n, (off_t)(f->start + offset));
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		data = (const char *)data + put;
		offset += (uint64_t)put;
		n -= (size_t)put;
	}
	return 0;
}

static void file_close(void *context)
{
	struct file *f = context;

	close(f->fd);
	free(f);
}

int fltuffd_backing_file(struct fltuffd_backing *b, int fd, uint64_t start, bool writable)
{
	struct file *f = malloc(sizeof(*f));

	if (!f)
		return -ENOMEM;
	*f = (struct file){ fcntl(fd, F_DUPFD_CLOEXEC, 3), start };
	if (f->fd < 0) {
		free(f);
		return -errno;
	}
	*b = (struct fltuffd_backing){ .read = file_read, .write = writable ? file_write : NULL,
				       .close = file_close, .context = f };
	return 0;
}
