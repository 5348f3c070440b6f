// SPDX-License-Identifier: GPL-2.0-only
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include "netlink/dump.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "account/tally.h"

/* End a dump whose session or tracker has ended. */
static int end_incomplete(struct sk_buff *skb)
{
	skb_trim(skb, 0);
	return -ENOENT;
}

int flt_dump_end_call(struct sk_buff *skb, u32 session)
{
	return session && !flt_session_mask(session) ? end_incomplete(skb) : skb->len;
}

int flt_dump_hooks(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct flt_hook_report report;
	int err = flt_request_admit_dump(cb);

	if (err)
		return err;
	for (; !flt_hook_report(cb->args[0], &report); cb->args[0]++)
		if (FLT_DUMP(skb, cb, FLT_CMD_HOOK_GET, flt_reply_hook(skb, &report)))
			break;
	return skb->len;
}

/*
 * Admit a dump of the machine. The first call runs in the context of the sender. cb->args[0] is
 * left to dumps of sessions.
 */
static int admit_machine(struct netlink_callback *cb)
{
	bool first = !cb->args[1];
	int err = flt_request_admit_dump(cb);

	return err || !first ? err : flt_request_refuse_inner(cb->extack);
}

/* Scratch memory of a dump of histograms. The first call allocates it in cb->args[0]. */
struct hist_dump {
	u32 session;
	enum flt_hist_group group;
	struct flt_hist_report report;
};

static int begin_hists(struct netlink_callback *cb, struct nlattr *session)
{
	struct nlattr **attrs = flt_genl_dump_attrs(cb);
	struct hist_dump *dump;
	int err = flt_request_admit_dump(cb);

	if (!err && !!attrs[FLT_LATENCY_RETURNS] + !!attrs[FLT_LATENCY_PROCS] +
		    !!attrs[FLT_LATENCY_CAUSES] > 1)
		err = flt_request_refuse(session, "flt: give one of RETURNS, PROCS and CAUSES",
					 cb->extack);
	if (err)
		return err;
	dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	dump->session = nla_get_u32(session);
	dump->group = attrs[FLT_LATENCY_RETURNS] ? FLT_HIST_RETURNS :
		      attrs[FLT_LATENCY_PROCS] ? FLT_HIST_PROCS :
		      attrs[FLT_LATENCY_CAUSES] ? FLT_HIST_CAUSES : FLT_HIST_KINDS;
	err = flt_session_hist(dump->session, dump->group, 0, &dump->report);
	if (err == -ENOENT) {
		NL_SET_ERR_MSG_ATTR(cb->extack, session,
				    "flt: invalid SESSION: no such session with HIST or CAUSES");
		kfree(dump);
		return err;
	}
	cb->args[0] = (long)dump;
	return 0;
}

static int dump_hists(struct sk_buff *skb, struct netlink_callback *cb, struct nlattr *session)
{
	struct hist_dump *dump;
	int err = cb->args[0] ? 0 : begin_hists(cb, session);

	if (err)
		return err;
	dump = (void *)cb->args[0];
	/* After the last histogram the error is -ENOENT. */
	for (;; cb->args[1]++) {
		err = FLT_DUMP(skb, cb, FLT_CMD_LATENCY_GET,
			       flt_reply_hist(skb, dump->session, dump->group, cb->args[1],
					      &dump->report));
		if (err && err != -ENODATA)
			break;
		cond_resched();
	}
	return flt_dump_end_call(skb, dump->session);
}

static int dump_machine(struct sk_buff *skb, struct netlink_callback *cb)
{
	int err = admit_machine(cb);
	bool returns;
	long rows;

	if (!err)
		err = flt_request_refuse(flt_genl_dump_attrs(cb)[FLT_LATENCY_PROCS] ?:
					 flt_genl_dump_attrs(cb)[FLT_LATENCY_CAUSES],
					 "flt: missing SESSION for PROCS or CAUSES", cb->extack);
	if (err)
		return err;
	returns = flt_genl_dump_attrs(cb)[FLT_LATENCY_RETURNS];
	rows = returns ? __FLT_RETURN_MAX : 2 * __FLT_KIND_MAX;
	for (; cb->args[1] < rows; cb->args[1]++) {
		long row = cb->args[1];

		err = FLT_DUMP(skb, cb, FLT_CMD_LATENCY_GET,
			       returns ? flt_reply_return(skb, row) :
					 flt_reply_latency(skb, row & 1, row >> 1));
		if (err == -EMSGSIZE)
			break;
		if (err && err != -ENODATA)
			return err;
	}
	return skb->len;
}

int flt_dump_latency(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *session = flt_genl_dump_attrs(cb)[FLT_LATENCY_SESSION];

	return session ? dump_hists(skb, cb, session) : dump_machine(skb, cb);
}

