// SPDX-License-Identifier: GPL-2.0-only
/* since 6.17: the lock of fs_struct is part of its seqlock_t */
#include <linux/fs_struct.h>
#include <linux/seqlock.h>

unsigned int test(struct fs_struct *fs)
{
	return read_seqbegin(&fs->seq);
}
