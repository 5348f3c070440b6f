// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/relay.h>
#include <linux/slab.h>
#include "relay.h"

struct cpu_counts {
	u64 sequence, written, lost;
};

struct flt_relay {
	struct rchan *chan;
	struct dentry *dir;
	struct cpu_counts __percpu *counts;
};

static struct dentry *root;

void flt_relay_init(struct dentry *dir)
{
	root = dir;
}

/*
 * relay's own operations do not pin the module, and because they can mmap they are
 * refused under lockdown: these are its open, read, poll and release, no more.
 */
static int file_open(struct inode *inode, struct file *file)
{
	return relay_file_operations.open(inode, file);
}

static ssize_t file_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	return relay_file_operations.read(file, to, count, pos);
}

static __poll_t file_poll(struct file *file, poll_table *wait)
{
	return relay_file_operations.poll(file, wait);
}

static int file_release(struct inode *inode, struct file *file)
{
	return relay_file_operations.release(inode, file);
}

static const struct file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.read = file_read,
	.poll = file_poll,
	.release = file_release,
	.llseek = noop_llseek,
};

static struct dentry *create_file(const char *name, struct dentry *parent, umode_t mode,
				  struct rchan_buf *buf, int *is_global)
{
	struct dentry *file = debugfs_create_file(name, 0400, parent, buf, &file_ops);

	return IS_ERR(file) ? NULL : file;
}

static int remove_file(struct dentry *dentry)
{
	debugfs_remove(dentry);
	return 0;
}

/*
 * Called by the CPU that writes, for each record that does not fit, until there
 * is room: so each call that finds none is a record lost. Also called once when
 * the buffer is made, in process context, for a CPU that does not write yet.
 */
static int begin_subbuf(struct rchan_buf *buf, void *subbuf, void *prev, size_t padding)
{
	struct flt_relay *relay = buf->chan->private_data;
	struct cpu_counts *counts = per_cpu_ptr(relay->counts, buf->cpu);
	struct flt_subbuf *head = subbuf;

	if (relay_buf_full(buf)) {
		counts->lost++;
		return 0;
	}
	*head = (struct flt_subbuf) {
		.magic = FLT_SUBBUF_MAGIC,
		.cpu = buf->cpu,
		.sequence = counts->sequence++,
		.time = ktime_get_mono_fast_ns(),
		.written = counts->written,
		.lost_full = counts->lost,
	};
	subbuf_start_reserve(buf, sizeof(*head));
	return 1;
}

static const struct rchan_callbacks callbacks = {
	.subbuf_start = begin_subbuf,
	.create_buf_file = create_file,
	.remove_buf_file = remove_file,
};

struct flt_relay *flt_relay_open(u32 session, u32 subbuf_size, u32 subbufs)
{
	struct flt_relay *relay;
	char name[32];
	int err = -ENOMEM;

	BUILD_BUG_ON(sizeof(struct flt_event_record) != 64 || sizeof(struct flt_subbuf) != 64);
	if (IS_ERR_OR_NULL(root))
		return ERR_PTR(-EOPNOTSUPP);
	relay = kzalloc(sizeof(*relay), GFP_KERNEL);
	if (!relay)
		return ERR_PTR(-ENOMEM);
	relay->counts = alloc_percpu(struct cpu_counts);
	if (!relay->counts)
		goto err_counts;
	snprintf(name, sizeof(name), "session-%u", session);
	relay->dir = debugfs_create_dir(name, root);
	if (IS_ERR(relay->dir)) {
		err = -EOPNOTSUPP;
		goto err_dir;
	}
	relay->chan = relay_open("cpu", relay->dir, subbuf_size, subbufs, &callbacks, relay);
	if (!relay->chan)
		goto err_chan;
	return relay;

err_chan:
	debugfs_remove(relay->dir);
err_dir:
	free_percpu(relay->counts);
err_counts:
	kfree(relay);
	return ERR_PTR(err);
}

void flt_relay_close(struct flt_relay *relay)
{
	relay_close(relay->chan);
	debugfs_remove(relay->dir);
	free_percpu(relay->counts);
	kfree(relay);
}

void flt_relay_write(struct flt_relay *relay, const struct flt_event_record *record)
{
	struct flt_event_record *to = relay_reserve(relay->chan, sizeof(*to));

	if (to) {
		*to = *record;
		this_cpu_inc(relay->counts->written);
	}
}

void flt_relay_count(const struct flt_relay *relay, u64 *written, u64 *lost)
{
	int cpu;

	*written = 0;
	*lost = 0;
	for_each_possible_cpu(cpu) {
		const struct cpu_counts *c = per_cpu_ptr(relay->counts, cpu);

		*written += READ_ONCE(c->written);
		*lost += READ_ONCE(c->lost);
	}
}
