// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ioctl.c - programs that register their memory with a userfaultfd of their own.
 *
 * Memory can be registered with one userfaultfd only. So the memory is taken out of the limit.
 */
#include "image/image.h"
#include "lib/core/uffd.h"
#include "range.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>

REC_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	const struct uffdio_register *r;
	va_list ap;
	long ret;

	va_start(ap, request);
	r = va_arg(ap, const struct uffdio_register *);
	va_end(ap);
	ret = sys3(SYS_ioctl, fd, request, r);
	if (request != UFFDIO_REGISTER || ret != -EBUSY)
		return (int)rec_range_result(ret);
	/* The kernel has read *r. */
	rec_range_eject((const void *)r->range.start, r->range.len);
	return (int)rec_range_result(sys3(SYS_ioctl, fd, request, r));
}
