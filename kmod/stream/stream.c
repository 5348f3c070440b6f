// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "account/retired.h"
#include "account/waits.h"
#include "hook/clock.h"
#include "stream/note.h"
#include "stream/relay.h"
#include "stream/stream.h"

struct stream {
	struct flt_filter filter;
	struct flt_relay *relay;
	struct flt_notes *notes;	/* NULL: no notes */
	bool plain;			/* without causes; flt_filter_fault() decides */
	bool areas;			/* .notes->areas, so that a plain fault reads one word */
	struct flt_stacks *stacks;	/* NULL: no stacks */
	flt_stream_split split;		/* NULL: no causes */
	u32 __percpu *skipped;		/* faults since the last one that sampling passed */
};

DEFINE_STATIC_KEY_FALSE(flt_stream_on);
DEFINE_STATIC_KEY_FALSE(flt_stream_noting);

/* By bit. Not NULL while the bit is set in flt_stream_all or flt_stream_own. */
static struct stream __rcu *streams[FLT_ROW_SESSIONS];
u32 flt_stream_all, flt_stream_own, flt_stream_notes;

static __always_inline const struct stream *stream_of(u32 bit)
{
	return rcu_dereference_sched(streams[bit]);
}

/* Return a stream or NULL. The session does not close meanwhile. */
static struct stream *stream_at(u32 bit)
{
	return rcu_dereference_protected(streams[bit], true);
}

int flt_stream_open(u32 bit, u32 session, const struct flt_stream_config *config)
{
	struct stream *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->filter = config->filter;
	s->filter.reader = config->reader;
	flt_filter_prepare(&s->filter);
	s->skipped = alloc_percpu(u32);
	if (!s->skipped)
		goto err_skipped;
	s->relay = flt_relay_open(session, config->subbuf_size, config->subbufs, config->files);
	if (IS_ERR(s->relay)) {
		err = PTR_ERR(s->relay);
		goto err_relay;
	}
	s->relay->reader = config->reader;
	s->stacks = flt_stack_open(bit, &config->stack);
	if (IS_ERR(s->stacks)) {
		err = PTR_ERR(s->stacks);
		goto err_stacks;
	}
	s->split = config->split;
	if (s->split) {
		err = flt_waits_get();
		if (err)
			goto err_waits;
	}
	if (config->notes) {
		s->notes = flt_note_open(config->areas);
		err = -ENOMEM;
		if (!s->notes)
			goto err_notes;
		static_branch_inc(&flt_stream_noting);
		WRITE_ONCE(flt_stream_notes, flt_stream_notes | BIT(bit));
	}
	s->areas = s->notes && s->notes->areas;
	s->plain = !s->split && flt_filter_is_plain(&s->filter);
	rcu_assign_pointer(streams[bit], s);
	static_branch_inc(&flt_stream_on);
	/* A handler that sees the bit must find the stream. */
	smp_wmb();
	if (config->everybody)
		WRITE_ONCE(flt_stream_all, flt_stream_all | BIT(bit));
	else
		WRITE_ONCE(flt_stream_own, flt_stream_own | BIT(bit));
	return 0;

err_notes:
	if (s->split)
		flt_waits_put();
err_waits:
	flt_stack_close(s->stacks);
err_stacks:
	flt_relay_close(s->relay);
err_relay:
	free_percpu(s->skipped);
err_skipped:
	kfree(s);
	return err;
}

void flt_stream_close(u32 bit)
{
	struct stream *s = stream_at(bit);

	if (!s)
		return;
	static_branch_dec(&flt_stream_on);
	if (s->split)
		flt_waits_put();
	if (s->notes)
		static_branch_dec(&flt_stream_noting);
	WRITE_ONCE(flt_stream_notes, flt_stream_notes & ~BIT(bit));
	WRITE_ONCE(flt_stream_all, flt_stream_all & ~BIT(bit));
	WRITE_ONCE(flt_stream_own, flt_stream_own & ~BIT(bit));
	/* Handlers run with preemption off, so after this no handler uses the stream. */
	synchronize_rcu();
	RCU_INIT_POINTER(streams[bit], NULL);
	flt_note_close(s->notes);
	flt_stack_close(s->stacks);
	flt_relay_close(s->relay);
	free_percpu(s->skipped);
	kfree(s);
}

struct flt_relay *flt_stream_pulled(u32 bit)
{
	const struct stream *s = stream_at(bit);

	return s && !s->relay->dir ? s->relay : NULL;
}

void flt_stream_count(u32 bit, u64 *written, u64 *lost, u64 *lost_notes)
{
	const struct stream *s = stream_at(bit);

	*written = 0;
	*lost = 0;
	*lost_notes = 0;
	if (s)
		flt_relay_count(s->relay, written, lost, lost_notes);
}

