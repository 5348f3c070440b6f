// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "ledger/ledger.h"
#include "account/task.h"

static u32 all_cells;

void flt_ledger_add(struct flt_ledger *l, u32 cells)
{
	l->cells = cells;
	l->first = all_cells;
	all_cells += cells;
}

u32 flt_ledger_cells(void)
{
	return all_cells;
}

int flt_ledger_open(struct flt_ledger *l)
{
	u64 __percpu *total;

	if (!l->total) {
		total = __alloc_percpu(l->cells * sizeof(*total), sizeof(*total));
		if (!total)
			return -ENOMEM;
		/* Pairs with flt_ledger_read_machine(). */
		smp_store_release(&l->total, total);
	}
	return flt_proc_cells_get();
}

void flt_ledger_close(void)
{
	flt_proc_cells_put();
}

void flt_ledger_free(struct flt_ledger *l)
{
	free_percpu(l->total);
	l->total = NULL;
}

size_t flt_ledger_memory(const struct flt_ledger *l)
{
	return READ_ONCE(l->total) ? num_possible_cpus() * l->cells * sizeof(*l->total) : 0;
}

/* Charge the process with row @p, whose thread is current, or whose lock the caller holds. */
static void charge_row(struct flt_ledger *l, const struct flt_proc *p,
		       const struct flt_charge *charge, u32 count)
{
	/* Pairs with flt_proc_cells_get(): the cells are zeros before they are seen. */
	atomic64_t *cell = smp_load_acquire(&p->cells) ?: flt_proc_nobody.cells;
	u32 i;

	for (i = 0; i < count; i++) {
		atomic64_add(charge[i].n, &cell[l->first + charge[i].cell]);
		this_cpu_add(l->total[charge[i].cell], charge[i].n);
	}
}

void flt_ledger_charge_nobody(struct flt_ledger *l, const struct flt_charge *charge, u32 count)
{
	charge_row(l, &flt_proc_nobody, charge, count);
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
	charge_row(l, p, charge, count);
	flt_proc_unlock(p->tgid);
}

void flt_ledger_charge(struct flt_ledger *l, const struct flt_charge *charge, u32 count)
{
	struct task_struct *task = current;
	struct flt_task *t = flt_task_find(task);

	/* The row cannot be retired while its thread has a slot. */
	if (likely(t))
		charge_row(l, t->proc, charge, count);
	else if (task->flags & PF_KTHREAD)
		flt_ledger_charge_nobody(l, charge, count);
	else
		charge_task(l, task, charge, count);
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

/* Copy the counters of a row that the caller has locked, or of nobody. */
static void copy_cells(const struct flt_ledger *l, const struct flt_proc *p, u64 *out)
{
	const atomic64_t *cell;
	u32 i;

	/* Pairs with flt_proc_cells_get(), which may give nobody its cells at this moment. */
	cell = p ? smp_load_acquire(&p->cells) : NULL;
	for (i = 0; i < l->cells; i++)
		out[i] = cell ? atomic64_read(&cell[l->first + i]) : 0;
}

bool flt_ledger_read(const struct flt_ledger *l, u64 id, u64 *out)
{
	struct flt_proc *p = flt_proc_lock_id(id);

	copy_cells(l, p, out);
	if (p)
		flt_proc_unlock(p->tgid);
	return memchr_inv(out, 0, l->cells * sizeof(*out));
}

void flt_ledger_read_nobody(const struct flt_ledger *l, u64 *out)
{
	copy_cells(l, &flt_proc_nobody, out);
}

void flt_ledger_read_machine(const struct flt_ledger *l, u64 *out)
{
	/* Pairs with flt_ledger_open(). */
	u64 __percpu *total = smp_load_acquire(&l->total);
	int cpu;
	u32 i;

	memset(out, 0, l->cells * sizeof(*out));
	if (!total)
		return;
	for_each_possible_cpu(cpu)
		for (i = 0; i < l->cells; i++)
			out[i] += READ_ONCE(per_cpu_ptr(total, cpu)[i]);
}
