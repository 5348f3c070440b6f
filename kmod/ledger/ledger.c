// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "ledger/ledger.h"
#include "account/task.h"

int flt_ledger_open(struct flt_ledger *l)
{
	u32 rows = flt_proc_rows();

	if (l->rows)
		return 0;
	/* kvcalloc() warns about larger sizes. */
	if ((rows + 1ul) * l->cells > INT_MAX / sizeof(*l->cell))
		return -ENOMEM;
	/* The line of nobody has the ID 0, which is that of its row, from the beginning. */
	l->id = kvcalloc(rows + 1ul, sizeof(*l->id), GFP_KERNEL);
	l->cell = kvcalloc((rows + 1ul) * l->cells, sizeof(*l->cell), GFP_KERNEL);
	l->total = __alloc_percpu(l->cells * sizeof(*l->total), sizeof(*l->total));
	if (!l->id || !l->cell || !l->total) {
		flt_ledger_free(l);
		return -ENOMEM;
	}
	/* Readers check rows first. Pairs with the acquire in flt_ledger_read(). */
	smp_store_release(&l->rows, rows);
	return 0;
}

void flt_ledger_free(struct flt_ledger *l)
{
	l->rows = 0;
	kvfree(l->id);
	kvfree(l->cell);
	free_percpu(l->total);
	l->id = NULL;
	l->cell = NULL;
	l->total = NULL;
}

size_t flt_ledger_memory(const struct flt_ledger *l)
{
	/* Pairs with flt_ledger_open(). */
	size_t rows = smp_load_acquire(&l->rows);

	if (!rows)
		return 0;
	return (rows + 1) * (sizeof(*l->id) + l->cells * sizeof(*l->cell)) +
	       num_possible_cpus() * l->cells * sizeof(*l->total);
}

static atomic64_t *line_of(const struct flt_ledger *l, u32 row)
{
	return l->cell + (size_t)row * l->cells;
}

static void add_charges(struct flt_ledger *l, u32 row, const struct flt_charge *charge, u32 count)
{
	atomic64_t *cell = line_of(l, row);
	u32 i;

	for (i = 0; i < count; i++) {
		atomic64_add(charge[i].n, &cell[charge[i].cell]);
		this_cpu_add(l->total[charge[i].cell], charge[i].n);
	}
}

/*
 * Clear the line of a row that has a new owner. Caller has locked the row, because two
 * threads of the new owner may come at the same time.
 */
static void claim_line(struct flt_ledger *l, const struct flt_proc *p)
{
	u32 row = flt_proc_slot(p);

	if (l->id[row] == p->id)
		return;
	WRITE_ONCE(l->id[row], 0);
	/* A reader must see neither owner while the line is cleared. See flt_ledger_read(). */
	smp_wmb();
	memset(line_of(l, row), 0, l->cells * sizeof(*l->cell));
	/* The same, for the new owner. */
	smp_store_release(&l->id[row], p->id);
}

void flt_ledger_charge_nobody(struct flt_ledger *l, const struct flt_charge *charge, u32 count)
{
	add_charges(l, l->rows, charge, count);
}

static void charge_task(struct flt_ledger *l, struct task_struct *task,
			const struct flt_charge *charge, u32 count)
{
	struct flt_proc *p;

	p = flt_proc_lock_charge(task);
	if (!p) {
		flt_ledger_charge_nobody(l, charge, count);
		return;
	}
	/* The lock is held until the end, because it keeps the row from being retired. */
	claim_line(l, p);
	add_charges(l, flt_proc_slot(p), charge, count);
	flt_proc_unlock(p->tgid);
}

void flt_ledger_charge(struct flt_ledger *l, const struct flt_charge *charge, u32 count)
{
	struct task_struct *task = current;
	struct flt_task *t = flt_task_find(task);

	if (likely(t)) {
		/* The row cannot be retired while its thread has a slot. */
		const struct flt_proc *p = t->proc;

		if (unlikely(READ_ONCE(l->id[flt_proc_slot(p)]) != p->id)) {
			flt_proc_lock(p->tgid);
			claim_line(l, p);
			flt_proc_unlock(p->tgid);
		}
		add_charges(l, flt_proc_slot(p), charge, count);
	} else if (task->flags & PF_KTHREAD) {
		flt_ledger_charge_nobody(l, charge, count);
	} else {
		charge_task(l, task, charge, count);
	}
}

void flt_ledger_charge_mm(struct flt_ledger *l, const struct mm_struct *mm,
			  const struct flt_charge *charge, u32 count)
{
	struct task_struct *owner = NULL;

	if (mm == current->mm) {
		flt_ledger_charge(l, charge, count);
		return;
	}
#ifdef CONFIG_MEMCG
	/* task_structs are freed by RCU, and preemption is off. */
	owner = rcu_dereference_sched(mm->owner);
#endif
	if (owner)
		charge_task(l, owner, charge, count);
	else
		flt_ledger_charge_nobody(l, charge, count);
}

static void copy_line(const struct flt_ledger *l, u32 row, u64 *out)
{
	const atomic64_t *cell = line_of(l, row);
	u32 i;

	for (i = 0; i < l->cells; i++)
		out[i] = atomic64_read(&cell[i]);
}

bool flt_ledger_read(const struct flt_ledger *l, u32 slot, u64 id, u64 *out)
{
	bool same = false;

	/*
	 * First acquire: the table is allocated if rows is set. Second acquire: the line holds
	 * the counts of its owner if the ID matches.
	 */
	if (smp_load_acquire(&l->rows) && smp_load_acquire(&l->id[slot]) == id) {
		copy_line(l, slot, out);
		/* If claim_line() has cleared what was copied, the ID is another one now. */
		smp_rmb();
		same = READ_ONCE(l->id[slot]) == id;
	}
	if (!same)
		memset(out, 0, l->cells * sizeof(*out));
	return same && memchr_inv(out, 0, l->cells * sizeof(*out));
}

void flt_ledger_read_nobody(const struct flt_ledger *l, u64 *out)
{
	/* Pairs with flt_ledger_open(). */
	u32 rows = smp_load_acquire(&l->rows);

	if (rows)
		copy_line(l, rows, out);
	else
		memset(out, 0, l->cells * sizeof(*out));
}

void flt_ledger_read_machine(const struct flt_ledger *l, u64 *out)
{
	int cpu;
	u32 i;

	memset(out, 0, l->cells * sizeof(*out));
	/* Pairs with flt_ledger_open(). */
	if (!smp_load_acquire(&l->rows))
		return;
	for_each_possible_cpu(cpu)
		for (i = 0; i < l->cells; i++)
			out[i] += READ_ONCE(per_cpu_ptr(l->total, cpu)[i]);
}