u64 flt_stream_stacks_once(u32 bit)
{
	const struct stream *s = stream_at(bit);

	return s ? flt_stack_once(s->stacks) : 0;
}

/* Return true for every Nth fault on this CPU. */
static bool passes_sampling(const struct stream *s)
{
	if (s->filter.sample == 1)
		return true;
	if (this_cpu_inc_return(*s->skipped) < s->filter.sample)
		return false;
	this_cpu_write(*s->skipped, 0);
	return true;
}

/* Send what a fault spent its time on. */
static noinline void send_causes(const struct stream *s, const struct flt_event *e, u64 ns,
				 u64 time)
{
	struct flt_event_causes causes = {
		.time = time,
		.tid = flt_pidns_tid(s->relay->reader, current),
		.type = FLT_EVENT_CAUSES,
	};
	u64 part[__FLT_CAUSE_MAX];
	int i;

	BUILD_BUG_ON(sizeof(causes) != sizeof(struct flt_event_record));
	BUILD_BUG_ON(ARRAY_SIZE(causes.part) < __FLT_CAUSE_MAX);
	s->split(e, ns, part);
	if (max(ns, part[FLT_CAUSE_LOCK]) > U32_MAX)
		causes.flags = FLT_EVENT_LONG;
	for (i = 0; i < __FLT_CAUSE_MAX; i++)
		causes.part[i] = min_t(u64, causes.flags ? part[i] >> 10 : part[i], U32_MAX);
	flt_relay_note(s->relay, &causes, &causes, 0);
}

static __always_inline void write_record(const struct stream *s, const struct flt_event *e,
					 u32 result, u64 ns)
{
	struct flt_relay_cpu *cpu = flt_relay_here(s->relay);
	u64 time = flt_clock_date(e->start);
	struct pt_regs *regs = flt_record_user();
	struct flt_event_record *record;
	u32 stack = 0;

	/* The notes get the time of the fault, so a reader in order of time has them first. */
	if (s->notes && e->vma && (e->vma->vm_file || s->areas))
		flt_note_fault(s->notes, s->relay, e->vma, time);
	if (s->stacks)
		stack = flt_stack_take(s->stacks, s->relay, regs, e->address, time);
	if (s->split)
		send_causes(s, e, ns, time);
	record = flt_relay_begin(cpu);
	if (!record)
		return;
	flt_record_fill(record, e, result, ns, time, regs, stack, s->filter.sample, false);
	if (unlikely(s->relay->reader->ns)) {
		record->tgid = flt_pidns_tgid(s->relay->reader, current);
		record->tid = flt_pidns_tid(s->relay->reader, current);
	}
	flt_relay_end(cpu);
}

/* The second step of the filter, see filter.h. */
static bool passes_filter(const struct flt_filter *f, const struct flt_event *e)
{
	return (!f->by_thread || flt_filter_thread(f)) && flt_filter_file(f, e);
}

/* Slow path: any fault to one stream, after flt_filter_fault(). Return 0. */
static noinline int submit_any(const struct stream *s, struct flt_event *e, u32 result, u64 ns)
{
	if (!e->inode && e->vma && e->vma->vm_file)
		flt_record_map(e, e->vma);
	if (passes_filter(&s->filter, e) && passes_sampling(s))
		write_record(s, e, result, ns);
	return 0;
}

void flt_stream_submit(struct flt_event *e, u32 result, u64 ns, unsigned long mask)
{
	const struct stream *s;

	for (; mask; mask &= mask - 1) {
		s = stream_of(__ffs(mask));
		if (flt_filter_fault(&s->filter, e, result, ns))
			submit_any(s, e, result, ns);
	}
}

/* A plain fault to a plain stream with stacks. Return 0. */
static noinline int submit_with_stack(const struct stream *s, const struct flt_event *e,
				      u32 result, u64 ns)
{
	struct flt_relay_cpu *cpu = flt_relay_here(s->relay);
	struct pt_regs *regs = task_pt_regs(current);
	u64 time = flt_clock_date(e->start);
	u32 stack = flt_stack_take(s->stacks, s->relay, regs, e->address, time);
	struct flt_event_record *record = flt_relay_begin(cpu);

	if (!record)
		return 0;
	flt_record_fill(record, e, result, ns, time, regs, stack, 1, true);
	flt_relay_end(cpu);
	return 0;
}

/* Return true for a common fault in user mode on memory without a file. */
static __always_inline bool is_plain(const struct flt_event *e, u64 ns)
{
	return e->flags & FAULT_FLAG_USER && !e->vma->vm_file && ns <= U32_MAX;
}

/*
 * Most faults are plain and go to one stream. Their record is written without a call, so
 * the compiler saves no registers. That halves the cost of a record.
 */
