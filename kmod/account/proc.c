// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include "account/pool.h"
#include "account/proc.h"
#include "account/proc_index.h"
#include "account/retired.h"

struct flt_proc flt_proc_nobody = { .state = FLT_ROW_LIVE };
static u64 started = U64_MAX;		/* CLOCK_BOOTTIME ns; U64_MAX: accounting is off */

static struct flt_pool pool, cell_pool;
static unsigned int cell_users;		/* changed with a lock of the caller held */

/* Protects the variables below and flt_proc.age. Nests inside the lock of a chain. */
static DEFINE_RAW_SPINLOCK(age_lock);
static LIST_HEAD(ended_rows);		/* rows without faults, then oldest first */
static u32 ended_count, ended_max;
struct flt_proc_walk flt_proc_walk;

int __init flt_proc_init(u32 ended, u32 live, u32 cells)
{
	ended_max = ended;
	if (flt_proc_index_init(ended) ||
	    flt_pool_init(&pool, "flt_proc", sizeof(struct flt_proc), ended + live) ||
	    flt_pool_init(&cell_pool, "flt_cells", cells * sizeof(atomic64_t), INT_MAX)) {
		flt_proc_exit();
		return -ENOMEM;
	}
	return 0;
}

static void free_row(struct flt_proc *p)
{
	if (p->cells)
		flt_pool_free(&cell_pool, p->cells);
	flt_pool_free(&pool, p);
}

static void free_row_rcu(struct rcu_head *rcu)
{
	free_row(container_of(rcu, struct flt_proc, rcu));
}

void flt_proc_exit(void)
{
	rcu_barrier();
	flt_proc_index_exit(free_row);
	if (flt_proc_nobody.cells)
		flt_pool_free(&cell_pool, flt_proc_nobody.cells);
	flt_pool_exit(&pool);
	flt_pool_exit(&cell_pool);
}

size_t flt_proc_memory(void)
{
	return flt_pool_memory(&pool) + flt_pool_memory(&cell_pool) + flt_proc_index_memory();
}

struct flt_proc *flt_proc_lock_nobody(void)
{
	flt_proc_lock(flt_proc_nobody.tgid);
	return &flt_proc_nobody;
}

/*
 * Remove an ended row that the caller has taken off the list. Its counts stay in the totals of
 * the machine and of its sessions. The row may have been made LIVE meanwhile, or another CPU
 * may have removed it. Caller is in an RCU read section, because rows are freed by RCU.
 */
static void retire_row(struct flt_proc *p)
{
	flt_proc_lock(p->tgid);
	if (p->state == FLT_ROW_ENDED && list_empty(&p->age)) {
		if (READ_ONCE(flt_proc_walk.row) == p)
			WRITE_ONCE(flt_proc_walk.row, NULL);
		flt_retired_add(p->id, &p->ended, p->comm, p->sessions);
		p->state = FLT_ROW_FREE;
		flt_proc_index_remove(p);
		call_rcu_hurry(&p->rcu, free_row_rcu);
	}
	flt_proc_unlock(p->tgid);
}

/* Take the first ended row off the list if there are too many, or return NULL. */
static struct flt_proc *pop_surplus(void)
{
	struct flt_proc *p = NULL;

	if (READ_ONCE(ended_count) <= ended_max)
		return NULL;
	raw_spin_lock(&age_lock);
	if (ended_count > ended_max) {
		p = list_first_entry(&ended_rows, struct flt_proc, age);
		list_del_init(&p->age);
		WRITE_ONCE(ended_count, ended_count - 1);
	}
	raw_spin_unlock(&age_lock);
	return p;
}

void flt_proc_retire(void)
{
	struct flt_proc *p;
	int n;

	rcu_read_lock();
	/* Each exit ends a row, but some rows end without an exit. See flt_proc_lock_get(). */
	for (n = 0; n < 2 && (p = pop_surplus()); n++)
		retire_row(p);
	rcu_read_unlock();
}

/* Return a row that is in no list, or NULL. */
static struct flt_proc *take_row(bool fork)
{
	struct flt_proc *p = flt_pool_take(&pool, fork);

	if (p && READ_ONCE(cell_users))
		p->cells = flt_pool_take(&cell_pool, fork);
	return p;
}

static void return_row(struct flt_proc *p)
{
	if (p->cells)
		flt_pool_return(&cell_pool, p->cells);
	flt_pool_return(&pool, p);
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
	INIT_LIST_HEAD(&p->age);
	p->start = leader->start_boottime;
	p->first = ktime_get_mono_fast_ns();
	p->tgid = leader->tgid;
	flt_pidns_record(&p->ids, leader);
	p->state = FLT_ROW_LIVE;
	p->whole = flt_proc_is_whole(leader);
	flt_proc_copy_comm(p->comm, leader);
	flt_proc_index_add(p);
}

/*
 * Accounting was stopped and started again. Or a thread of the process faulted for the first
 * time after all threads with slots had exited.
 */
