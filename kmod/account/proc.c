// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "account/proc.h"

/* A session's processes that have no row (any more). Reset when the session is opened. */
struct session_sum {
	struct flt_account retired;
	u32 rows;		/* retired rows in @retired */
	u64 untracked;		/* forked children that found the table full */
};

static struct flt_proc *table;
static struct hlist_head *buckets;
static u32 table_rows, bucket_bits;
static LIST_HEAD(free_rows);
static LIST_HEAD(ended_rows);		/* oldest first */
static u64 last_id, retired_rows;
static u64 started = U64_MAX;		/* CLOCK_BOOTTIME ns; U64_MAX: accounting is off */
static struct flt_account retired;
static struct session_sum session_sums[FLT_ROW_SESSIONS];

DEFINE_RAW_SPINLOCK(flt_proc_lock);

int __init flt_proc_init(u32 rows)
{
	u32 i;

	table_rows = rows;
	bucket_bits = ilog2(roundup_pow_of_two(rows));
	table = kvcalloc(rows, sizeof(*table), GFP_KERNEL);
	buckets = kvcalloc(1ul << bucket_bits, sizeof(*buckets), GFP_KERNEL);
	if (!table || !buckets) {
		flt_proc_exit();
		return -ENOMEM;
	}
	for (i = 0; i < rows; i++) {
		INIT_LIST_HEAD(&table[i].tasks);
		list_add_tail(&table[i].age, &free_rows);
	}
	return 0;
}

void flt_proc_exit(void)
{
	kvfree(table);
	kvfree(buckets);
}

size_t flt_proc_memory(void)
{
	return table_rows * sizeof(*table) + (sizeof(*buckets) << bucket_bits);
}

static struct hlist_head *bucket(pid_t tgid)
{
	return &buckets[hash_32(tgid, bucket_bits)];
}

struct flt_proc *flt_proc_find(pid_t tgid, u64 start)
{
	struct flt_proc *p;

	hlist_for_each_entry(p, bucket(tgid), node)
		if (p->tgid == tgid && p->start == start)
			return p;
	return NULL;
}

struct flt_proc *flt_proc_find_tgid(pid_t tgid)
{
	struct flt_proc *p, *youngest = NULL;

	hlist_for_each_entry(p, bucket(tgid), node)
		if (p->tgid == tgid && (!youngest || p->id > youngest->id))
			youngest = p;
	return youngest;
}

/* Free an ended row. Its counts stay in the totals of the machine and of its sessions. */
static void retire_row(struct flt_proc *p)
{
	u32 bit;

	flt_account_merge(&retired, &p->ended);
	retired_rows++;
	for (bit = 0; bit < FLT_ROW_SESSIONS; bit++) {
		if (p->sessions & BIT(bit)) {
			flt_account_merge(&session_sums[bit].retired, &p->ended);
			session_sums[bit].rows++;
		}
	}
	hlist_del(&p->node);
	p->state = FLT_ROW_FREE;
	list_move(&p->age, &free_rows);
}

/*
 * task_lock() serializes changes of task->comm but cannot be taken in a probe. So the copy
 * may mix two names. The last byte of task->comm is always 0.
 */
void flt_proc_copy_comm(char *comm, const struct task_struct *task)
{
	memcpy(comm, task->comm, TASK_COMM_LEN);
	comm[TASK_COMM_LEN - 1] = 0;
}

static void make_live(struct flt_proc *p)
{
	list_del_init(&p->age);
	p->state = FLT_ROW_LIVE;
}

struct flt_proc *flt_proc_get(struct task_struct *task)
{
	const struct task_struct *leader = task->group_leader;
	struct flt_proc *p = flt_proc_find(task->tgid, leader->start_boottime);

	if (p) {
		/*
		 * Accounting was stopped and started again. Or a thread of the process
		 * faulted for the first time after all threads with slots had exited.
		 */
		if (p->state == FLT_ROW_ENDED) {
			make_live(p);
			p->whole = flt_proc_is_whole(leader);
		}
		return p;
	}
	if (list_empty(&free_rows)) {
		if (list_empty(&ended_rows))
			return NULL;
		retire_row(list_first_entry(&ended_rows, struct flt_proc, age));
	}
	p = list_first_entry(&free_rows, struct flt_proc, age);
	make_live(p);
	p->id = ++last_id;
	p->start = leader->start_boottime;
	p->first = ktime_get_mono_fast_ns();
	p->tgid = task->tgid;
	p->sessions = 0;
	p->whole = flt_proc_is_whole(leader);
	flt_proc_copy_comm(p->comm, leader);
	memset(&p->ended, 0, sizeof(p->ended));
	hlist_add_head(&p->node, bucket(p->tgid));
	return p;
}

