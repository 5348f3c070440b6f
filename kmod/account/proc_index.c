// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hashtable.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "account/proc_index.h"

struct proc_chain {
	raw_spinlock_t lock;
	struct hlist_head rows;
};

static struct proc_chain *chains;
static u32 chain_bits;

/* Protects the variables below and flt_proc.by_id. Nests inside the lock of a chain. */
static DEFINE_RAW_SPINLOCK(tree_lock);
static struct rb_root rows;		/* all rows but nobody, by ID */
static u64 last_id;

int __init flt_proc_index_init(u32 ended)
{
	/* By default the kernel allows a thread per 32 pages. Allow four live rows per chain. */
	u32 likely_live = clamp(totalram_pages() / 128, 1024ul, 1ul << 20);
	u32 i;

	chain_bits = ilog2(roundup_pow_of_two(max(ended, likely_live)));
	chains = kvcalloc(1ul << chain_bits, sizeof(*chains), GFP_KERNEL);
	if (!chains)
		return -ENOMEM;
	for (i = 0; i < 1u << chain_bits; i++)
		raw_spin_lock_init(&chains[i].lock);
	return 0;
}

void flt_proc_index_exit(void (*free)(struct flt_proc *proc))
{
	struct flt_proc *p, *next;

	rbtree_postorder_for_each_entry_safe(p, next, &rows, by_id)
		free(p);
	kvfree(chains);
}

size_t flt_proc_index_memory(void)
{
	return sizeof(*chains) << chain_bits;
}

static struct proc_chain *chain_of(pid_t tgid)
{
	return &chains[hash_32(tgid, chain_bits)];
}

static bool is_older(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct flt_proc, by_id)->id < rb_entry(b, struct flt_proc, by_id)->id;
}

void flt_proc_index_add(struct flt_proc *p)
{
	hlist_add_head(&p->node, &chain_of(p->tgid)->rows);
	raw_spin_lock(&tree_lock);
	p->id = ++last_id;
	rb_add(&p->by_id, &rows, is_older);
	raw_spin_unlock(&tree_lock);
}

void flt_proc_index_remove(struct flt_proc *p)
{
	hlist_del(&p->node);
	raw_spin_lock(&tree_lock);
	rb_erase(&p->by_id, &rows);
	raw_spin_unlock(&tree_lock);
}

u64 flt_proc_index_last(void)
{
	u64 id;

	raw_spin_lock(&tree_lock);
	id = last_id;
	raw_spin_unlock(&tree_lock);
	return id;
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

struct flt_proc *flt_proc_index_find(const struct task_struct *task)
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
	p = flt_proc_index_find(task);
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

/* Return the first row with an ID from @id on, or NULL. Caller holds tree_lock. */
static struct flt_proc *first_from(u64 id)
{
	struct rb_node *node = rows.rb_node, *found = NULL;

	while (node) {
		if (rb_entry(node, struct flt_proc, by_id)->id >= id) {
			found = node;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return rb_entry_safe(found, struct flt_proc, by_id);
}

void flt_proc_cursor_begin(struct flt_proc_cursor *c, u32 sessions)
{
	c->id = 1;
	c->sessions = sessions;
	c->last = flt_proc_index_last();
}

/* Rows per time that tree_lock is held. */
#define TREE_BATCH 64

/*
 * Move the cursor to the next row that may be in its sessions, and set *@tgid to that of the
 * row, or to 0 if none was among TREE_BATCH rows. Return false after the last row.
 */
static bool seek(struct flt_proc_cursor *c, pid_t *tgid)
{
	struct flt_proc *p;
	int n;

	*tgid = 0;
	raw_spin_lock(&tree_lock);
	p = first_from(c->id);
	for (n = 0; p && !is_in(p, c->sessions) && n < TREE_BATCH; n++)
		p = rb_entry_safe(rb_next(&p->by_id), struct flt_proc, by_id);
	if (p) {
		c->id = p->id;
		if (n < TREE_BATCH)
			*tgid = p->tgid;
	}
	raw_spin_unlock(&tree_lock);
	return p && c->id <= c->last;
}

struct flt_proc *flt_proc_lock_next(struct flt_proc_cursor *c)
{
	struct flt_proc *p;
	pid_t tgid;

	for (; seek(c, &tgid); cond_resched()) {
		if (!tgid)
			continue;
		flt_proc_lock(tgid);
		/* The row may have been retired meanwhile. */
		hlist_for_each_entry(p, &chain_of(tgid)->rows, node)
			if (p->id == c->id && is_in(p, c->sessions))
				return p;
		flt_proc_unlock(tgid);
		c->id++;
	}
	return NULL;
}

struct flt_proc *flt_proc_lock_id(u64 id)
{
	struct flt_proc_cursor c = { .id = id, .last = id };

	return flt_proc_lock_next(&c);
}
