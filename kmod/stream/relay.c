// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/relay.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "stream/budget.h"
#include "stream/relay.h"

#define SLOT sizeof(struct flt_event_record)

static struct dentry *root;
/* relay_open() needs a dentry for each buffer, but does not use its contents. */
static struct dentry no_file;

void flt_relay_init(struct dentry *dir)
{
	root = dir;
}

static u64 readable_end(const struct rchan_buf *buf)
{
	const struct flt_relay *relay = buf->chan->private_data;

	/* Pairs with flt_relay_publish(). */
	return smp_load_acquire(&per_cpu_ptr(relay->cpus, buf->cpu)->end);
}

/*
 * Return the number of consecutive bytes to read, and their position. There is one reader
 * at a time, which adds the bytes it has taken to bytes_consumed. A sub-buffer that was
 * read to its end is given back to the writer here, but only after the writer has begun the
 * next one, because the sub-buffer may still grow before that.
 */
static size_t unread_bytes(struct rchan_buf *buf, void **from)
{
	const size_t size = buf->chan->subbuf_size;
	u64 end = readable_end(buf), begin;
	size_t at, used;

	for (;;) {
		begin = buf->subbufs_consumed * size;
		at = buf->subbufs_consumed % buf->chan->n_subbufs;
		/* The padding of a full sub-buffer is set before the next one begins. */
		used = end - begin > size ? size - buf->padding[at] : end - begin;
		if (buf->bytes_consumed < used || end - begin <= size)
			break;
		buf->bytes_consumed = 0;
		/* The writer may reuse the sub-buffer after this, so our loads come first. */
		smp_store_release(&buf->subbufs_consumed, buf->subbufs_consumed + 1);
	}
	*from = buf->start + at * size + buf->bytes_consumed;
	return used - buf->bytes_consumed;
}

/* The last user is gone, so nothing refers to the buffers any more. */
static void free_relay(struct kref *users)
{
	struct flt_relay *relay = container_of(users, struct flt_relay, users);

	flt_budget_give(relay->size);
	free_percpu(relay->cpus);
	kfree(relay);
}

/*
 * relay's own file operations do not hold a reference to the module. They also have mmap,
 * so lockdown forbids them.
 *
 * The removal of the file waits for open(), so the buffer and the relay exist there. It does
 * not wait for the other operations (debugfs_create_file_unsafe()), because a read() that
 * waits for a page of its caller would block the removal, and with that all sessions. So
 * an open file holds references.
 */
static int relay_file_open(struct inode *inode, struct file *file)
{
	struct rchan_buf *buf = inode->i_private;
	struct flt_relay *relay = buf->chan->private_data;

	/*
	 * relay shows the file before it has set up the buffer, also of a CPU that is hot-added:
	 * see begin_subbuf().
	 */
	if (smp_load_acquire(&per_cpu_ptr(relay->cpus, buf->cpu)->buf) != buf)
		return -ENOENT;
	/* 0: the session is closing, and the removal of the file waits for this open(). */
	if (!kref_get_unless_zero(&buf->kref))
		return -ENOENT;
	kref_get(&relay->users);
	file->private_data = buf;
	return nonseekable_open(inode, file);
}

static bool is_closed(const struct rchan_buf *buf)
{
	const struct flt_relay *relay = buf->chan->private_data;

	return READ_ONCE(relay->closed);
}

/*
 * Read whole slots. Return 0 if there is no data now. The lock is not that of the inode, which
 * debugfs takes to remove the file.
 */
static ssize_t relay_file_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct rchan_buf *buf = file->private_data;
	const struct flt_relay *relay = buf->chan->private_data;
	struct flt_relay_cpu *cpu = per_cpu_ptr(relay->cpus, buf->cpu);
	ssize_t done = 0;
	void *from;
	size_t n;

	if (count && count < SLOT)
		return -EINVAL;
	count = round_down(count, SLOT);
	if (mutex_lock_interruptible(&cpu->reader))
		return -ERESTARTSYS;
	if (is_closed(buf))
		done = -EIO;
	while (done >= 0 && (n = min_t(size_t, unread_bytes(buf, &from), count - done))) {
		if (copy_to_user(to + done, from, n)) {
			done = done ?: -EFAULT;
			break;
		}
		buf->bytes_consumed += n;
		done += n;
	}
	mutex_unlock(&cpu->reader);
	return done;
}

