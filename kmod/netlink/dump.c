// SPDX-License-Identifier: GPL-2.0-only
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include "netlink/dump.h"
#include "ledger/huge.h"
#include "ledger/numa.h"
#include "mm/pidns.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "account/proc.h"
#include "account/tally.h"

/*
 * Add a row to a dump: evaluate @fill, which returns 0 or an error. After -EMSGSIZE the
 * buffer is full, and the same row comes first in the next one.
 */
#define DUMP_ROW(skb, cb, cmd, fill) ({							\
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

int flt_dump_hooks(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct flt_hook_report report;
	int err = flt_request_admit_dump(cb);

	if (err)
		return err;
	for (; !flt_hook_report(cb->args[0], &report); cb->args[0]++)
		if (DUMP_ROW(skb, cb, FLT_CMD_HOOK_GET, flt_reply_hook(skb, &report)))
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
	/* After the last histogram, and after the session has ended, the error is -ENOENT. */
	for (;; cb->args[1]++) {
		err = DUMP_ROW(skb, cb, FLT_CMD_LATENCY_GET,
			       flt_reply_hist(skb, dump->session, dump->group, cb->args[1],
					      &dump->report));
		if (err && err != -ENODATA)
			break;
		cond_resched();
	}
	return skb->len;
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

		err = DUMP_ROW(skb, cb, FLT_CMD_LATENCY_GET,
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

/* Copy a slot. It is empty if the session has ended meanwhile. */
static void read_slowest(struct nlattr *session, int cpu, u32 slot, struct flt_slow *slow)
{
	if (!session)
		flt_slowest_read(&per_cpu(flt_tally, cpu)->slowest, slot, slow);
	else if (flt_session_slowest(nla_get_u32(session), cpu, slot, slow))
		slow->ns = 0;
}

int flt_dump_slowest(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *session = flt_genl_dump_attrs(cb)[FLT_SLOWEST_SESSION];
	int err = admit_slowest(cb, session);
	struct flt_slow slow;

	if (err)
		return err;
	for (; cb->args[1] < nr_cpu_ids; cb->args[1]++, cb->args[2] = 0) {
		if (!cpu_possible(cb->args[1]))
			continue;
		for (; cb->args[2] < FLT_SLOWEST_MAX; cb->args[2]++) {
			read_slowest(session, cb->args[1], cb->args[2], &slow);
			if (slow.ns && DUMP_ROW(skb, cb, FLT_CMD_SLOWEST_GET,
						flt_reply_slow(skb, &slow)))
				return skb->len;
		}
	}
	return skb->len;
}

/* Request and scratch memory of a dump. The first call allocates it in cb->args[0]. */
struct row_dump {
	struct flt_pidns reader;
	struct flt_proc_cursor cursor;
	u32 session;			/* ID; 0: none */
	u32 tgid;
	bool kinds, names;
	union {
		struct flt_name_sum name;
		struct flt_proc_report proc;
		struct flt_task_report task[FLT_TASK_BATCH];
	};
};

/* Find the session of a request, if there is one. *mask: its bit in rows, or 0. */
static int find_session(struct netlink_callback *cb, struct nlattr *session, u32 *mask)
{
	*mask = session ? flt_session_mask(nla_get_u32(session)) : 0;
	if (!session || *mask)
		return 0;
	NL_SET_ERR_MSG_ATTR(cb->extack, session, "flt: invalid SESSION: no such session");
	return -ENOENT;
}

/*
 * End a call of a dump. If the session has ended, end the dump with an error, without the rows of
 * this call: another session may have had its bit in rows. Return the length of the buffer.
 */
static int end_call(struct sk_buff *skb, u32 session)
{
	if (!session || flt_session_mask(session))
		return skb->len;
	skb_trim(skb, 0);
	return -ENOENT;
}

static int begin_procs(struct netlink_callback *cb)
{
	struct nlattr **attrs = flt_genl_dump_attrs(cb);
	struct nlattr *session = attrs[FLT_PROC_SESSION];
	struct row_dump *dump;
	u32 mask = 0;
	int err = flt_request_admit_dump(cb);

	if (!err)
		err = flt_request_refuse(attrs[FLT_PROC_TGID],
					 "flt: invalid TGID: use a do request for one process",
					 cb->extack);
	if (!err && !session)
		err = flt_request_refuse(attrs[FLT_PROC_NAMES],
					 "flt: missing SESSION for NAMES", cb->extack);
	if (err)
		return err;
	err = find_session(cb, session, &mask);
	if (err)
		return err;
	dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	flt_pidns_get(&dump->reader);
	flt_proc_cursor_begin(&dump->cursor, mask);
	dump->session = session ? nla_get_u32(session) : 0;
	dump->kinds = nla_get_flag(attrs[FLT_PROC_KINDS]);
	dump->names = nla_get_flag(attrs[FLT_PROC_NAMES]);
	cb->args[0] = (long)dump;
	return 0;
}

static void dump_names(struct sk_buff *skb, struct netlink_callback *cb, struct row_dump *dump)
{
	for (; flt_retired_name(dump->cursor.sessions, cb->args[1], &dump->name); cb->args[1]++)
		if (DUMP_ROW(skb, cb, FLT_CMD_PROC_GET,
			     flt_reply_name(skb, &dump->name, dump->kinds)))
			break;
}

int flt_dump_procs(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct row_dump *dump;
	int err = cb->args[0] ? 0 : begin_procs(cb);

	if (err)
		return err;
	dump = (void *)cb->args[0];
	cb->seq = flt_proc_generation() + 1;	/* 0 would disable the consistency check */
	if (dump->names) {
		dump_names(skb, cb, dump);
		return end_call(skb, dump->session);
	}
	for (; !flt_report_next_proc(&dump->reader, &dump->cursor, &dump->proc); dump->cursor.id++)
		if (DUMP_ROW(skb, cb, FLT_CMD_PROC_GET,
			     flt_reply_proc(skb, &dump->proc, dump->kinds)))
			break;
	return end_call(skb, dump->session);
}

static int begin_tasks(struct netlink_callback *cb)
{
	struct nlattr **attrs = flt_genl_dump_attrs(cb);
	struct row_dump *dump;
	int err = flt_request_admit_dump(cb);

	if (err)
		return err;
	if (!attrs[FLT_TASK_TGID]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "missing TGID");
		return -EINVAL;
	}
	dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	flt_pidns_get(&dump->reader);
	dump->tgid = nla_get_u32(attrs[FLT_TASK_TGID]);
	dump->kinds = nla_get_flag(attrs[FLT_TASK_KINDS]);
	cb->args[0] = (long)dump;
	return 0;
}

int flt_dump_tasks(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct row_dump *dump;
	int err = cb->args[0] ? 0 : begin_tasks(cb);
	int i, n;

	if (err)
		return err;
	dump = (void *)cb->args[0];
	/* Threads that do not fit are looked up again for the next buffer. */
	while ((n = flt_report_tasks(&dump->reader, dump->tgid, cb->args[1], dump->task)) > 0) {
		for (i = 0; i < n; i++) {
			if (DUMP_ROW(skb, cb, FLT_CMD_TASK_GET,
				     flt_reply_task(skb, dump->tgid, &dump->task[i], dump->kinds)))
				return skb->len;
			cb->args[1] = dump->task[i].serial;
		}
	}
	/* A process that ends during the dump is not an error. A process without a row is. */
	if (n == -ESRCH && !cb->args[1]) {
		NL_SET_ERR_MSG_MOD(cb->extack,
				   "invalid TGID: no fault of that process was counted");
		return n;
	}
	return skb->len;
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
	int err = cb->args[0] ? 0 : begin_wss(cb);

	if (err)
		return err;
	dump = (void *)cb->args[0];
	while (!flt_wss_next(&dump->cursor, &dump->report)) {
		if (DUMP_ROW(skb, cb, FLT_CMD_WSS_GET, flt_reply_wss(skb, &dump->report)))
			break;
		dump->cursor.index++;
	}
	return skb->len;
}

struct ledger_dump {
	struct flt_pidns reader;
	struct flt_proc_cursor cursor;
	u32 session;			/* ID; 0: none */
	struct flt_tally_sum tally;
	struct flt_proc_report proc;
	u64 cell[];			/* a line, and room for another one */
};

static int begin_ledger(struct netlink_callback *cb, const struct flt_ledger *ledger)
{
	struct nlattr *session = flt_genl_dump_attrs(cb)[FLT_LEDGER_SESSION];
	struct ledger_dump *dump;
	u32 mask = 0;
	int err = flt_request_admit_dump(cb);

	if (!err)
		err = find_session(cb, session, &mask);
	if (err)
		return err;
	dump = kzalloc(struct_size(dump, cell, 2 * ledger->cells), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	flt_pidns_get(&dump->reader);
	flt_proc_cursor_begin(&dump->cursor, mask);
	dump->session = session ? nla_get_u32(session) : 0;
	cb->args[0] = (long)dump;
	return 0;
}

/* Sum up the rows that the reader sees, instead of the machine. */
static void sum_inner(struct ledger_dump *dump, const struct flt_ledger *ledger)
{
	u64 *line = dump->cell + ledger->cells, rows;
	struct flt_proc_cursor c;
	u32 i;

	flt_report_inner(&dump->reader, &dump->tally, &rows);
	memset(dump->cell, 0, ledger->cells * sizeof(*dump->cell));
	flt_proc_cursor_begin(&c, 0);
	for (; !flt_report_next_proc(&dump->reader, &c, &dump->proc); c.id++) {
		if (!flt_ledger_read(ledger, c.id, line))
			continue;
		for (i = 0; i < ledger->cells; i++)
			dump->cell[i] += line[i];
	}
}

static void sum_ledger(struct ledger_dump *dump, const struct flt_ledger *ledger, bool nobody)
{
	if (nobody && dump->reader.ns) {
		memset(dump->cell, 0, ledger->cells * sizeof(*dump->cell));
	} else if (nobody) {
		flt_ledger_read_nobody(ledger, dump->cell);
	} else if (dump->reader.ns) {
		sum_inner(dump, ledger);
	} else {
		flt_ledger_read_machine(ledger, dump->cell);
		flt_report_tally(&dump->tally);
	}
}

/* The dump begins with the machine and nobody. Processes follow. */
#define LEDGER_SUMS 2

static int dump_ledger(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct flt_ledger *ledger, const struct flt_reply_ledger *shape)
{
	struct ledger_dump *dump;
	int err = cb->args[0] ? 0 : begin_ledger(cb, ledger);

	if (err)
		return err;
	dump = (void *)cb->args[0];
	cb->seq = flt_proc_generation() + 1;
	for (; cb->args[1] < LEDGER_SUMS; cb->args[1]++) {
		sum_ledger(dump, ledger, cb->args[1]);
		if (DUMP_ROW(skb, cb, shape->cmd,
			     flt_reply_ledger_sum(skb, shape, cb->args[1] ? NULL : &dump->tally.all,
						  dump->cell)))
			return end_call(skb, dump->session);
	}
	for (; !flt_report_next_proc(&dump->reader, &dump->cursor, &dump->proc); dump->cursor.id++)
		/* A dump of a session also reports processes whose counters are all 0. */
		if ((flt_ledger_read(ledger, dump->proc.id, dump->cell) ||
		     dump->cursor.sessions) &&
		    DUMP_ROW(skb, cb, shape->cmd,
			     flt_reply_ledger_row(skb, shape, &dump->proc, dump->cell)))
			break;
	return end_call(skb, dump->session);
}

int flt_dump_thp(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_ledger(skb, cb, &flt_huge, &flt_reply_thp);
}

int flt_dump_numa(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_ledger(skb, cb, &flt_numa, &flt_reply_numa);
}

int flt_dump_done(struct netlink_callback *cb)
{
	kfree((void *)cb->args[0]);
	return 0;
}

/* Both dumps begin with the reader. */
int flt_dump_rows_done(struct netlink_callback *cb)
{
	BUILD_BUG_ON(offsetof(struct row_dump, reader) || offsetof(struct ledger_dump, reader));
	if (cb->args[0])
		flt_pidns_put((struct flt_pidns *)cb->args[0]);
	return flt_dump_done(cb);
}
