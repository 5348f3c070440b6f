// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "account/proc.h"

struct proc_chain {
	raw_spinlock_t lock;
	struct hlist_head rows;
};

static struct flt_proc *table;		/* the last row is that of nobody */
static struct proc_chain *chains;
static u32 table_rows, chain_bits;
static u64 started = U64_MAX;		/* CLOCK_BOOTTIME ns; U64_MAX: accounting is off */

/* Protects the variables below, and flt_proc.age. Nests inside the lock of a chain. */
static DEFINE_RAW_SPINLOCK(pool_lock);
static LIST_HEAD(free_rows);
static LIST_HEAD(ended_rows);		/* rows without faults, then oldest first */
static u32 spare_rows;			/* in both lists */
static u64 last_id;
struct flt_proc_walk flt_proc_walk;

int __init flt_proc_init(u32 rows)
{
	u32 i;

	table_rows = rows;
	chain_bits = ilog2(roundup_pow_of_two(rows));
	table = kvcalloc(rows + 1ul, sizeof(*table), GFP_KERNEL);
	chains = kvcalloc(1ul << chain_bits, sizeof(*chains), GFP_KERNEL);
	if (!table || !chains) {
		flt_proc_exit();
		return -ENOMEM;
	}
	for (i = 0; i < 1u << chain_bits; i++)
		raw_spin_lock_init(&chains[i].lock);
	for (i = 0; i < rows; i++)
		list_add_tail(&table[i].age, &free_rows);
	spare_rows = rows;
	table[rows].state = FLT_ROW_LIVE;
	return 0;
}

void flt_proc_exit(void)
{
	kvfree(table);
	kvfree(chains);
}

size_t flt_proc_memory(void)
{
	return (table_rows + 1) * sizeof(*table) + (sizeof(*chains) << chain_bits);
}

static struct proc_chain *chain_of(pid_t tgid)
{
	return &chains[hash_32(tgid, chain_bits)];
}

/* Functions return with a chain locked, so sparse must not check the balance of locks. */
void flt_proc_lock(pid_t tgid)
{
	raw_spinlock_t *lock = &chain_of(tgid)->lock;

	raw_spin_lock(lock);
	__release(lock);
}

void flt_proc_unlock(pid_t tgid)
{
	raw_spinlock_t *lock = &chain_of(tgid)->lock;

	__acquire(lock);
	raw_spin_unlock(lock);
}

/* Caller holds the lock of the chain. */
static struct flt_proc *find_row(const struct task_struct *task)
{
	struct flt_proc *p;

	hlist_for_each_entry(p, &chain_of(task->tgid)->rows, node)
		if (p->tgid == task->tgid && p->start == task->group_leader->start_boottime)
			return p;
	return NULL;
}

struct flt_proc *flt_proc_lock_find(const struct task_struct *task)
{
	struct flt_proc *p;

	flt_proc_lock(task->tgid);
	p = find_row(task);
	if (!p)
		flt_proc_unlock(task->tgid);
	return p;
}

struct flt_proc *flt_proc_lock_newest(pid_t tgid)
{
	struct flt_proc *p, *newest = NULL;

	flt_proc_lock(tgid);
	hlist_for_each_entry(p, &chain_of(tgid)->rows, node)
		if (p->tgid == tgid && (!newest || p->id > newest->id))
			newest = p;
	if (!newest)
		flt_proc_unlock(tgid);
	return newest;
}

static bool is_in(const struct flt_proc *p, u32 sessions)
{
	return !sessions || READ_ONCE(p->sessions) & sessions;
}

struct flt_proc *flt_proc_lock_slot(u32 slot, u32 sessions)
{
	struct flt_proc *p = &table[slot];
	pid_t tgid;

	/* The TGID of a row in use changes only with the lock of the old one held. */
	while (smp_load_acquire(&p->state) != FLT_ROW_FREE && is_in(p, sessions)) {
		tgid = READ_ONCE(p->tgid);
		flt_proc_lock(tgid);
		if (p->state != FLT_ROW_FREE && p->tgid == tgid && is_in(p, sessions))
			return p;
		flt_proc_unlock(tgid);
	}
	return NULL;
}

struct flt_proc *flt_proc_lock_nobody(void)
{
	struct flt_proc *nobody = &table[table_rows];

	flt_proc_lock(nobody->tgid);
	return nobody;
}

/*
 * Free an ended row that the caller has taken off the list. Its counts stay in the totals of
 * the machine and of its sessions. Return false if the row was made LIVE meanwhile.
 */
static bool retire_row(struct flt_proc *p)
{
	pid_t tgid = READ_ONCE(p->tgid);
	bool ended;

	flt_proc_lock(tgid);
	ended = p->tgid == tgid && p->state == FLT_ROW_ENDED && list_empty(&p->age);
	if (ended) {
		if (READ_ONCE(flt_proc_walk.row) == p)
			WRITE_ONCE(flt_proc_walk.row, NULL);
		flt_retired_add(flt_proc_slot(p), &p->ended, p->comm, p->sessions);
		hlist_del(&p->node);
		p->sessions = 0;
		WRITE_ONCE(p->state, FLT_ROW_FREE);
	}
	flt_proc_unlock(tgid);
	return ended;
}

/* Return a free row that is in no list, or NULL. Caller holds no lock. */
static struct flt_proc *take_row(void)
{
	struct flt_proc *p;
	bool is_free;

	do {
		raw_spin_lock(&pool_lock);
		p = list_first_entry_or_null(&free_rows, struct flt_proc, age);
		is_free = p;
		if (!p)
			p = list_first_entry_or_null(&ended_rows, struct flt_proc, age);
		if (p) {
			list_del_init(&p->age);
			WRITE_ONCE(spare_rows, spare_rows - 1);
		}
		raw_spin_unlock(&pool_lock);
	} while (p && !is_free && !retire_row(p));
	return p;
}

