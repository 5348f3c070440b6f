/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysctl.h - change a setting of the kernel for the duration of a run. */
#ifndef FLT_LIMIT_SYSCTL_H
#define FLT_LIMIT_SYSCTL_H

#include "limit/journal.h"
#include "text/errmsg.h"

/*
 * Write value to a file in /proc/sys, unless the file contains it. The journal restores the old
 * value, or leaves that to another run that needs this value. Return 1 if the value was changed,
 * 0 if not, or -errno: -ENOENT if the kernel has no such file.
 */
int flt_sysctl_set(struct flt_journal *journal, const char *path, const char *value,
		   struct flt_errmsg *e);

#endif
