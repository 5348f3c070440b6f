/* SPDX-License-Identifier: GPL-2.0-only */
/* path_name - the name of a file, as seen from the root directory of the current thread. */
#ifndef FLT_PATH_NAME_H
#define FLT_PATH_NAME_H

#include <linux/init.h>
#include <linux/path.h>

void __init flt_path_name_init(void);

/*
 * Write the name to @buffer, which has PATH_MAX bytes, and return its begin: what d_path()
 * returns. Does not sleep. PREEMPT_RT: not for handlers of kprobes, which run as in an NMI. Errors:
 *
 *   -ENOENT		the thread has no root directory any more, because it exits
 *   -ENAMETOOLONG	the name has PATH_MAX bytes or more
 *   -EAGAIN		PREEMPT_RT: another thread changes names, mounts or this thread's root
 *   -EOPNOTSUPP	PREEMPT_RT: the name cannot be read without sleeping
 */
const char *flt_path_name(const struct path *path, char *buffer);

#endif
