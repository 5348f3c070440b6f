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

/* Enough for the commands of a build. */
#define NAMES 256

/* A session's retired rows by name. The last entry has the names that do not fit. */
struct session_names {
	u32 count;
	struct flt_proc_name name[NAMES];
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
static u64 last_id, retired_rows;
static struct flt_account retired;
/* A session's processes that have no row (any more). Reset when the session is opened. */
static struct flt_proc_sum session_sums[FLT_ROW_SESSIONS];
static struct session_names *session_names[FLT_ROW_SESSIONS];

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
	size_t bytes = (table_rows + 1) * sizeof(*table) + (sizeof(*chains) << chain_bits);
	u32 bit;

	for (bit = 0; bit < FLT_ROW_SESSIONS; bit++)
		if (READ_ONCE(session_names[bit]))
			bytes += sizeof(struct session_names);
	return bytes;
}

static struct proc_chain *chain_of(pid_t tgid)
{
	return &chains[hash_32(tgid, chain_bits)];
}

void flt_proc_lock(pid_t tgid)
{
	raw_spin_lock(&chain_of(tgid)->lock);
}

void flt_proc_unlock(pid_t tgid)
{
	raw_spin_unlock(&chain_of(tgid)->lock);
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

struct flt_proc *flt_proc_lock_slot(u32 slot)
{
	struct flt_proc *p = &table[slot];

	/* The TGID of a row that is in use changes only with the lock of the old one held. */
	while (READ_ONCE(p->state) != FLT_ROW_FREE) {
		pid_t tgid = READ_ONCE(p->tgid);

		flt_proc_lock(tgid);
		if (p->state != FLT_ROW_FREE && p->tgid == tgid)
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

static void add_name(struct session_names *names, const struct flt_proc *p)
{
	struct flt_proc_name *n = names->name;
	u32 i;

	for (i = 0; i < names->count && i < NAMES - 1; i++, n++)
		if (!strncmp(n->comm, p->comm, sizeof(n->comm)))
			break;
	if (i == names->count) {
		names->count++;
		strscpy(n->comm, i < NAMES - 1 ? p->comm : "(other names)", sizeof(n->comm));
	}
	n->rows++;
	flt_account_merge(&n->account, &p->ended);
}

/* Add the account of a row that retires to the sums. Caller holds the pool lock. */
static void add_retired(const struct flt_proc *p)
{
	u32 bit;

	flt_account_merge(&retired, &p->ended);
	WRITE_ONCE(retired_rows, retired_rows + 1);
	for (bit = 0; bit < FLT_ROW_SESSIONS; bit++) {
		if (p->sessions & BIT(bit)) {
			flt_account_merge(&session_sums[bit].account, &p->ended);
			session_sums[bit].rows++;
			add_name(session_names[bit], p);
		}
	}
	if (p->sessions & flt_proc_walk.sessions && flt_proc_slot(p) >= READ_ONCE(flt_proc_walk.next)) {
		flt_account_merge(&flt_proc_walk.retired.account, &p->ended);
		flt_proc_walk.retired.rows++;
	}
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
		raw_spin_lock(&pool_lock);
		add_retired(p);
		raw_spin_unlock(&pool_lock);
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
static void fill_row(struct flt_proc *p, const struct task_struct *leader)
{
	raw_spin_lock(&pool_lock);
	p->id = ++last_id;
	raw_spin_unlock(&pool_lock);
	p->tasks = RB_ROOT;
	p->last_task = 0;
	p->start = leader->start_boottime;
	p->first = ktime_get_mono_fast_ns();
	WRITE_ONCE(p->tgid, leader->tgid);
	p->threads = 0;
	p->sessions = 0;
	p->whole = flt_proc_is_whole(leader);
	flt_proc_copy_comm(p->comm, leader);
	memset(&p->ended, 0, sizeof(p->ended));
	hlist_add_head(&p->node, &chain_of(p->tgid)->rows);
	/* flt_proc_lock_slot() reads the state first. */
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
	return p;
}

/* PF_EXITING is set before the exit hook locks the row, so checking it first is enough. */
struct flt_proc *flt_proc_lock_charge(struct task_struct *task)
{
	return READ_ONCE(task->flags) & PF_EXITING ? flt_proc_lock_find(task) :
						     flt_proc_lock_get(task);
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
		p = flt_proc_lock_slot(i);
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
	raw_spin_lock(&pool_lock);
	u->rows_max = table_rows;
	u->seen = last_id;
	u->retired = retired_rows;
	u->rows = last_id - retired_rows;
	u->account = retired;
	raw_spin_unlock(&pool_lock);
}

u32 flt_proc_slot(const struct flt_proc *p)
{
	return p - table;
}

u32 flt_proc_rows(void)
{
	return table_rows;
}

bool flt_proc_peek(u32 slot, u32 sessions)
{
	const struct flt_proc *p = &table[slot];

	return READ_ONCE(p->state) != FLT_ROW_FREE &&
	       (!sessions || READ_ONCE(p->sessions) & sessions);
}

u64 flt_proc_generation(void)
{
	return READ_ONCE(retired_rows);
}

int flt_proc_session_open(u32 bit)
{
	session_names[bit] = kvzalloc(sizeof(*session_names[bit]), GFP_KERNEL);
	if (!session_names[bit])
		return -ENOMEM;
	raw_spin_lock(&pool_lock);
	memset(&session_sums[bit], 0, sizeof(session_sums[bit]));
	raw_spin_unlock(&pool_lock);
	return 0;
}

void flt_proc_session_close(u32 bit)
{
	struct session_names *names = session_names[bit];
	struct flt_proc *p;
	u32 i;

	for (i = 0; i < table_rows; i++) {
		p = flt_proc_peek(i, BIT(bit)) ? flt_proc_lock_slot(i) : NULL;
		if (p) {
			p->sessions &= ~BIT(bit);
			flt_proc_unlock(p->tgid);
		}
		cond_resched();
	}
	/* No row has the bit any more, so only readers use the names. */
	raw_spin_lock(&pool_lock);
	session_names[bit] = NULL;
	raw_spin_unlock(&pool_lock);
	kvfree(names);
}

bool flt_proc_session_name(u32 session, u32 i, struct flt_proc_name *name)
{
	const struct session_names *names;
	bool found;

	raw_spin_lock(&pool_lock);
	names = session_names[__ffs(session)];
	found = names && i < names->count;
	if (found)
		*name = names->name[i];
	raw_spin_unlock(&pool_lock);
	return found;
}

int flt_proc_session_add(u32 bit, struct task_struct *task)
{
	const atomic_t *live = &task->signal->live;
	bool alive = atomic_read(live);
	struct flt_proc *p = alive ? flt_proc_lock_get(task) : flt_proc_lock_find(task);

	if (!p)
		return alive ? -ENFILE : -ESRCH;
	/*
	 * The last thread may have exited meanwhile. Its exit hook locks the row after
	 * signal->live has become 0, so either the hook sees a LIVE row, or live is 0 here.
	 */
	if (!atomic_read(live) && !p->threads && p->state == FLT_ROW_LIVE)
		flt_proc_end(p);
	p->sessions |= BIT(bit);
	flt_proc_unlock(p->tgid);
	return 0;
}

void flt_proc_session_untracked(u32 sessions)
{
	u32 bit;

	raw_spin_lock(&pool_lock);
	for (bit = 0; bit < FLT_ROW_SESSIONS; bit++)
		if (sessions & BIT(bit))
			session_sums[bit].untracked++;
	raw_spin_unlock(&pool_lock);
}

void flt_proc_walk_begin(u32 bit)
{
	raw_spin_lock(&pool_lock);
	flt_proc_walk.retired = session_sums[bit];
	flt_proc_walk.next = 0;
	flt_proc_walk.sessions = BIT(bit);
	raw_spin_unlock(&pool_lock);
}

void flt_proc_walk_end(struct flt_proc_sum *sum)
{
	raw_spin_lock(&pool_lock);
	flt_account_merge(&sum->account, &flt_proc_walk.retired.account);
	sum->rows += flt_proc_walk.retired.rows;
	sum->untracked = flt_proc_walk.retired.untracked;
	flt_proc_walk.sessions = 0;
	raw_spin_unlock(&pool_lock);
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
