// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "account/proc.h"
#include "account/task.h"

/* What a session keeps of rows that are gone. */
struct group {
	struct flt_account retired;
	u32 rows;
	u64 untracked;
};

static struct flt_proc *table;
static struct hlist_head *buckets;
static u32 table_rows, bucket_bits;
static LIST_HEAD(free_rows);
static LIST_HEAD(ended_rows);		/* oldest first */
static u64 last_id, retired_rows;
static u64 watched_since = U64_MAX;	/* CLOCK_BOOTTIME ns */
static struct flt_account retired;
static struct group groups[FLT_ROW_SESSIONS];

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

static void retire(struct flt_proc *p)
{
	u32 bit;

	flt_account_merge(&retired, &p->ended);
	retired_rows++;
	for (bit = 0; bit < FLT_ROW_SESSIONS; bit++) {
		if (p->sessions & BIT(bit)) {
			flt_account_merge(&groups[bit].retired, &p->ended);
			groups[bit].rows++;
		}
	}
	hlist_del(&p->node);
	p->state = FLT_ROW_FREE;
	list_move(&p->age, &free_rows);
}

/* task->comm changes under task_lock, which may not be taken here; its last byte is always 0. */
static void copy_comm(char *comm, const struct task_struct *task)
{
	memcpy(comm, task->comm, TASK_COMM_LEN);
	comm[TASK_COMM_LEN - 1] = 0;
}

static void revive(struct flt_proc *p)
{
	list_del_init(&p->age);
	p->state = FLT_ROW_LIVE;
}

struct flt_proc *flt_proc_of(struct task_struct *task)
{
	const struct task_struct *leader = task->group_leader;
	struct flt_proc *p = flt_proc_find(task->tgid, leader->start_boottime);

	if (p) {
		/* Accounting was off for a while, or a thread outlived our idea of the end. */
		if (p->state == FLT_ROW_ENDED) {
			revive(p);
			p->whole = flt_proc_watched(leader);
		}
		return p;
	}
	if (list_empty(&free_rows)) {
		if (list_empty(&ended_rows))
			return NULL;
		retire(list_first_entry(&ended_rows, struct flt_proc, age));
	}
	p = list_first_entry(&free_rows, struct flt_proc, age);
	revive(p);
	p->id = ++last_id;
	p->start = leader->start_boottime;
	p->first = ktime_get_mono_fast_ns();
	p->tgid = task->tgid;
	p->sessions = 0;
	p->whole = flt_proc_watched(leader);
	copy_comm(p->comm, leader);
	memset(&p->ended, 0, sizeof(p->ended));
	hlist_add_head(&p->node, bucket(p->tgid));
	return p;
}

/*
 * An ended row is charged as it is: its process may be in exit. One past its exit hook
 * gets no new row, since nobody would end that; and PF_EXITING is set before the hook
 * takes our lock.
 */
struct flt_proc *flt_proc_charge(struct task_struct *task)
{
	struct flt_proc *p = flt_proc_find(task->tgid, task->group_leader->start_boottime);

	if (!p && !(READ_ONCE(task->flags) & PF_EXITING))
		p = flt_proc_of(task);
	return p;
}

void flt_proc_end(struct flt_proc *p)
{
	p->state = FLT_ROW_ENDED;
	list_add_tail(&p->age, &ended_rows);
}

bool flt_proc_watched(const struct task_struct *task)
{
	return task->start_boottime >= READ_ONCE(watched_since);
}

bool flt_proc_watching(void)
{
	return READ_ONCE(watched_since) != U64_MAX;
}

void flt_proc_watch(u64 since)
{
	raw_spin_lock(&flt_proc_lock);
	WRITE_ONCE(watched_since, since);
	raw_spin_unlock(&flt_proc_lock);
}

void flt_proc_unwatch(void)
{
	u32 i;

	raw_spin_lock(&flt_proc_lock);
	WRITE_ONCE(watched_since, U64_MAX);
	for (i = 0; i < table_rows; i++)
		if (table[i].state == FLT_ROW_LIVE)
			flt_proc_end(&table[i]);
	raw_spin_unlock(&flt_proc_lock);
}

/* With preemption off, and bounded by the number of thread slots. */
static void sum_row(const struct flt_proc *p, struct flt_account *sum)
{
	const struct flt_task *t;

	flt_account_merge(sum, &p->ended);
	list_for_each_entry(t, &p->tasks, sibling)
		flt_account_merge(sum, &t->account);
}

static void report_row(struct flt_proc *p, struct flt_proc_report *r)
{
	const struct flt_task *t = list_first_entry_or_null(&p->tasks, struct flt_task, sibling);

	/* A thread with a slot has not exited: its leader is there, if perhaps a zombie. */
	if (t)
		copy_comm(p->comm, t->task->group_leader);
	r->id = p->id;
	r->start = p->start;
	r->first = p->first;
	r->tgid = p->tgid;
	r->threads = p->threads;
	r->ended = p->state == FLT_ROW_ENDED;
	r->whole = p->whole;
	memcpy(r->comm, p->comm, sizeof(r->comm));
	memset(&r->account, 0, sizeof(r->account));
	sum_row(p, &r->account);
}

int flt_proc_next(u32 *slot, u32 sessions, struct flt_proc_report *report)
{
	for (; *slot < table_rows; (*slot)++) {
		struct flt_proc *p = &table[*slot];
		bool found;

		if (READ_ONCE(p->state) == FLT_ROW_FREE)
			continue;
		raw_spin_lock(&flt_proc_lock);
		found = p->state != FLT_ROW_FREE && (!sessions || p->sessions & sessions);
		if (found)
			report_row(p, report);
		raw_spin_unlock(&flt_proc_lock);
		if (found)
			return 0;
	}
	return -ENOENT;
}

int flt_proc_read(pid_t tgid, struct flt_proc_report *report)
{
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find_tgid(tgid);
	if (p)
		report_row(p, report);
	raw_spin_unlock(&flt_proc_lock);
	return p ? 0 : -ESRCH;
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
	memset(&groups[bit], 0, sizeof(groups[bit]));
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

void flt_proc_session_read(u32 bit, struct flt_account *sum, u32 *rows, u32 *live,
			   u64 *untracked)
{
	u32 i;

	memset(sum, 0, sizeof(*sum));
	*live = 0;
	raw_spin_lock(&flt_proc_lock);
	flt_account_merge(sum, &groups[bit].retired);
	*rows = groups[bit].rows;
	*untracked = groups[bit].untracked;
	for (i = 0; i < table_rows; i++) {
		const struct flt_proc *p = &table[i];

		if (p->state == FLT_ROW_FREE || !(p->sessions & BIT(bit)))
			continue;
		sum_row(p, sum);
		++*rows;
		*live += p->state == FLT_ROW_LIVE;
	}
	raw_spin_unlock(&flt_proc_lock);
}

int flt_proc_session_add(u32 bit, struct task_struct *task)
{
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_of(task);
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
		p = flt_proc_of(child);
		if (p)
			p->sessions |= sessions;
		for (bit = 0; !p && bit < FLT_ROW_SESSIONS; bit++)
			if (sessions & BIT(bit))
				groups[bit].untracked++;
	}
	raw_spin_unlock(&flt_proc_lock);
}

void flt_proc_rename(struct task_struct *task)
{
	struct flt_proc *p;

	raw_spin_lock(&flt_proc_lock);
	p = flt_proc_find(task->tgid, task->group_leader->start_boottime);
	if (p)
		copy_comm(p->comm, task->group_leader);
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
