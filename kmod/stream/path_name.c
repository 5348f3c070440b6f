// SPDX-License-Identifier: GPL-2.0-only
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kallsyms.h>
#include <linux/limits.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>
#include "hook/hook.h"
#include "stream/path_name.h"

#ifdef CONFIG_PREEMPT_RT

/*
 * d_path() reads under rename_lock, mount_lock and the sequence of fs_struct. If one of them is
 * being written, a reader waits for the writer. PREEMPT_RT lets the reader sleep on the lock of
 * the writer (__seqprop_spinlock_sequence()), which a probe must not do. While this CPU holds all
 * three locks there is no writer, and trylock never sleeps.
 */
static seqlock_t *mount_lock;

/* A writer holds its lock for some microseconds, unless another thread preempts the writer. */
#define TRIES 100

DEFINE_STATIC_CALL_NULL(lookup_symbol, kallsyms_lookup_name);

/* mount_lock is not exported, and no kprobe can be placed on data. */
void __init flt_path_name_init(void)
{
	void *lookup = flt_hook_function("kallsyms_lookup_name");

	if (!lookup)
		return;
	/* A static call is a direct one, so the kernel function need not begin with ENDBR. */
	static_call_update(lookup_symbol, (typeof(kallsyms_lookup_name) *)lookup);
	mount_lock = (seqlock_t *)static_call(lookup_symbol)("mount_lock");
}

static bool lock_names(struct fs_struct *fs)
{
	if (!spin_trylock(&rename_lock.lock))
		return false;
	if (!spin_trylock(&mount_lock->lock))
		goto err_rename;
	if (!spin_trylock(flt_fs_lock(fs)))
		goto err_mount;
	return true;

err_mount:
	spin_unlock(&mount_lock->lock);
err_rename:
	spin_unlock(&rename_lock.lock);
	return false;
}

static void unlock_names(struct fs_struct *fs)
{
	spin_unlock(flt_fs_lock(fs));
	spin_unlock(&mount_lock->lock);
	spin_unlock(&rename_lock.lock);
}

static const char *read_name(const struct path *path, char *buffer)
{
	struct fs_struct *fs = current->fs;
	const char *name;
	int try;

	/* dmabuffs_dname() takes a lock of the buffer. */
	if (!mount_lock || path->dentry->d_sb->s_magic == DMA_BUF_MAGIC)
		return ERR_PTR(-EOPNOTSUPP);
	for (try = 0; !lock_names(fs); try++) {
		if (try == TRIES)
			return ERR_PTR(-EAGAIN);
		cpu_relax();
	}
	name = d_path(path, buffer, PATH_MAX);
	unlock_names(fs);
	return name;
}

#else

void __init flt_path_name_init(void)
{
}

static const char *read_name(const struct path *path, char *buffer)
{
	return d_path(path, buffer, PATH_MAX);
}

#endif

const char *flt_path_name(const struct path *path, char *buffer)
{
	return current->fs ? read_name(path, buffer) : ERR_PTR(-ENOENT);
}
