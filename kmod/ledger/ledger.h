/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ledger - counters of a process beyond its faults, kept only while somebody asks.
 *
 * A table beside that of proc.h, one line of counters for each of its rows, made
 * when it is first wanted and kept until unload. What no process can be charged
 * with goes to one line more, nobody's; and everything goes to the machine's
 * totals, which are per CPU. A line says whose it is (flt_proc.id): one left over
 * from a row that was retired is cleared by the next owner's first charge, and the
 * totals keep what it held.
 *
 * Charges are made in probe handlers, preemption off. A thread with a slot charges
 * its own process with atomic adds alone; only a line's first charge, and charging
 * another's, take flt_proc_lock.
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
	u32 cells;		/* of a line; set before flt_ledger_open() */
	u32 rows;
	u64 *id;		/* of each row's owner; 0: not used yet */
	atomic64_t *cell;	/* [rows + 1][cells]; the last line is nobody's */
	u64 __percpu *total;
};

/* n more of a counter. */
struct flt_charge {
	u32 cell;
	u64 n;
};

/* Makes the table, if it is not there; may sleep. -ENOMEM. */
int flt_ledger_open(struct flt_ledger *ledger);
void flt_ledger_free(struct flt_ledger *ledger);
size_t flt_ledger_memory(const struct flt_ledger *ledger);

/* To current's process; nobody's if current is a kernel thread. */
void flt_ledger_charge(struct flt_ledger *ledger, const struct flt_charge *charge, u32 count);
/* To the process that owns @mm, which the caller keeps from going; nobody's if it is not known. */
void flt_ledger_charge_mm(struct flt_ledger *ledger, const struct mm_struct *mm,
			  const struct flt_charge *charge, u32 count);
void flt_ledger_charge_nobody(struct flt_ledger *ledger, const struct flt_charge *charge,
			      u32 count);

/*
 * Readers; @cell has room for ledger->cells. False: all 0. Of a ledger that was
 * never opened everything is.
 */
bool flt_ledger_read(const struct flt_ledger *ledger, u32 slot, u64 id, u64 *cell);
void flt_ledger_read_nobody(const struct flt_ledger *ledger, u64 *cell);
void flt_ledger_read_machine(const struct flt_ledger *ledger, u64 *cell);

#endif
