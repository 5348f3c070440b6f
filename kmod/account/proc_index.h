/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc_index - find rows of processes, by TGID and by ID. proc.h explains the locks. Functions
 * named flt_proc_index_* are for proc.c only.
 */
#ifndef FLT_PROC_INDEX_H
#define FLT_PROC_INDEX_H

#include <linux/types.h>
#include "account/proc_row.h"

/*
 * A walk over all rows by ID. Rows that are created meanwhile are not part of it, because a fork
 * bomb may create rows as fast as a reader reads them.
 */
struct flt_proc_cursor {
	u64 id;			/* of the row, or of the next one to look for */
	u64 last;		/* of the newest row when the walk began */
	u32 sessions;		/* only rows in any of these sessions; 0: all rows */
};

/* Lock and unlock the rows with this TGID. */
void flt_proc_lock(pid_t tgid);
void flt_proc_unlock(pid_t tgid);

/*
 * The functions from here to flt_proc_lock_next() return a row, locked. Unlock it by
 * flt_proc_unlock(row->tgid).
 */

/* Return the row of @task's process, live or ended, or NULL. */
struct flt_proc *flt_proc_lock_find(const struct task_struct *task);
/* Return the newest row with this TGID, live or ended, or NULL. */
struct flt_proc *flt_proc_lock_newest(pid_t tgid);
/* Return the row with an ID, or NULL. May sleep. */
struct flt_proc *flt_proc_lock_id(u64 id);
/*
 * Return the first row at or after the cursor, and set the cursor to it, or return NULL. The
 * caller increments the ID of the cursor to go on. May sleep.
 */
struct flt_proc *flt_proc_lock_next(struct flt_proc_cursor *cursor);

void flt_proc_cursor_begin(struct flt_proc_cursor *cursor, u32 sessions);

/* @ended: maximum number of ended rows. Return 0 or -ENOMEM. */
int flt_proc_index_init(u32 ended);
/* Free all rows by @free. */
void flt_proc_index_exit(void (*free)(struct flt_proc *proc));
size_t flt_proc_index_memory(void);

/* Add a row under its TGID, and give it an ID. Caller holds the lock of the chain. */
void flt_proc_index_add(struct flt_proc *proc);
/* Caller holds the lock of the chain. */
void flt_proc_index_remove(struct flt_proc *proc);
/* Return the row of @task's process, or NULL. Caller holds the lock of the chain. */
struct flt_proc *flt_proc_index_find(const struct task_struct *task);
/* Return the ID of the newest row, or 0. */
u64 flt_proc_index_last(void);

#endif