static void add_spare(struct flt_proc *p, struct list_head *list, bool first)
{
	raw_spin_lock(&pool_lock);
	if (first)
		list_add(&p->age, list);
	else
		list_add_tail(&p->age, list);
	WRITE_ONCE(spare_rows, spare_rows + 1);
	raw_spin_unlock(&pool_lock);
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

/* Caller holds the lock of the chain. */
static void fill_row(struct flt_proc *p, struct task_struct *leader)
{
	raw_spin_lock(&pool_lock);
	p->id = ++last_id;
	raw_spin_unlock(&pool_lock);
	p->tasks = RB_ROOT;
	p->last_task = 0;
	p->start = leader->start_boottime;
	p->first = ktime_get_mono_fast_ns();
	WRITE_ONCE(p->tgid, leader->tgid);
	flt_pidns_record(&p->ids, leader);
	p->cgroup = 0;
	p->threads = 0;
	p->sessions = 0;
	p->whole = flt_proc_is_whole(leader);
	flt_proc_copy_comm(p->comm, leader);
	memset(&p->ended, 0, sizeof(p->ended));
	hlist_add_head(&p->node, &chain_of(p->tgid)->rows);
	/* Pairs with flt_proc_lock_slot(), which reads the state first. */
	smp_store_release(&p->state, FLT_ROW_LIVE);
}

/*
 * Accounting was stopped and started again. Or a thread of the process faulted for the first
 * time after all threads with slots had exited.
 */
static void revive_row(struct flt_proc *p, const struct task_struct *leader)
{
	raw_spin_lock(&pool_lock);
	if (!list_empty(&p->age)) {
		list_del_init(&p->age);
		WRITE_ONCE(spare_rows, spare_rows - 1);
	}
	raw_spin_unlock(&pool_lock);
	p->state = FLT_ROW_LIVE;
	p->whole = flt_proc_is_whole(leader);
}

/* Return true if a thread of the process has not begun to exit. */
static bool is_alive(const struct task_struct *task)
{
	return atomic_read(&task->signal->live);
}

struct flt_proc *flt_proc_lock_get(struct task_struct *task)
{
	struct flt_proc *p = flt_proc_lock_find(task), *spare = NULL;

	if (!p) {
		spare = take_row();
		flt_proc_lock(task->tgid);
		/* Another thread of the process may have been faster. */
		p = find_row(task);
		if (!p && spare) {
			p = spare;
			spare = NULL;
			fill_row(p, task->group_leader);
		}
		if (!p)
			flt_proc_unlock(task->tgid);
	}
	if (spare)
		add_spare(spare, &free_rows, true);
	if (p && p->state == FLT_ROW_ENDED)
		revive_row(p, task->group_leader);
	/*
	 * The last thread may have exited meanwhile. Its exit hook locks the row after
	 * signal->live has become 0, so either live is 0 here, or the hook will end the row.
	 */
	if (p && !p->threads && !is_alive(task))
		flt_proc_end(p);
	return p;
}

struct flt_proc *flt_proc_lock_charge(struct task_struct *task)
{
	return is_alive(task) ? flt_proc_lock_get(task) : flt_proc_lock_find(task);
}

void flt_proc_end(struct flt_proc *p)
{
	const struct flt_account *a = &p->ended;

	p->state = FLT_ROW_ENDED;
	add_spare(p, &ended_rows, !(a->minor + a->major + a->failed + a->retried));
}

bool flt_proc_has_room(void)
{
	return READ_ONCE(spare_rows);
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
	WRITE_ONCE(started, since);
}

void flt_proc_end_all(void)
{
	struct flt_proc *p;
	u32 i;

	for (i = 0; i < table_rows; i++) {
		p = flt_proc_lock_slot(i, 0);
		if (p) {
			if (p->state == FLT_ROW_LIVE)
				flt_proc_end(p);
			flt_proc_unlock(p->tgid);
		}
		cond_resched();
	}
}

void flt_proc_usage(struct flt_proc_usage *u)
{
	u->rows_max = table_rows;
	u->retired = flt_retired_read(&u->account);
	raw_spin_lock(&pool_lock);
	u->seen = last_id;
	raw_spin_unlock(&pool_lock);
	u->rows = u->seen - u->retired;
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
	return flt_retired_read(NULL);
}

void flt_proc_session_close(u32 bit)
{
	struct flt_proc *p;
	u32 i;

	for (i = 0; i < table_rows; i++) {
		p = flt_proc_lock_slot(i, BIT(bit));
		if (p) {
			p->sessions &= ~BIT(bit);
			flt_proc_unlock(p->tgid);
		}
		cond_resched();
	}
}

int flt_proc_session_add(u32 bit, struct task_struct *task)
{
	struct flt_proc *p = flt_proc_lock_charge(task);

	if (!p)
		return is_alive(task) ? -ENFILE : -ESRCH;
	p->sessions |= BIT(bit);
	flt_proc_unlock(p->tgid);
	return 0;
}

void flt_proc_rename(struct task_struct *task)
{
	struct flt_proc *p = flt_proc_lock_find(task);

	if (!p)
		return;
	flt_proc_copy_comm(p->comm, task->group_leader);
	flt_proc_unlock(p->tgid);
}

u32 flt_proc_sessions(const struct task_struct *task)
{
	struct flt_proc *p = flt_proc_lock_find(task);
	u32 sessions;

	if (!p)
		return 0;
	sessions = p->sessions;
	flt_proc_unlock(p->tgid);
	return sessions;
}