static void revive_row(struct flt_proc *p, const struct task_struct *leader)
{
	raw_spin_lock(&age_lock);
	if (!list_empty(&p->age)) {
		list_del_init(&p->age);
		WRITE_ONCE(ended_count, ended_count - 1);
	}
	raw_spin_unlock(&age_lock);
	p->state = FLT_ROW_LIVE;
	p->whole = flt_proc_is_whole(leader);
}

/* Return true if a thread of the process has not begun to exit. */
static bool is_alive(const struct task_struct *task)
{
	return atomic_read(&task->signal->live);
}

struct flt_proc *flt_proc_lock_get(struct task_struct *task, bool fork)
{
	struct flt_proc *p = flt_proc_lock_find(task), *spare;

	if (!p) {
		spare = take_row(fork);
		flt_proc_lock(task->tgid);
		/* Another thread of the process may have been faster. */
		p = flt_proc_index_find(task);
		if (!p && spare) {
			p = spare;
			fill_row(p, task->group_leader);
		} else if (spare) {
			return_row(spare);
		}
		if (!p)
			flt_proc_unlock(task->tgid);
	}
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
	return is_alive(task) ? flt_proc_lock_get(task, false) : flt_proc_lock_find(task);
}

void flt_proc_end(struct flt_proc *p)
{
	const struct flt_account *a = &p->ended;

	p->state = FLT_ROW_ENDED;
	raw_spin_lock(&age_lock);
	if (a->minor + a->major + a->failed + a->retried)
		list_add_tail(&p->age, &ended_rows);
	else
		list_add(&p->age, &ended_rows);
	WRITE_ONCE(ended_count, ended_count + 1);
	raw_spin_unlock(&age_lock);
}

bool flt_proc_has_room(void)
{
	return flt_pool_has_room(&pool);
}

int flt_proc_fill(u32 processes)
{
	return flt_pool_fill(&pool, processes + FLT_POOL_RESERVE);
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
	struct flt_proc_cursor c;
	struct flt_proc *p;

	flt_proc_cursor_begin(&c, 0);
	for (; (p = flt_proc_lock_next(&c)); c.id++) {
		if (p->state == FLT_ROW_LIVE)
			flt_proc_end(p);
		flt_proc_unlock(p->tgid);
		flt_proc_retire();
	}
	flt_pool_drain(&pool);
	flt_pool_drain(&cell_pool);
}

/* Give all rows cells. */
static int add_cells(void)
{
	struct flt_proc_cursor c;
	struct flt_proc *p;

	flt_proc_cursor_begin(&c, 0);
	for (;; c.id++) {
		/* One for each row in reserve, so that no fault finds a row without cells. */
		if (flt_pool_fill(&cell_pool, atomic_read(&pool.reserved) + FLT_POOL_RESERVE))
			return -ENOMEM;
		if (!flt_proc_nobody.cells)
			flt_proc_nobody.cells = flt_pool_take(&cell_pool, false);
		/* Forks have emptied the reserve meanwhile. */
		if (!flt_proc_nobody.cells)
			return -ENOMEM;
		p = flt_proc_lock_next(&c);
		if (!p)
			return 0;
		if (!p->cells) {
			/* Probes read the cells without the lock. Pairs with charge_row(). */
			smp_store_release(&p->cells, flt_pool_take(&cell_pool, false));
		}
		flt_proc_unlock(p->tgid);
	}
}

int flt_proc_cells_get(void)
{
	int err;

	if (cell_users++)
		return 0;
	/* Wait for probes that take a row without cells. */
	synchronize_rcu();
	err = add_cells();
	if (err)
		cell_users--;
	return err;
}

void flt_proc_cells_put(void)
{
	WRITE_ONCE(cell_users, cell_users - 1);
}

void flt_proc_usage(struct flt_proc_usage *u)
{
	u->ended_max = ended_max;
	u->retired = flt_retired_read(&u->account);
	u->seen = flt_proc_index_last();
	u->rows = u->seen - u->retired;
}

u64 flt_proc_generation(void)
{
	return flt_retired_read(NULL);
}

void flt_proc_session_close(u32 bit)
{
	struct flt_proc_cursor c;
	struct flt_proc *p;

	flt_proc_cursor_begin(&c, BIT(bit));
	while ((p = flt_proc_lock_next(&c))) {
		p->sessions &= ~BIT(bit);
		flt_proc_unlock(p->tgid);
	}
}

int flt_proc_session_add(u32 bit, struct task_struct *task)
{
	struct flt_proc *p;

	/* A fault must not wait for memory, but a session may. */
	flt_proc_fill(0);
	rcu_read_lock();
	/* If another thread called exec(), it freed this leader, and may be gone as well. */
	if (!pid_alive(task)) {
		rcu_read_unlock();
		return -EAGAIN;
	}
	p = flt_proc_lock_charge(task);
	rcu_read_unlock();
	if (!p)
		return !is_alive(task) ? -ESRCH :
		       flt_pool_used(&pool) >= pool.limit ? -ENFILE : -ENOMEM;
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