/*
 * An ended row is charged without making it LIVE, because its process may be exiting. A
 * task that is exiting gets no new row: its exit hook may have run already, and nothing
 * else would end the row. PF_EXITING is set before the exit hook takes flt_proc_lock, so
 * checking the flag under the lock is enough.
 */
struct flt_proc *flt_proc_find_charge(struct task_struct *task)
{
	struct flt_proc *p = flt_proc_find(task->tgid, task->group_leader->start_boottime);

	if (!p && !(READ_ONCE(task->flags) & PF_EXITING))
		p = flt_proc_get(task);
	return p;
}

void flt_proc_end(struct flt_proc *p)
{
	p->state = FLT_ROW_ENDED;
	list_add_tail(&p->age, &ended_rows);
}

bool flt_proc_is_whole(const struct task_struct *task)
{
	return task->start_boottime >= READ_ONCE(started);
}

bool flt_proc_is_started(void)
{
	return READ_ONCE(started) != U64_MAX;
}

void flt_proc_start(u64 since)
{
	raw_spin_lock(&flt_proc_lock);
	WRITE_ONCE(started, since);
	raw_spin_unlock(&flt_proc_lock);
}

void flt_proc_stop(void)
{
	u32 i;

	raw_spin_lock(&flt_proc_lock);
	WRITE_ONCE(started, U64_MAX);
	for (i = 0; i < table_rows; i++)
		if (table[i].state == FLT_ROW_LIVE)
			flt_proc_end(&table[i]);
	raw_spin_unlock(&flt_proc_lock);
}

void flt_proc_usage(struct flt_proc_usage *u)
{
	raw_spin_lock(&flt_proc_lock);
	u->rows_max = table_rows;
	u->seen = last_id;
	u->retired = retired_rows;
	u->rows = last_id - retired_rows;
	u->generation = retired_rows;
	u->account = retired;
	raw_spin_unlock(&flt_proc_lock);
}

u32 flt_proc_slot(const struct flt_proc *p)
{
	return p - table;
}

struct flt_proc *flt_proc_row(u32 slot)
{
	return &table[slot];
}

u32 flt_proc_rows(void)
{
	return table_rows;
}

u64 flt_proc_generation(void)
{
	return READ_ONCE(retired_rows);
}

void flt_proc_session_open(u32 bit)
{
	raw_spin_lock(&flt_proc_lock);
	memset(&session_sums[bit], 0, sizeof(session_sums[bit]));
	raw_spin_unlock(&flt_proc_lock);
}

void flt_proc_session_close(u32 bit)
{
	u32 i;

	raw_spin_lock(&flt_proc_lock);
	for (i = 0; i < table_rows; i++)
		table[i].sessions &= ~BIT(bit);
	raw_spin_unlock(&flt_proc_lock);
}

void flt_proc_session_retired(u32 bit, struct flt_account *sum, u32 *rows, u64 *untracked)
{
	flt_account_merge(sum, &session_sums[bit].retired);
	*rows = session_sums[bit].rows;
	*untracked = session_sums[bit].untracked;
}

int flt_proc_session_add(u32 bit, struct task_struct *task)
{
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_get(task);
	if (p)
		p->sessions |= BIT(bit);
	raw_spin_unlock(&flt_proc_lock);
	return p ? 0 : -ENOSPC;
}

void flt_proc_inherit(struct task_struct *parent, struct task_struct *child, u32 sessions)
{
	struct flt_proc *p;
	u32 bit;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find(parent->tgid, parent->group_leader->start_boottime);
	sessions &= p ? p->sessions : 0;
	if (sessions) {
		p = flt_proc_get(child);
		if (p)
			p->sessions |= sessions;
		for (bit = 0; !p && bit < FLT_ROW_SESSIONS; bit++)
			if (sessions & BIT(bit))
				session_sums[bit].untracked++;
	}
	raw_spin_unlock(&flt_proc_lock);
}

void flt_proc_rename(struct task_struct *task)
{
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find(task->tgid, task->group_leader->start_boottime);
	if (p)
		flt_proc_copy_comm(p->comm, task->group_leader);
	raw_spin_unlock(&flt_proc_lock);
}

u32 flt_proc_sessions(const struct task_struct *task)
{
	struct flt_proc *p;
	u32 sessions = 0;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find(task->tgid, task->group_leader->start_boottime);
	if (p)
		sessions = p->sessions;
	raw_spin_unlock(&flt_proc_lock);
	return sessions;
}
