/* SPDX-License-Identifier: GPL-2.0-or-later */
/* errno_name.h - names of errors, for programs of the tests. glibc 2.31 has no strerrorname_np(). */
#ifndef FLT_TESTS_ERRNO_NAME_H
#define FLT_TESTS_ERRNO_NAME_H

#include <errno.h>

/* Return the name of an error that the module or netlink reports, or "another error". */
static inline const char *errno_name(int error)
{
	switch (error) {
#define NAME(e) case e: return #e
	NAME(EPERM); NAME(ENOENT); NAME(ESRCH); NAME(EINTR); NAME(E2BIG); NAME(EAGAIN);
	NAME(ENOMEM); NAME(EACCES); NAME(EBUSY); NAME(EEXIST); NAME(ENODEV); NAME(EINVAL);
	NAME(ENFILE); NAME(EMFILE); NAME(ENOSPC); NAME(ERANGE); NAME(ENOSYS); NAME(EBADMSG);
	NAME(EOVERFLOW); NAME(EUSERS); NAME(EMSGSIZE); NAME(EOPNOTSUPP); NAME(EADDRINUSE);
	NAME(ENOBUFS); NAME(ECONNREFUSED); NAME(ENODATA); NAME(EDQUOT);
#undef NAME
	}
	return "another error";
}

#endif
