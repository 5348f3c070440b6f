// SPDX-License-Identifier: GPL-2.0-only
/* dump_rows.c - dumps of processes and threads */
#include <linux/netlink.h>
#include "netlink/dump.h"
#include "netlink/reply.h"

/* Request and scratch memory of a dump. The first call allocates it in cb->args[0]. */
struct row_dump {
	struct flt_dump_rows rows;	/* first */
	u32 tgid;
	bool kinds, names;
	union {
		struct flt_name_sum name;
		struct flt_proc_report proc;
		struct flt_task_report task[FLT_TASK_BATCH];
	};
};

static int begin_procs(struct netlink_callback *cb)
{
	struct nlattr **attrs = flt_genl_dump_attrs(cb);
	struct nlattr *session = attrs[FLT_PROC_SESSION];
	struct row_dump *dump;
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
	err = flt_dump_begin_rows(cb, session, sizeof(*dump));
	if (err)
		return err;
	dump = (void *)cb->args[0];
	dump->kinds = nla_get_flag(attrs[FLT_PROC_KINDS]);
	dump->names = nla_get_flag(attrs[FLT_PROC_NAMES]);
	return 0;
}

static void dump_names(struct sk_buff *skb, struct netlink_callback *cb, struct row_dump *dump)
{
	for (; flt_retired_name(dump->rows.cursor.sessions, cb->args[1], &dump->name);
	     cb->args[1]++)
		if (FLT_DUMP(skb, cb, FLT_CMD_PROC_GET,
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
		return flt_dump_end_call(skb, dump->rows.session);
	}
	for (; !flt_report_next_proc(&dump->rows.reader, &dump->rows.cursor, &dump->proc);
	     dump->rows.cursor.id++)
		if (FLT_DUMP(skb, cb, FLT_CMD_PROC_GET,
			     flt_reply_proc(skb, &dump->proc, dump->kinds)))
			break;
	return flt_dump_end_call(skb, dump->rows.session);
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
	err = flt_dump_begin_rows(cb, NULL, sizeof(*dump));
	if (err)
		return err;
	dump = (void *)cb->args[0];
	dump->tgid = nla_get_u32(attrs[FLT_TASK_TGID]);
	dump->kinds = nla_get_flag(attrs[FLT_TASK_KINDS]);
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
	while ((n = flt_report_tasks(&dump->rows.reader, dump->tgid, cb->args[1],
				     dump->task)) > 0) {
		for (i = 0; i < n; i++) {
			if (FLT_DUMP(skb, cb, FLT_CMD_TASK_GET,
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
