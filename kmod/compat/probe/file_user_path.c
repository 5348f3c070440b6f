// SPDX-License-Identifier: GPL-2.0-only
/* since 6.8: f_path of a mapped file is not the path that the user opened, on overlayfs */
#include <linux/fs.h>

const struct path *test(const struct file *file)
{
	return file_user_path((struct file *)file);
}