/* The file is readable when a sub-buffer is full, because relay wakes readers then. */
static __poll_t relay_file_poll(struct file *file, poll_table *wait)
{
	struct rchan_buf *buf = file->private_data;
	size_t consumed;

	poll_wait(file, &buf->read_wait, wait);
	/* Pairs with wake_readers(). */
	if (is_closed(buf))
		return EPOLLHUP;
	consumed = READ_ONCE(buf->subbufs_consumed);
	if (READ_ONCE(buf->subbufs_produced) == consumed ||
	    consumed * buf->chan->subbuf_size + READ_ONCE(buf->bytes_consumed) >=
	    readable_end(buf))
		return 0;
	return EPOLLIN | EPOLLRDNORM;
}

static int relay_file_release(struct inode *inode, struct file *file)
{
	const struct rchan_buf *buf = file->private_data;
	struct flt_relay *relay = buf->chan->private_data;

	relay_file_operations.release(inode, file);
	kref_put(&relay->users, free_relay);
	return 0;
}

static const struct file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = relay_file_open,
	.read = relay_file_read,
	.poll = relay_file_poll,
	.release = relay_file_release,
	.llseek = noop_llseek,
};

static struct dentry *create_file(const char *name, struct dentry *parent, umode_t mode,
				  struct rchan_buf *buf, int *is_global)
{
	struct dentry *file;

	if (!name)
		return &no_file;
	file = debugfs_create_file_unsafe(name, 0400, parent, buf, &file_ops);
	return IS_ERR(file) ? NULL : file;
}

static int remove_file(struct dentry *dentry)
{
	debugfs_remove(dentry);
	return 0;
}

/*
 * The writer calls this for each record that does not fit, until there is room. So a call
 * that finds all sub-buffers full is a lost record. relay also calls this once when it
 * creates the buffer, in process context, for a CPU that does not write yet, without @prev.
 * The buffer of a CPU that is hot-added is charged, too, although it may exceed the limit.
 */
static FLT_RELAY_BEGIN(begin_subbuf)
{
	struct flt_relay *relay = buf->chan->private_data;
	struct flt_relay_cpu *cpu = per_cpu_ptr(relay->cpus, buf->cpu);
	struct flt_subbuf *head = subbuf;

	if (!prev) {
		relay->size += buf->chan->alloc_size;
		flt_budget_take(buf->chan->alloc_size);
	}
	if (relay_buf_full(buf)) {
		cpu->at = NULL;
		cpu->stop = NULL;
		if (cpu->noting)
			cpu->lost_notes++;
		else
			cpu->lost++;
		return 0;
	}
	/* Pairs with relay_file_open(). */
	smp_store_release(&cpu->buf, buf);
	*head = (struct flt_subbuf) {
		.magic = FLT_SUBBUF_MAGIC,
		.cpu = buf->cpu,
		.sequence = cpu->sequence++,
		.time = ktime_get_mono_fast_ns(),
		.written = cpu->written,
		.lost_full = cpu->lost,
		.lost_notes = cpu->lost_notes,
	};
	subbuf_start_reserve(buf, sizeof(*head));
	cpu->at = head + 1;
	cpu->stop = subbuf + buf->chan->subbuf_size;
	/* Publish the head, and relay's padding of the sub-buffer before. */
	smp_store_release(&cpu->end, head->sequence * buf->chan->subbuf_size + sizeof(*head));
	return 1;
}

static FLT_RELAY_CONST struct rchan_callbacks callbacks = {
	.subbuf_start = begin_subbuf,
	.create_buf_file = create_file,
	.remove_buf_file = remove_file,
};

struct flt_relay *flt_relay_open(u32 session, u32 subbuf_size, u32 subbufs, bool files)
{
	u64 size = (u64)subbuf_size * subbufs * num_online_cpus();
	struct flt_relay *relay;
	char name[32];
	int cpu, err = -ENOMEM;

	BUILD_BUG_ON(sizeof(struct flt_event_record) != 64 || sizeof(struct flt_subbuf) != 64);
	if (files && IS_ERR_OR_NULL(root))
		return ERR_PTR(-EOPNOTSUPP);
	if (!flt_budget_fits(size))
		return ERR_PTR(-EDQUOT);
	relay = kzalloc(sizeof(*relay), GFP_KERNEL);
	if (!relay)
		return ERR_PTR(-ENOMEM);
	kref_init(&relay->users);
	relay->cpus = alloc_percpu(struct flt_relay_cpu);
	if (!relay->cpus)
		goto err_cpus;
	for_each_possible_cpu(cpu)
		mutex_init(&per_cpu_ptr(relay->cpus, cpu)->reader);
	if (files) {
		snprintf(name, sizeof(name), "session-%u", session);
		relay->dir = debugfs_create_dir(name, root);
		if (IS_ERR(relay->dir)) {
			err = -EOPNOTSUPP;
			goto err_dir;
		}
	}
	/*
	 * relay creates buffers for the CPUs that are online, and for others in a hotplug
	 * callback. A CPU that comes online between the two would have no buffer.
	 */
	cpus_read_lock();
	relay->chan = relay_open(files ? "cpu" : NULL, relay->dir, subbuf_size, subbufs,
				 &callbacks, relay);
	cpus_read_unlock();
	if (!relay->chan)
		goto err_chan;
	return relay;

err_chan:
	/* A file of a CPU before the failed one may have been opened. */
	WRITE_ONCE(relay->closed, true);
	debugfs_remove(relay->dir);
	kref_put(&relay->users, free_relay);
	return ERR_PTR(err);

err_dir:
	free_percpu(relay->cpus);
err_cpus:
	kfree(relay);
	return ERR_PTR(err);
}

