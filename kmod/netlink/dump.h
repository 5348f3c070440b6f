/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump - replies of several messages. Generic netlink calls .dumpit until it returns 0.
 * Each call fills one buffer and continues where the last one ended.
 */
#ifndef FLT_DUMP_H
#define FLT_DUMP_H

#include <linux/netlink.h>
#include <linux/skbuff.h>
#include <net/genetlink.h>
#include "account/proc.h"
#include "mm/pidns.h"
#include "netlink/request.h"

/*
 * Add a row to a dump: evaluate @fill, which returns 0 or an error. After -EMSGSIZE the
 * buffer is full, and the same row comes first in the next one.
 */
#define FLT_DUMP(skb, cb, cmd, fill) ({							\
	void *_head = genlmsg_put(skb, NETLINK_CB((cb)->skb).portid,			\
				  (cb)->nlh->nlmsg_seq, &flt_netlink_family, NLM_F_MULTI, cmd);	\
	int _err = -EMSGSIZE;								\
											\
	if (_head) {									\
		genl_dump_check_consistent(cb, _head);					\
		_err = fill;								\
		if (_err)								\
			genlmsg_cancel(skb, _head);					\
		else									\
			genlmsg_end(skb, _head);					\
	}										\
	_err;										\
})

/* The state of a dump of processes, threads or a ledger begins with this. */
struct flt_dump_rows {
	struct flt_pidns reader;
	struct flt_proc_cursor cursor;
	u32 session;			/* ID; 0: none */
};

/*
 * Allocate the state of such a dump in cb->args[0], @size bytes. @session: the session of the
 * request, or NULL. Return 0 or -errno.
 */
int flt_dump_begin_rows(struct netlink_callback *cb, struct nlattr *session, size_t size);

/*
 * End a call of a dump. If the session has ended, end the dump with an error, without the rows of
 * this call: another session may have had its bit in rows. Return the length of the buffer.
 */
int flt_dump_end_call(struct sk_buff *skb, u32 session);

int flt_dump_hooks(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_latency(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_slowest(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_procs(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_tasks(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_wss(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_thp(struct sk_buff *skb, struct netlink_callback *cb);
int flt_dump_numa(struct sk_buff *skb, struct netlink_callback *cb);
/* .done of the dumps that allocate state in cb->args[0]. */
int flt_dump_done(struct netlink_callback *cb);
/* The same for dumps whose state begins with struct flt_dump_rows. */
int flt_dump_rows_done(struct netlink_callback *cb);

#endif
