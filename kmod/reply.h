/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reply - our structs as netlink attributes; the shapes are <linux/flt.h>'s.
 * All return 0 or -EMSGSIZE; a nest that did not fit leaves nothing behind.
 */
#ifndef FLT_REPLY_H
#define FLT_REPLY_H

#include <linux/skbuff.h>
#include "hook.h"
#include "proc.h"
#include "session.h"
#include "task.h"

int flt_reply_info(struct sk_buff *skb);
int flt_reply_hook(struct sk_buff *skb, const struct flt_hook_report *r);
int flt_reply_tally(struct sk_buff *skb);
/* -ENODATA: nothing in that histogram. */
int flt_reply_latency(struct sk_buff *skb, bool major, u8 kind);
int flt_reply_proc(struct sk_buff *skb, const struct flt_proc_report *r, bool kinds);
int flt_reply_task(struct sk_buff *skb, u32 tgid, const struct flt_task_report *r, bool kinds);
int flt_reply_session(struct sk_buff *skb, const struct flt_session_report *r, bool kinds);

/* Enough for any of them in one message, with everything present. */
#define FLT_REPLY_SIZE 8192

#endif