/* Wake those who wait for data that will not come. */
static void wake_readers(const struct flt_relay *relay)
{
	struct rchan_buf *buf;
	int cpu;

	for_each_possible_cpu(cpu) {
		buf = *per_cpu_ptr(relay->chan->buf, cpu);
		if (buf)
			wake_up_interruptible(&buf->read_wait);
	}
}

void flt_relay_close(struct flt_relay *relay)
{
	WRITE_ONCE(relay->closed, true);
	wake_readers(relay);
	relay_close(relay->chan);
	debugfs_remove(relay->dir);
	kref_put(&relay->users, free_relay);
}

/* relay computes the padding of the sub-buffer from its offset, which must be set first. */
void *flt_relay_next_subbuf(struct flt_relay_cpu *cpu, size_t bytes)
{
	struct rchan_buf *buf = cpu->buf;

	if (cpu->at)
		buf->offset = cpu->at - buf->data;
	return relay_switch_subbuf(buf, bytes) ? cpu->at : NULL;
}

void flt_relay_lose_note(struct flt_relay *relay)
{
	flt_relay_here(relay)->lost_notes++;
}

void *flt_relay_note_begin(struct flt_relay *relay, u32 slots)
{
	struct flt_relay_cpu *cpu = flt_relay_here(relay);
	struct flt_event_path *head;

	/* relay drops a record that no sub-buffer can hold without calling begin_subbuf(). */
	if ((slots + 1) * SLOT > relay->chan->subbuf_size) {
		flt_relay_lose_note(relay);
		return NULL;
	}
	cpu->noting = true;
	head = flt_relay_claim(cpu, slots * SLOT);
	cpu->noting = false;
	return head;
}

void flt_relay_note_end(struct flt_relay *relay, u32 slots)
{
	struct flt_relay_cpu *cpu = flt_relay_here(relay);
	struct flt_event_path *head = cpu->at;

	BUILD_BUG_ON(offsetof(struct flt_event_path, more) != 62);
	head->more = slots - 1;
	flt_relay_publish(cpu, slots * SLOT);
}

bool flt_relay_note(struct flt_relay *relay, const void *head, const void *bytes, u32 length)
{
	u32 slots = 1 + DIV_ROUND_UP(length, SLOT);
	void *to = flt_relay_note_begin(relay, slots);

	if (!to)
		return false;
	memcpy(to, head, SLOT);
	memcpy(to + SLOT, bytes, length);
	memset(to + SLOT + length, 0, (slots - 1) * SLOT - length);
	flt_relay_note_end(relay, slots);
	return true;
}

size_t flt_relay_peek(struct flt_relay *relay, int cpu, void **from)
{
	struct rchan_buf *buf = *per_cpu_ptr(relay->chan->buf, cpu);

	/* A CPU that was never online has no buffer. */
	return buf ? unread_bytes(buf, from) : 0;
}

size_t flt_relay_ring(const struct flt_relay *relay)
{
	return relay->chan->subbuf_size * relay->chan->n_subbufs;
}

void flt_relay_take(struct flt_relay *relay, int cpu, size_t bytes)
{
	struct rchan_buf *buf = *per_cpu_ptr(relay->chan->buf, cpu);
	void *from;

	buf->bytes_consumed += bytes;
	/* Give back the sub-buffer if it was read to its end. */
	unread_bytes(buf, &from);
}

void flt_relay_count(const struct flt_relay *relay, u64 *written, u64 *lost, u64 *lost_notes)
{
	int cpu;

	*written = 0;
	*lost = 0;
	*lost_notes = 0;
	for_each_possible_cpu(cpu) {
		const struct flt_relay_cpu *c = per_cpu_ptr(relay->cpus, cpu);

		/* Pairs with flt_relay_end(). */
		*written += smp_load_acquire(&c->written);
		*lost += READ_ONCE(c->lost);
		*lost_notes += READ_ONCE(c->lost_notes);
	}
}
