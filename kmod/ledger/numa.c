// SPDX-License-Identifier: GPL-2.0-only
#include <linux/migrate.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/topology.h>
#include <trace/events/migrate.h>
#include <trace/events/sched.h>
#include "hook/clock.h"
#include "hook/hook.h"
#include "ledger/numa.h"

struct flt_ledger flt_numa;

u32 flt_numa_nodes(void)
{
	return min_t(u32, nr_node_ids, FLT_NUMA_NODES);
}

/*
 * The kernel calls mpol_misplaced() once per hint fault, right after it has counted the
 * fault. The call is made by the faulting thread with the page table lock held. So the
 * thread is still on the same CPU, and sees the same node of the CPU and of the page as the
 * kernel did. The first argument is the page or its folio, which have the same address.
 */
static void enter_hint(bool *local, struct pt_regs *regs)
{
	u32 last = flt_numa_nodes() - 1;
	u32 page_node = page_to_nid((struct page *)flt_hook_arg(regs, 0));
	u32 cpu_node = numa_node_id();
	struct flt_charge charge[3] = {
		{ FLT_NUMA_HINTS, 1 },
		{ FLT_NUMA_MATRIX + min(cpu_node, last) * (last + 1) + min(page_node, last), 1 },
		{ FLT_NUMA_LOCAL, 1 },
	};

	flt_hook_hit(FLT_HOOK_ID_NUMA_HINT);
	flt_ledger_charge(&flt_numa, charge, cpu_node == page_node ? 3 : 2);
}
NOKPROBE_SYMBOL(enter_hint);

/* mpol_misplaced() returns the node to move the page to, or NUMA_NO_NODE. */
static void leave_hint(bool *unused, unsigned long value)
{
	struct flt_charge charge = { FLT_NUMA_WANTED, 1 };

	if ((int)value != NUMA_NO_NODE)
		flt_ledger_charge(&flt_numa, &charge, 1);
}
NOKPROBE_SYMBOL(leave_hint);

FLT_HOOK_RETURN(hint, bool, enter_hint, leave_hint);

static void enter_move(u64 *start, struct pt_regs *regs)
{
	flt_hook_hit(FLT_HOOK_ID_NUMA_MOVE);
	*start = flt_clock_read();
}
NOKPROBE_SYMBOL(enter_move);

static void leave_move(u64 *start, unsigned long value)
{
	u64 ns = flt_clock_ns(max_t(s64, flt_clock_read() - *start, 0));
	struct flt_charge charge[4] = {
		{ FLT_NUMA_TRIED, 1 },
		{ FLT_NUMA_MOVE_NS, ns },
		{ FLT_NUMA_OCTAVES + (flt_bucket_of(ns) >> FLT_BUCKET_SHIFT), 1 },
		{ FLT_NUMA_FAILED, 1 },
	};

	flt_ledger_charge(&flt_numa, charge, flt_migrate_misplaced_failed((int)value) ? 4 : 3);
}
NOKPROBE_SYMBOL(leave_move);

FLT_HOOK_RETURN(move, u64, enter_move, leave_move);

static void on_migrate(void *data, unsigned long succeeded, unsigned long failed,
		       unsigned long thp_succeeded, unsigned long thp_failed,
		       FLT_MIGRATE_SPLIT, enum migrate_mode mode, FLT_MIGRATE_REASON reason)
{
	u32 why = min_t(u32, reason, FLT_MOVE_REASONS - 1);
	struct flt_charge charge[2] = {
		{ FLT_NUMA_MOVED + why, succeeded }, { FLT_NUMA_NOT_MOVED + why, failed },
	};

	flt_hook_begin(FLT_HOOK_ID_NUMA_MIGRATE);
	flt_ledger_charge(&flt_numa, charge, 2);
	flt_hook_end();
}

/* The tracepoints below fire in a hint fault of the thread that is to be moved. */
static void charge_task(enum flt_hook_id id, enum flt_numa_count what)
{
	struct flt_charge charge = { what, 1 };

	flt_hook_begin(id);
	flt_ledger_charge(&flt_numa, &charge, 1);
	flt_hook_end();
}

static void on_task_move(void *data, struct task_struct *task, int from, int to)
{
	charge_task(FLT_HOOK_ID_NUMA_TASK_MOVE, FLT_NUMA_TASK_MOVED);
}

static void on_task_stick(void *data, struct task_struct *task, int from,
			  struct task_struct *other, int to)
{
	charge_task(FLT_HOOK_ID_NUMA_TASK_STICK, FLT_NUMA_TASK_STUCK);
}

