/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session - somebody who listens: keeps accounting on, and may sum up a set of
 * processes. Lives as long as the netlink socket that opened it.
 */
#ifndef FLT_SESSION_H
#define FLT_SESSION_H

#include <linux/types.h>
#include "account/account.h"
#include "account/proc.h"
#include "stream/stream.h"

#define FLT_SESSION_MAX_OPEN FLT_ROW_SESSIONS

struct flt_session_report {
	u32 id, rows, live;
	u64 untracked;
	u64 written, lost, lost_notes;	/* by its stream */
	u32 stacks;			/* in the table, of all sessions */
	u64 stacks_once;
	struct flt_account account;
};

/* @always: accounting stays on without sessions. */
int flt_session_init(bool always);
void flt_session_exit(void);

struct flt_session_config {
	const u32 *tgids;
	u32 count;
	bool follow;			/* and what they fork */
	bool thp, numa;			/* ledgers to be kept */
	struct flt_stream_config *stream;	/* NULL: none */
	bool netlink;			/* which goes to the owner's socket */
};

/*
 * Errors: -ENOSPC all sessions taken, -ESRCH a TGID is not a live process,
 * -ENFILE no row left for it, -ENOTSUPP follow or a ledger on a kernel without the hook,
 * -EOPNOTSUPP @stream in files without debugfs, -ENOMEM.
 */
int flt_session_open(u32 owner, const struct flt_session_config *config, u32 *id);
/* -ENOENT no such session, -EACCES another socket's. */
int flt_session_close(u32 owner, u32 id);
void flt_session_close_all(u32 owner);

int flt_session_read(u32 id, struct flt_session_report *report);
/* The bit of flt_proc.sessions that stands for @id; 0: no such session. */
u32 flt_session_mask(u32 id);
u32 flt_session_count(void);
/* CLOCK_MONOTONIC ns since when faults are counted without a gap; 0: they are not. */
u64 flt_session_since(void);

#endif
