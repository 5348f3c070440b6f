/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session - a client of the module. A session keeps accounting on. It may sum up a set of
 * processes, stream faults and keep ledgers. It ends with the netlink socket that opened it.
 */
#ifndef FLT_SESSION_H
#define FLT_SESSION_H

#include <linux/types.h>
#include "account/account.h"
#include "account/proc.h"
#include "account/retired.h"
#include "hist/hist.h"
#include "stream/stream.h"

#define FLT_SESSION_MAX_OPEN FLT_ROW_SESSIONS

struct sock;

struct flt_session_report {
	u32 id;
	u64 written, lost, lost_notes;	/* of its stream */
	u32 stacks;			/* in the stack table, which sessions share */
	u64 stacks_once;
	struct flt_session_sum sum;
};

/* @always: keep accounting on without sessions. @returns: and probe returns, too. */
int flt_session_init(bool always, bool returns);
void flt_session_exit(void);

struct flt_session_config {
	const u32 *tgids;
	u32 count;
	bool follow;			/* include forked children */
	bool thp, numa;			/* ledgers to keep */
	bool counts;			/* counts are enough: do not probe returns */
	struct flt_stream_config *stream;	/* NULL: no stream */
	struct flt_hist_config *hist;		/* NULL: neither histograms nor causes */
	bool netlink;			/* the owner pulls the stream by EVENTS requests */
};

/*
 * Open a session for the netlink socket @owner, and set its ID. The session holds a reference
 * to the socket. The address of the socket identifies the owner, because another process can
 * bind the port number as soon as the socket is closed. Return 0 or
 *   -ENOSPC      all sessions are taken
 *   -ESRCH       a TGID is not a live process
 *   -ENFILE      there are max_procs + max_live rows
 *   -ENOTSUPP    follow or a ledger on a kernel without the hooks
 *   -EOPNOTSUPP  a stream to files without debugfs
 *   -EDQUOT      the buffers of all sessions would exceed max_buffers
 *   -ENOMEM, or the error of arming a probe
 */
int flt_session_open(struct sock *owner, const struct flt_session_config *config, u32 *id);
/* Return 0, -ENOENT, or -EACCES if another socket owns the session. */
int flt_session_close(const struct sock *owner, u32 id);
/* Close the sessions whose sockets were closed. */
void flt_session_close_orphans(void);

/*
 * Call @pull with the relay of the session's stream, or with NULL unless the session has a
 * stream that is sent by netlink. The stream lives as long as the call. Return what @pull
 * returns, -ENOENT, or -EACCES if another socket owns the session.
 */
int flt_session_pull(const struct sock *owner, u32 id,
		     int (*pull)(struct flt_relay *relay, void *arg), void *arg);

int flt_session_read(u32 id, struct flt_session_report *report);
/* Read one histogram, see flt_hist_read(). Return -ENOENT if there is no such session, too. */
int flt_session_hist(u32 id, enum flt_hist_group group, u32 index, struct flt_hist_report *report);
/* Copy one of its slowest faults on a CPU, as flt_hist_slowest() does. */
int flt_session_slowest(u32 id, int cpu, u32 slot, struct flt_slow *fault);
/* Return the bit mask of a session in flt_proc.sessions, or 0 if there is no such session. */
u32 flt_session_mask(u32 id);
u32 flt_session_count(void);
/* Return the CLOCK_MONOTONIC ns at which accounting was started, or 0 if it is off. */
u64 flt_session_since(void);

#endif