static void on_task_swap(void *data, struct task_struct *task, int from,
			 struct task_struct *other, int to)
{
	charge_task(FLT_HOOK_ID_NUMA_TASK_SWAP, FLT_NUMA_TASK_SWAPPED);
}

/* Let the compiler check the prototypes of the tracepoint probes. */
static void __maybe_unused check_types(void)
{
	flt_check_migrate(on_migrate);
	flt_check_sched_numa(on_task_move, on_task_stick, on_task_swap);
}

#define NUMA(name) FLT_LEDGER_COUNTER(FLT_NUMA_##name)

static struct flt_hook hint_hook = {
	.name = "numa-hint",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_NUMA_HINT,
	.unknown = NUMA(HINTS) | NUMA(LOCAL) | NUMA(WANTED) |
		   FLT_LEDGER_SECTION(FLT_LEDGER_MATRIX),
	.feature = FLT_FEATURE_NUMA,
	.symbol = { "mpol_misplaced" },
	.enter = hint_enter,
	.leave = hint_leave,
	.data_size = sizeof(bool),
};

/* Where a function of its own moves huge pages, both hooks are unfit: they would miss them. */
static struct flt_hook move_hook = {
	.name = "numa-move",
	.type = FLT_HOOK_TYPE_KRETPROBE,
	.id = FLT_HOOK_ID_NUMA_MOVE,
	.unknown = NUMA(TRIED) | NUMA(FAILED) | NUMA(MOVE_NS) |
		   FLT_LEDGER_SECTION(FLT_LEDGER_OCTAVES),
	.unfit = FLT_MIGRATE_HUGE_APART,
	.symbol = { "migrate_misplaced_folio", "migrate_misplaced_page" },
	.enter = move_enter,
	.leave = move_leave,
	.data_size = sizeof(u64),
};

static struct flt_hook migrate_hook = {
	.name = "numa-migrate",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_NUMA_MIGRATE,
	.unknown = FLT_LEDGER_SECTION(FLT_LEDGER_MOVED) |
		   FLT_LEDGER_SECTION(FLT_LEDGER_NOT_MOVED),
	.unfit = FLT_MIGRATE_HUGE_APART || !FLT_MIGRATE_FITS,
	.symbol = { "mm_migrate_pages" },
	.probe = on_migrate,
};

static struct flt_hook task_move_hook = {
	.name = "numa-task-move",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_NUMA_TASK_MOVE,
	.unknown = NUMA(TASK_MOVED),
	.unfit = !FLT_HAVE_SCHED_NUMA,
	.symbol = { "sched_move_numa" },
	.probe = on_task_move,
};

static struct flt_hook task_stick_hook = {
	.name = "numa-task-stick",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_NUMA_TASK_STICK,
	.unknown = NUMA(TASK_STUCK),
	.unfit = !FLT_HAVE_SCHED_NUMA,
	.symbol = { "sched_stick_numa" },
	.probe = on_task_stick,
};

static struct flt_hook task_swap_hook = {
	.name = "numa-task-swap",
	.type = FLT_HOOK_TYPE_TRACEPOINT,
	.id = FLT_HOOK_ID_NUMA_TASK_SWAP,
	.unknown = NUMA(TASK_SWAPPED),
	.unfit = !FLT_HAVE_SCHED_NUMA,
	.symbol = { "sched_swap_numa" },
	.probe = on_task_swap,
};

static struct flt_hook *const hooks[] = {
	&move_hook, &migrate_hook, &hint_hook,
	&task_move_hook, &task_stick_hook, &task_swap_hook,
};

static unsigned int users;

void __init flt_numa_init(void)
{
	flt_ledger_add(&flt_numa, FLT_NUMA_MATRIX + flt_numa_nodes() * flt_numa_nodes());
	flt_hook_add_all(hooks, ARRAY_SIZE(hooks));
}

void flt_numa_exit(void)
{
	flt_ledger_free(&flt_numa);
}

u64 flt_numa_unknown(void)
{
	return flt_hook_unknown(hooks, ARRAY_SIZE(hooks));
}

size_t flt_numa_memory(void)
{
	return flt_ledger_memory(&flt_numa);
}

int flt_numa_get(void)
{
	int err;

	if (users++)
		return 0;
	err = flt_ledger_open(&flt_numa);
	if (err)
		goto err_open;
	err = flt_hook_get_all(hooks, ARRAY_SIZE(hooks));
	if (err)
		goto err_hooks;
	return 0;

err_hooks:
	flt_ledger_close();
err_open:
	users--;
	return err;
}

void flt_numa_put(void)
{
	if (--users)
		return;
	flt_hook_put_all(hooks, ARRAY_SIZE(hooks));
	flt_ledger_close();
}