int flt_stream_submit_common(struct flt_event *e, u32 result, u64 ns, unsigned long mask)
{
	const struct stream *s = stream_of(__ffs(mask));
	struct flt_relay_cpu *cpu;
	u64 time;

	if (unlikely(mask & (mask - 1))) {
		flt_stream_submit(e, result, ns, mask);
		return 0;
	}
	if (!flt_filter_fault(&s->filter, e, result, ns))
		return 0;
	if (unlikely(!s->plain || !is_plain(e, ns) ||
		     (s->areas && !flt_note_is_last(s->notes, e->vma))))
		return submit_any(s, e, result, ns);
	if (s->stacks)
		return submit_with_stack(s, e, result, ns);
	cpu = flt_relay_here(s->relay);
	if (unlikely(!flt_relay_has_room(cpu, sizeof(struct flt_event_record)) ||
		     !flt_clock_date_quick(e->start, &time)))
		return submit_any(s, e, result, ns);
	flt_record_fill(cpu->at, e, result, ns, time, task_pt_regs(current), 0, 1, true);
	flt_relay_end(cpu);
	return 0;
}

static noinline void describe_to(const struct stream *s, struct flt_event *e,
				 struct vm_area_struct *vma)
{
	flt_record_map(e, vma);
	if (s->notes && !flt_note_is_sent(s->notes, vma) && flt_filter_file(&s->filter, e) &&
	    flt_pidns_tgid(s->relay->reader, current))
		flt_note_fault(s->notes, s->relay, vma, 0);
}

static noinline void describe_to_many(struct flt_event *e, struct vm_area_struct *vma, u32 kinds,
				      unsigned long mask)
{
	const struct stream *s;

	for (; mask; mask &= mask - 1) {
		s = stream_of(__ffs(mask));
		if (flt_filter_early(&s->filter, e, kinds))
			describe_to(s, e, vma);
	}
}

/* describe_to() is out of line, so that a fault that does not pass saves few registers. */
void flt_stream_describe(struct flt_event *e, struct vm_area_struct *vma, u32 kinds,
			 unsigned long mask)
{
	const struct stream *s = stream_of(__ffs(mask));

	if (unlikely(mask & (mask - 1)))
		describe_to_many(e, vma, kinds, mask);
	else if (flt_filter_early(&s->filter, e, kinds))
		describe_to(s, e, vma);
}

/* Loop over the streams in @mask that have notes. Changes @mask. */
#define for_each_noting(s, mask)							\
	for ((mask) &= READ_ONCE(flt_stream_notes);					\
	     (mask) && ((s) = stream_of(__ffs(mask)));					\
	     (mask) &= (mask) - 1)

void flt_stream_note_exec(struct vm_area_struct *vma, u32 mask)
{
	const struct stream *s;

	for_each_noting(s, mask)
		if (flt_pidns_tgid(s->relay->reader, current))
			flt_note_exec(s->notes, s->relay, vma);
}

void flt_stream_note_move(unsigned long from, unsigned long to, unsigned long length, u32 mask)
{
	struct flt_event_move move = {
		.time = ktime_get_mono_fast_ns(),
		.from = from,
		.to = to,
		.length = length,
		.type = FLT_EVENT_MOVE,
	};
	const struct stream *s;

	BUILD_BUG_ON(sizeof(move) != sizeof(struct flt_event_record));
	for_each_noting(s, mask) {
		move.tgid = flt_pidns_tgid(s->relay->reader, current);
		move.tid = flt_pidns_tid(s->relay->reader, current);
		if (s->areas && move.tgid)
			flt_relay_note(s->relay, &move, &move, 0);
	}
}

void flt_stream_note_life(struct flt_event_life *life, struct task_struct *task,
			  struct file *file, u32 mask)
{
	const struct stream *s;

	BUILD_BUG_ON(sizeof(*life) != sizeof(struct flt_event_record));
	life->type = FLT_EVENT_LIFE;
	life->time = ktime_get_mono_fast_ns();
	if (file) {
		const struct inode *inode = file_user_inode(file);

		life->inode = inode->i_ino;
		life->dev = new_encode_dev(inode->i_sb->s_dev);
	}
	for_each_noting(s, mask) {
		life->tgid = flt_pidns_tgid(s->relay->reader, task);
		if (!life->tgid)
			continue;
		life->tid = flt_pidns_tid(s->relay->reader, task);
		if (life->what == FLT_LIFE_FORK) {
			life->parent_tgid = flt_pidns_tgid(s->relay->reader, current);
			life->parent_tid = flt_pidns_tid(s->relay->reader, current);
		}
		if (file)
			flt_note_path(s->notes, s->relay, file, life->time);
		flt_relay_note(s->relay, life, task->comm, TASK_COMM_LEN);
	}
}
