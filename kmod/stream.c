// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "clock.h"
#include "nlstream.h"
#include "note.h"
#include "proc.h"
#include "relay.h"
#include "stream.h"

struct stream {
	struct flt_filter filter;
	struct flt_relay *relay;
	struct flt_nlstream *sender;	/* NULL: relay has files */
	struct flt_notes *notes;	/* NULL: none wanted */
	struct flt_stacks *stacks;	/* NULL: none wanted */
	u32 __percpu *skipped;		/* since the last record that sampling let pass */
};

DEFINE_STATIC_KEY_FALSE(flt_stream_on);
DEFINE_STATIC_KEY_FALSE(flt_stream_noting);

static struct stream __rcu *streams[FLT_ROW_SESSIONS];
u32 flt_stream_all, flt_stream_own, flt_stream_notes;

/*
 * A fault that began before is one that found no stream: of its mapping it knows
 * nothing but what an earlier fault left there. flt_clock_read().
 */
static u64 since;
static u32 open_streams;	/* under the lock of sessions, as open and close are */

static void begin(void)
{
	static_branch_inc(&flt_stream_on);
	if (open_streams++)
		return;
	/* Handlers run with preemption off: who saw no stream has read his clock by now. */
	synchronize_rcu();
	WRITE_ONCE(since, flt_clock_read());
}

static void end(void)
{
	open_streams--;
	static_branch_dec(&flt_stream_on);
}

int flt_stream_open(u32 bit, u32 session, const struct flt_stream_config *config)
{
	struct stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->filter = config->filter;
	s->skipped = alloc_percpu(u32);
	if (!s->skipped)
		goto err_skipped;
	s->relay = flt_relay_open(session, config->subbuf_size, config->subbufs, !config->port);
	if (IS_ERR(s->relay)) {
		err = PTR_ERR(s->relay);
		goto err_relay;
	}
	if (config->port) {
		s->sender = flt_nlstream_open(s->relay, session, config->port);
		if (IS_ERR(s->sender)) {
			err = PTR_ERR(s->sender);
			goto err_sender;
		}
	}
	s->stacks = flt_stack_open(bit, &config->stack);
	if (IS_ERR(s->stacks)) {
		err = PTR_ERR(s->stacks);
		goto err_stacks;
	}
	if (config->notes) {
		s->notes = flt_note_open(config->areas);
		err = -ENOMEM;
		if (!s->notes)
			goto err_notes;
		static_branch_inc(&flt_stream_noting);
		WRITE_ONCE(flt_stream_notes, flt_stream_notes | BIT(bit));
	}
	begin();
	rcu_assign_pointer(streams[bit], s);
	if (config->everybody)
		WRITE_ONCE(flt_stream_all, flt_stream_all | BIT(bit));
	else
		WRITE_ONCE(flt_stream_own, flt_stream_own | BIT(bit));
	return 0;

err_notes:
	flt_stack_close(s->stacks);
err_stacks:
	flt_nlstream_close(s->sender);
err_sender:
	flt_relay_close(s->relay);
err_relay:
	free_percpu(s->skipped);
err_skipped:
	kfree(s);
	return err;
}

void flt_stream_close(u32 bit)
{
	struct stream *s = rcu_dereference_protected(streams[bit], true);

	if (!s)
		return;
	end();
	if (s->notes)
		static_branch_dec(&flt_stream_noting);
	WRITE_ONCE(flt_stream_notes, flt_stream_notes & ~BIT(bit));
	WRITE_ONCE(flt_stream_all, flt_stream_all & ~BIT(bit));
	WRITE_ONCE(flt_stream_own, flt_stream_own & ~BIT(bit));
	RCU_INIT_POINTER(streams[bit], NULL);
	/* Handlers run with preemption off: when this returns none holds it. */
	synchronize_rcu();
	flt_note_close(s->notes);
	flt_stack_close(s->stacks);
	flt_nlstream_close(s->sender);
	flt_relay_close(s->relay);
	free_percpu(s->skipped);
	kfree(s);
}

void flt_stream_count(u32 bit, u64 *written, u64 *lost, u64 *lost_notes)
{
	const struct stream *s = rcu_dereference_protected(streams[bit], true);

	*written = 0;
	*lost = 0;
	*lost_notes = 0;
	if (s)
		flt_relay_count(s->relay, written, lost, lost_notes);
}

u64 flt_stream_stacks_once(u32 bit)
{
	const struct stream *s = rcu_dereference_protected(streams[bit], true);

	return s ? flt_stack_once(s->stacks) : 0;
}

static bool sampled(const struct stream *s)
{
	if (s->filter.sample == 1)
		return true;
	if (this_cpu_inc_return(*s->skipped) < s->filter.sample)
		return false;
	this_cpu_write(*s->skipped, 0);
	return true;
}

static void write(const struct stream *s, const struct flt_event *e, u8 result, u64 ns)
{
	u64 time = ktime_get_mono_fast_ns() - ns;
	struct pt_regs *regs = flt_record_user();
	struct flt_event_record *record;
	u32 stack = 0;

	if (s->stacks)
		stack = flt_stack_take(s->stacks, s->relay, regs, e->address, time);
	record = flt_relay_begin(s->relay);
	if (!record)
		return;
	flt_record_fill(record, e, result, ns, time, regs);
	record->stack = stack;
	record->weight = s->filter.sample;
	flt_relay_end(s->relay);
}

void flt_stream_record(const struct flt_event *e, u8 result, u64 ns, u32 wanted)
{
	const struct stream *s;
	struct flt_event unknown;

	if (unlikely((s64)(e->start - READ_ONCE(since)) < 0)) {
		unknown = *e;
		unknown.access = 0;
		unknown.inode = 0;
		e = &unknown;
	}
	for (; wanted; wanted &= wanted - 1) {
		s = rcu_dereference_sched(streams[__ffs(wanted)]);
		if (s && flt_filter_passes(&s->filter, e, result, ns) && sampled(s))
			write(s, e, result, ns);
	}
}

/* The first of @wanted that has notes, taken out of it; NULL: there is none left. */
static const struct stream *next_noting(u32 *wanted)
{
	const struct stream *s;

	*wanted &= READ_ONCE(flt_stream_notes);
	while (*wanted) {
		s = rcu_dereference_sched(streams[__ffs(*wanted)]);
		*wanted &= *wanted - 1;
		if (s && s->notes)
			return s;
	}
	return NULL;
}

void flt_stream_note_fault(struct vm_area_struct *vma, u32 wanted)
{
	const struct stream *s;

	while ((s = next_noting(&wanted)))
		flt_note_fault(s->notes, s->relay, vma);
}

void flt_stream_note_made(struct vm_area_struct *vma, u32 wanted)
{
	const struct stream *s;

	while ((s = next_noting(&wanted)))
		flt_note_made(s->notes, s->relay, vma);
}

void flt_stream_note_life(struct flt_event_life *life, struct task_struct *task,
			  struct file *file, u32 wanted)
{
	const struct stream *s;

	BUILD_BUG_ON(sizeof(*life) != sizeof(struct flt_event_record));
	life->type = FLT_EVENT_LIFE;
	life->tgid = task->tgid;
	life->tid = task->pid;
	life->time = ktime_get_mono_fast_ns();
	if (file) {
		const struct inode *inode = file_user_inode(file);

		life->inode = inode->i_ino;
		life->dev = new_encode_dev(inode->i_sb->s_dev);
	}
	while ((s = next_noting(&wanted))) {
		if (file)
			flt_note_path(s->notes, s->relay, file);
		flt_relay_note(s->relay, life, task->comm, TASK_COMM_LEN);
	}
}
