/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ledger - counters of a process beyond its faults, kept while a session asks for them.
 *
 * A ledger is a table with one line of counters per row of proc.h. It is allocated for the
 * first session and freed when the module is unloaded. One more line ("nobody") takes
 * charges that belong to no process. Every charge is also added to the totals of the
 * machine, which are per CPU. A line stores the ID of its owner (flt_proc.id). When a row
 * was retired, the first charge of the next owner clears the line; the totals keep the
 * counts.
 *
 * Charges are made in probe handlers with preemption off. A thread with a slot charges its
 * own process with atomic additions. Only the first charge of a line, and charges to other
 * processes, take the lock of the row.
 */
#ifndef FLT_LEDGER_H
#define FLT_LEDGER_H

#include <linux/atomic.h>
#include <linux/flt.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include "account/proc.h"

struct flt_ledger {
	u32 cells;		/* counters per line; set before flt_ledger_open() */
	u32 rows;		/* 0: not allocated */
	u64 *id;		/* flt_proc.id of the owner of each line; 0: unused */
	atomic64_t *cell;	/* [rows + 1][cells]; the last line is that of nobody */
	u64 __percpu *total;
};

/* Add n to a counter. */
struct flt_charge {
	u32 cell;
	u64 n;
};

/* Allocate the table if it does not exist. Return 0 or -ENOMEM. May sleep. */
int flt_ledger_open(struct flt_ledger *ledger);
void flt_ledger_free(struct flt_ledger *ledger);
size_t flt_ledger_memory(const struct flt_ledger *ledger);

/* Charge the process of current, or nobody if current is a kernel thread. */
void flt_ledger_charge(struct flt_ledger *ledger, const struct flt_charge *charge, u32 count);
/* Charge the owner of @mm, or nobody if the owner is unknown. Caller keeps @mm alive. */
void flt_ledger_charge_mm(struct flt_ledger *ledger, const struct mm_struct *mm,
			  const struct flt_charge *charge, u32 count);
void flt_ledger_charge_nobody(struct flt_ledger *ledger, const struct flt_charge *charge,
			      u32 count);

/*
 * Read the line of the row with this slot and ID, of nobody, or of the machine. @cell has
 * room for ledger->cells counters. All are 0 if the ledger was never opened. Return false
 * if all are 0.
 */
bool flt_ledger_read(const struct flt_ledger *ledger, u32 slot, u64 id, u64 *cell);
void flt_ledger_read_nobody(const struct flt_ledger *ledger, u64 *cell);
void flt_ledger_read_machine(const struct flt_ledger *ledger, u64 *cell);

#endif