/* Admit a dump of the slowest faults of the machine, or of a session with causes. */
static int admit_slowest(struct netlink_callback *cb, struct nlattr *session)
{
	struct flt_slow slow;
	int err;

	if (!session)
		return admit_machine(cb);
	err = flt_request_admit_dump(cb);
	if (err || cb->args[1])
		return err;
	err = flt_session_slowest(nla_get_u32(session), cpumask_first(cpu_possible_mask), 0, &slow);
	if (err)
		NL_SET_ERR_MSG_ATTR(cb->extack, session,
				    "flt: invalid SESSION: no such session with CAUSES");
	return err;
}

/* Copy a slot. It is empty if the session has ended meanwhile. @session: 0: of the machine. */
static void read_slowest(u32 session, int cpu, u32 slot, struct flt_slow *slow)
{
	if (!session)
		flt_slowest_read(&per_cpu(flt_tally, cpu)->slowest, slot, slow);
	else if (flt_session_slowest(session, cpu, slot, slow))
		slow->ns = 0;
}

int flt_dump_slowest(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attr = flt_genl_dump_attrs(cb)[FLT_SLOWEST_SESSION];
	u32 session = attr ? nla_get_u32(attr) : 0;
	int err = admit_slowest(cb, attr);
	struct flt_slow slow;

	if (err)
		return err;
	for (; cb->args[1] < nr_cpu_ids; cb->args[1]++, cb->args[2] = 0) {
		if (!cpu_possible(cb->args[1]))
			continue;
		for (; cb->args[2] < FLT_SLOWEST_MAX; cb->args[2]++) {
			read_slowest(session, cb->args[1], cb->args[2], &slow);
			if (slow.ns && FLT_DUMP(skb, cb, FLT_CMD_SLOWEST_GET,
						flt_reply_slow(skb, &slow)))
				return flt_dump_end_call(skb, session);
		}
	}
	return flt_dump_end_call(skb, session);
}

struct wss_dump {
	struct flt_wss_cursor cursor;
	struct flt_wss_report report;
};

static int begin_wss(struct netlink_callback *cb)
{
	struct nlattr **attrs = flt_genl_dump_attrs(cb);
	struct wss_dump *dump;
	int i, err = flt_request_admit_dump(cb);

	for (i = FLT_WSS_TGID; !err && i <= FLT_WSS_MAX; i++)
		if (i != FLT_WSS_AFTER)
			err = flt_request_refuse(attrs[i],
						 "flt: invalid attribute: give ID and AFTER",
						 cb->extack);
	if (err)
		return err;
	if (!attrs[FLT_WSS_ID]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "missing ID");
		return -EINVAL;
	}
	dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	dump->cursor.id = nla_get_u32(attrs[FLT_WSS_ID]);
	if (attrs[FLT_WSS_AFTER])
		dump->cursor.after = nla_get_u64(attrs[FLT_WSS_AFTER]);
	/*
	 * Stop at the last key of now. Slots are read one after the other: a reader that got a
	 * newer sample of a late slot would skip older samples of earlier slots next time.
	 */
	err = flt_wss_last_key(dump->cursor.id, &dump->cursor.last);
	if (err) {
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[FLT_WSS_ID],
				    "flt: invalid ID: no such tracker");
		kfree(dump);
		return err;
	}
	cb->args[0] = (long)dump;
	return 0;
}

int flt_dump_wss(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct wss_dump *dump;
	u64 last;
	int err = cb->args[0] ? 0 : begin_wss(cb);

	if (err)
		return err;
	dump = (void *)cb->args[0];
	while (!flt_wss_next(&dump->cursor, &dump->report)) {
		if (FLT_DUMP(skb, cb, FLT_CMD_WSS_GET, flt_reply_wss(skb, &dump->report)))
			break;
		dump->cursor.index++;
	}
	return flt_wss_last_key(dump->cursor.id, &last) ? end_incomplete(skb) : skb->len;
}

int flt_dump_begin_rows(struct netlink_callback *cb, struct nlattr *session, size_t size)
{
	u32 mask = session ? flt_session_mask(nla_get_u32(session)) : 0;
	struct flt_dump_rows *rows;

	if (session && !mask) {
		NL_SET_ERR_MSG_ATTR(cb->extack, session, "flt: invalid SESSION: no such session");
		return -ENOENT;
	}
	rows = kzalloc(size, GFP_KERNEL);
	if (!rows)
		return -ENOMEM;
	flt_pidns_get(&rows->reader);
	flt_proc_cursor_begin(&rows->cursor, mask);
	rows->session = session ? nla_get_u32(session) : 0;
	cb->args[0] = (long)rows;
	return 0;
}

int flt_dump_done(struct netlink_callback *cb)
{
	kfree((void *)cb->args[0]);
	return 0;
}

int flt_dump_rows_done(struct netlink_callback *cb)
{
	struct flt_dump_rows *rows = (void *)cb->args[0];

	if (rows)
		flt_pidns_put(&rows->reader);
	return flt_dump_done(cb);
}
