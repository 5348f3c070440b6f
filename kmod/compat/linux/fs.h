/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FLT_COMPAT_LINUX_FS_H
#define FLT_COMPAT_LINUX_FS_H

#include_next <linux/fs.h>
#include <flt_compat.h>

/*
 * Before 6.8 f_path of a mapped file was the path that the user opened, also on overlayfs
 * ("fs: store real path instead of fake path in backing file f_path").
 */
#if !FLT_HAVE_FILE_USER_PATH
static inline const struct inode *file_user_inode(const struct file *f)
{
	return file_inode(f);
}

static inline const struct path *file_user_path(const struct file *f)
{
	return &f->f_path;
}
#endif

#endif
