// SPDX-License-Identifier: GPL-2.0-or-later
#include "descriptor.h"

#include "lib/core/sys.h"

#include <fcntl.h>
#include <sys/resource.h>

/*
 * The recorder's descriptors are just below this number or the limit, out of the way of most
 * programs. A fork copies, and a server walks over, the table up to the highest descriptor.
 */
#define DESCRIPTORS 1024

int rec_descriptor_raise(int fd)
{
	struct rlimit l = { 0 };
	long high;

	if (fd < 0)
		return fd;
	sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &l);
	if (l.rlim_cur > DESCRIPTORS)
		l.rlim_cur = DESCRIPTORS;
	high = l.rlim_cur < 16 ? 3 : (long)l.rlim_cur - 8;
	high = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, high);
	if (high < 0)
		return fd;
	sys1(SYS_close, fd);
	return (int)high;
}
