/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * retired - sums over rows of proc.h that were retired: of the machine, of each session, and
 * of each session by the name of the process.
 *
 * One raw spinlock protects the sums. It is held for one row.
 */
#ifndef FLT_RETIRED_H
#define FLT_RETIRED_H

#include <linux/sched.h>
#include <linux/types.h>
#include "account/account.h"

#define FLT_ROW_SESSIONS 32	/* bits of flt_proc.sessions */

/* Processes of a session, and their account. */
struct flt_session_sum {
	u32 rows, live;
	u64 untracked;		/* forked children that found no memory for a row */
	struct flt_account account;
};

/* Processes of a session that had the same name, and their account. */
struct flt_name_sum {
	char comm[TASK_COMM_LEN];
	u32 rows;
	struct flt_account account;
};

/* Add the row with this ID to the sums of the machine and of @sessions. */
void flt_retired_add(u64 id, const struct flt_account *account, const char *comm, u32 sessions);
/* Return the number of rows that were ever retired, and copy their sum if @sum is not NULL. */
u64 flt_retired_read(struct flt_account *sum);

/* Start a session without retired rows. Return 0 or -ENOMEM. */
int flt_retired_open(u32 bit);
/* Free the memory of a session. No row is in the session any more. */
void flt_retired_close(u32 bit);
size_t flt_retired_memory(void);
/* Count a forked child that is missing from @sessions, because it has no row. */
void flt_retired_untracked(u32 sessions);
/*
 * Copy the sum with index @i of the session with bit mask @session. The rows of further names
 * than fit are one sum. Return false after the last one.
 */
bool flt_retired_name(u32 session, u32 i, struct flt_name_sum *name);

/*
 * Walk over the rows of a session up to the ID @last. A row that retires before the reader has
 * come to its ID is added to the sum that flt_retired_walk_end() returns, so that each row
 * counts once. There is one walk at a time.
 */
void flt_retired_walk_begin(u32 bit, u64 last);
/* The reader has come to @id. Caller has locked the row, so that the row cannot retire. */
void flt_retired_walk_at(u64 id);
/* Add the retired rows to @sum. */
void flt_retired_walk_end(struct flt_session_sum *sum);

#endif
