/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_FS_STRUCT_H
#define FLT_COMPAT_LINUX_FS_STRUCT_H

#include_next <linux/fs_struct.h>
#include <flt_compat.h>

/* The lock of whoever changes the root or the working directory. */
static inline spinlock_t *flt_fs_lock(struct fs_struct *fs)
{
#if FLT_HAVE_FS_SEQLOCK
	return &fs->seq.lock;
#else
	return &fs->lock;
#endif
}

#endif
