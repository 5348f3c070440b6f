/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ledger - counters of a process beyond its faults, kept while a session asks for them.
 *
 * The cells of all ledgers are one block of memory per row of proc.h. While a ledger is open,
 * a row gets its cells when it is created, because a charge must not allocate memory. The
 * row keeps them. The cells of nobody take charges that belong to no process. Every charge is
 * also added to the totals of the machine, which are per CPU.
 *
 * Charges are made in probe handlers with preemption off. A thread with a slot charges its
 * own process with atomic additions. Charges to other processes take the lock of the row.
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
	u32 cells;		/* counters per process */
	u32 first;		/* index of the first one in flt_proc.cells */
	u64 __percpu *total;	/* NULL: never opened */
};

/* Add n to a counter. */
struct flt_charge {
	u32 cell;
	u64 n;
};

/* Define a ledger of so many counters. Call before flt_proc_init(). */
void flt_ledger_add(struct flt_ledger *ledger, u32 cells);
/* Return the number of cells of all ledgers. */
u32 flt_ledger_cells(void);

/* Give rows their cells, until flt_ledger_close(). Return 0 or -ENOMEM. May sleep. */
int flt_ledger_open(struct flt_ledger *ledger);
void flt_ledger_close(void);
void flt_ledger_free(struct flt_ledger *ledger);
/* Return the bytes of the totals. The cells are in flt_proc_memory(). */
size_t flt_ledger_memory(const struct flt_ledger *ledger);

/* Charge the process of current, or nobody if current is a kernel thread. */
void flt_ledger_charge(struct flt_ledger *ledger, const struct flt_charge *charge, u32 count);
/* Charge the owner of @mm, or nobody if the owner is unknown. Caller keeps @mm alive. */
void flt_ledger_charge_mm(struct flt_ledger *ledger, const struct mm_struct *mm,
			  const struct flt_charge *charge, u32 count);
void flt_ledger_charge_nobody(struct flt_ledger *ledger, const struct flt_charge *charge,
			      u32 count);

/*
 * Read the counters of the row with this ID, of nobody, or of the machine. @cell has room for
 * ledger->cells counters. All are 0 if the ledger was never opened. Return false if all are
 * 0. May sleep.
 */
bool flt_ledger_read(const struct flt_ledger *ledger, u64 id, u64 *cell);
void flt_ledger_read_nobody(const struct flt_ledger *ledger, u64 *cell);
void flt_ledger_read_machine(const struct flt_ledger *ledger, u64 *cell);

#endif
