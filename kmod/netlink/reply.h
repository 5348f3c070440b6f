/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reply - our structs as netlink attributes; the shapes are <linux/flt.h>'s.
 * All return 0 or -EMSGSIZE; a nest that did not fit leaves nothing behind.
 */
#ifndef FLT_REPLY_H
#define FLT_REPLY_H

#include <linux/skbuff.h>
#include <net/genetlink.h>
#include "hook/hook.h"
#include "account/report.h"
#include "netlink/session.h"
#include "account/slowest.h"
#include "wss/wss.h"

/* Defined, with its commands, by netlink.c. */
extern struct genl_family flt_netlink_family;

/* A message with room for any reply below; NULL: no memory. */
struct sk_buff *flt_reply_begin(struct genl_info *info, u8 cmd, void **head);
/* Sends it, or frees it and returns err. */
int flt_reply_end(struct sk_buff *skb, struct genl_info *info, void *head, int err);

/* Attribute i + 1 of a nest is cell i; empty ones are absent, and a nest of none. */
int flt_reply_cells(struct sk_buff *skb, int attr, const u64 *cell, u32 count);

struct flt_reply_number {
	int attr;
	u64 value;
};

/* Those that are 0 are absent. */
int flt_reply_numbers(struct sk_buff *skb, const struct flt_reply_number *n, size_t count, int pad);

int flt_reply_info(struct sk_buff *skb);
int flt_reply_hook(struct sk_buff *skb, const struct flt_hook_report *r);
int flt_reply_tally(struct sk_buff *skb);
/* -ENODATA: nothing in that histogram. */
int flt_reply_latency(struct sk_buff *skb, bool major, u8 kind);
int flt_reply_return(struct sk_buff *skb, enum flt_return ret);
int flt_reply_slow(struct sk_buff *skb, const struct flt_slow *s);
int flt_reply_proc(struct sk_buff *skb, const struct flt_proc_report *r, bool kinds);
int flt_reply_task(struct sk_buff *skb, u32 tgid, const struct flt_task_report *r, bool kinds);
int flt_reply_wss_status(struct sk_buff *skb, const struct flt_wss_status *s);
int flt_reply_wss(struct sk_buff *skb, const struct flt_wss_report *r);
int flt_reply_session(struct sk_buff *skb, const struct flt_session_report *r, bool kinds);

/* A ledger's line: which of its cells make which nest. Ends with attr 0. */
struct flt_reply_section {
	int attr;
	u32 first, count;
};

struct flt_reply_ledger {
	u8 cmd;
	const struct flt_reply_section *section;
	bool matrix;		/* and the rest of the line is a square, FLT_LEDGER_MATRIX */
};

extern const struct flt_reply_ledger flt_reply_thp, flt_reply_numa;
/* @machine: its account; NULL: the line is nobody's. */
int flt_reply_ledger_sum(struct sk_buff *skb, const struct flt_reply_ledger *shape,
			 const struct flt_account *machine, const u64 *cell);
int flt_reply_ledger_row(struct sk_buff *skb, const struct flt_reply_ledger *shape,
			 const struct flt_proc_report *r, const u64 *cell);

/* Enough for any of them in one message, with everything present. */
#define FLT_REPLY_SIZE 8192

#endif
