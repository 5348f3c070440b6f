/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reply - encode structs as netlink attributes, which <linux/flt.h> defines.
 *
 * All functions return 0, or -EMSGSIZE if the message is full, unless stated otherwise. A
 * nest that does not fit is removed.
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

/* Defined in netlink.c. */
extern struct genl_family flt_netlink_family;

/* Allocate a message with room for any reply below. Return NULL if there is no memory. */
struct sk_buff *flt_reply_begin(struct genl_info *info, u8 cmd, void **head);
/* Send the message if @err is 0. Otherwise free it and return @err. */
int flt_reply_end(struct sk_buff *skb, struct genl_info *info, void *head, int err);

/* Add a nest: attribute i + 1 is cell i. Cells of 0 are absent, and so is an empty nest. */
int flt_reply_cells(struct sk_buff *skb, int attr, const u64 *cell, u32 count);

struct flt_reply_number {
	int attr;
	u64 value;
};

/* Add numbers. Numbers of 0 are absent. */
int flt_reply_numbers(struct sk_buff *skb, const struct flt_reply_number *n, size_t count, int pad);

int flt_reply_info(struct sk_buff *skb);
int flt_reply_hook(struct sk_buff *skb, const struct flt_hook_report *r);
int flt_reply_tally(struct sk_buff *skb);
/* Return -ENODATA if the histogram is empty. */
int flt_reply_latency(struct sk_buff *skb, bool major, u8 kind);
int flt_reply_return(struct sk_buff *skb, enum flt_return ret);
/* Return the error of flt_session_hist(), too. @r is scratch memory. */
int flt_reply_hist(struct sk_buff *skb, u32 session, enum flt_hist_group group, u32 index,
		   struct flt_hist_report *r);
int flt_reply_slow(struct sk_buff *skb, const struct flt_slow *s);
int flt_reply_name(struct sk_buff *skb, const struct flt_name_sum *n, bool kinds);
int flt_reply_proc(struct sk_buff *skb, const struct flt_proc_report *r, bool kinds);
int flt_reply_task(struct sk_buff *skb, u32 tgid, const struct flt_task_report *r, bool kinds);
int flt_reply_wss_status(struct sk_buff *skb, const struct flt_wss_status *s);
int flt_reply_wss(struct sk_buff *skb, const struct flt_wss_report *r);
int flt_reply_session(struct sk_buff *skb, const struct flt_session_report *r, bool kinds);

/* The cells of a ledger line that make one nest. An array ends with attr 0. */
struct flt_reply_section {
	int attr;
	u32 first, count;
};

struct flt_reply_ledger {
	u8 cmd;
	u64 (*unknown)(void);	/* FLT_LEDGER_UNKNOWN */
	const struct flt_reply_section *section;
	bool matrix;		/* the line ends with a square matrix, FLT_LEDGER_MATRIX */
};

extern const struct flt_reply_ledger flt_reply_thp, flt_reply_numa;
/*
 * Counters that this kernel lacks are set to 0 in @cell, and are absent from the reply.
 * @machine: account of the machine; NULL: the line is that of nobody.
 */
int flt_reply_ledger_sum(struct sk_buff *skb, const struct flt_reply_ledger *shape,
			 const struct flt_account *machine, u64 *cell);
int flt_reply_ledger_row(struct sk_buff *skb, const struct flt_reply_ledger *shape,
			 const struct flt_proc_report *r, u64 *cell);

/* Bytes for the largest reply, with all attributes present. */
#define FLT_REPLY_SIZE 8192

#endif
