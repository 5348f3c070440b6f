// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include "netlink/dump.h"
#include "netlink/events.h"
#include "netlink/netlink.h"
#include "netlink/orphans.h"
#include "netlink/session_cmd.h"
#include "netlink/wss.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "mm/pidns.h"
#include "stream/stacktable.h"
#include "wss/wss.h"

/* Not const, because before 6.7 struct nla_policy has a pointer to non-const. */
static struct netlink_range_validation pid_range = { .min = 1, .max = PID_MAX_LIMIT };
static struct netlink_range_validation id_range = { .min = 1, .max = U32_MAX };
static struct netlink_range_validation subbuf_range = { .min = 4096, .max = 1 << 20 };

/* Reject all attributes. */
static const struct nla_policy no_policy[1 + 1] = {
	[1] = { .type = NLA_REJECT, .reject_message = "invalid attribute: command takes none" },
};

static const struct nla_policy latency_policy[FLT_LATENCY_MAX + 1] = {
	[FLT_LATENCY_RETURNS] = { .type = NLA_FLAG },
	[FLT_LATENCY_SESSION] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[FLT_LATENCY_PROCS] = { .type = NLA_FLAG },
	[FLT_LATENCY_CAUSES] = { .type = NLA_FLAG },
};

static const struct nla_policy slowest_policy[FLT_SLOWEST_ATTR_MAX + 1] = {
	[FLT_SLOWEST_SESSION] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
};

static const struct nla_policy proc_policy[FLT_PROC_MAX + 1] = {
	[FLT_PROC_TGID] = NLA_POLICY_FULL_RANGE(NLA_U32, &pid_range),
	[FLT_PROC_SESSION] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[FLT_PROC_KINDS] = { .type = NLA_FLAG },
	[FLT_PROC_NAMES] = { .type = NLA_FLAG },
};

static const struct nla_policy task_policy[FLT_TASK_MAX + 1] = {
	[FLT_TASK_TGID] = NLA_POLICY_FULL_RANGE(NLA_U32, &pid_range),
	[FLT_TASK_KINDS] = { .type = NLA_FLAG },
};

static const struct nla_policy session_policy[FLT_SESSION_MAX + 1] = {
	[FLT_SESSION_ID] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[FLT_SESSION_TGID] = NLA_POLICY_FULL_RANGE(NLA_U32, &pid_range),
	[FLT_SESSION_FOLLOW] = { .type = NLA_FLAG },
	[FLT_SESSION_KINDS] = { .type = NLA_FLAG },
	[FLT_SESSION_STREAM] = { .type = NLA_FLAG },
	[FLT_SESSION_SUBBUF_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &subbuf_range),
	[FLT_SESSION_SUBBUFS] = NLA_POLICY_RANGE(NLA_U32, 2, 64),
	[FLT_SESSION_FILTER] = NLA_POLICY_NESTED(flt_request_filter),
	[FLT_SESSION_NOTES] = { .type = NLA_FLAG },
	[FLT_SESSION_AREAS] = { .type = NLA_FLAG },
	[FLT_SESSION_THP] = { .type = NLA_FLAG },
	[FLT_SESSION_COUNTS] = { .type = NLA_FLAG },
	[FLT_SESSION_NUMA] = { .type = NLA_FLAG },
	[FLT_SESSION_CHANNEL] = NLA_POLICY_MAX(NLA_U32, FLT_CHANNEL_MAX),
	[FLT_SESSION_STACKS] = NLA_POLICY_RANGE(NLA_U32, 1, FLT_STACK_FRAMES_MAX),
	[FLT_SESSION_HIST] = NLA_POLICY_RANGE(NLA_U32, 1, FLT_HIST_PROCS_MAX),
	[FLT_SESSION_HIST_CGROUP] = NLA_POLICY_MIN(NLA_U64, 1),
	[FLT_SESSION_CAUSES] = { .type = NLA_FLAG },
	[FLT_SESSION_EVENT_CAUSES] = { .type = NLA_FLAG },
	[FLT_SESSION_SLICE] = NLA_POLICY_RANGE(NLA_U32, 64, FLT_STACK_SLICE_MAX),
};

static const struct nla_policy ledger_policy[FLT_LEDGER_MAX + 1] = {
	[FLT_LEDGER_SESSION] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
};

static const struct nla_policy events_policy[FLT_EVENTS_SESSION + 1] = {
	[FLT_EVENTS_SESSION] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
};

static int do_info(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *head;
	int err = flt_request_admit(request, info);

	if (err)
		return err;
	flt_orphans_close_sessions();
	skb = flt_reply_begin(info, FLT_CMD_INFO_GET, &head);
	if (!skb)
		return -ENOMEM;
	return flt_reply_end(skb, info, head, flt_reply_info(skb));
}

static int do_tally(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *head;
	int err = flt_request_admit(request, info);

	if (err)
		return err;
	skb = flt_reply_begin(info, FLT_CMD_TALLY_GET, &head);
	if (!skb)
		return -ENOMEM;
	return flt_reply_end(skb, info, head, flt_reply_tally(skb));
}

static int do_proc(struct sk_buff *request, struct genl_info *info)
{
	struct nlattr *tgid = info->attrs[FLT_PROC_TGID];
	struct flt_proc_report *report;
	struct flt_pidns reader;
	struct sk_buff *skb;
	void *head;
	int err = flt_request_admit(request, info);

	if (!err)
		err = flt_request_refuse(info->attrs[FLT_PROC_SESSION],
					 "flt: invalid attribute SESSION: use it in dumps",
					 info->extack);
	if (err)
		return err;
	if (!tgid) {
		NL_SET_ERR_MSG_MOD(info->extack, "missing TGID (or request a dump)");
		return -EINVAL;
	}
	report = kmalloc(sizeof(*report), GFP_KERNEL);
	if (!report)
		return -ENOMEM;
	flt_pidns_get(&reader);
	err = flt_report_proc(&reader, nla_get_u32(tgid), report);
	flt_pidns_put(&reader);
	if (err) {
		NL_SET_ERR_MSG_ATTR(info->extack, tgid,
				    "flt: invalid TGID: no fault of that process was counted");
		goto out;
	}
	err = -ENOMEM;
	skb = flt_reply_begin(info, FLT_CMD_PROC_GET, &head);
	if (skb)
		err = flt_reply_end(skb, info, head,
				    flt_reply_proc(skb, report,
						   nla_get_flag(info->attrs[FLT_PROC_KINDS])));
out:
	kfree(report);
	return err;
}

#define NO_ATTRIBUTES .policy = no_policy, .maxattr = ARRAY_SIZE(no_policy) - 1

static const struct genl_ops ops[] = {
	{
		.cmd = FLT_CMD_INFO_GET,
		.doit = do_info,
		NO_ATTRIBUTES,
	}, {
		.cmd = FLT_CMD_HOOK_GET,
		.dumpit = flt_dump_hooks,
		NO_ATTRIBUTES,
	}, {
		.cmd = FLT_CMD_TALLY_GET,
		.doit = do_tally,
		NO_ATTRIBUTES,
	}, {
		.cmd = FLT_CMD_LATENCY_GET,
		.dumpit = flt_dump_latency,
		.done = flt_dump_done,
		.policy = latency_policy,
		.maxattr = FLT_LATENCY_MAX,
	}, {
		.cmd = FLT_CMD_PROC_GET,
		.doit = do_proc,
		.dumpit = flt_dump_procs,
		.done = flt_dump_rows_done,
		.policy = proc_policy,
		.maxattr = FLT_PROC_MAX,
	}, {
		.cmd = FLT_CMD_TASK_GET,
		.dumpit = flt_dump_tasks,
		.done = flt_dump_rows_done,
		.policy = task_policy,
		.maxattr = FLT_TASK_MAX,
	}, {
		.cmd = FLT_CMD_SESSION_NEW,
		.doit = flt_netlink_session_new,
		.policy = session_policy,
		.maxattr = FLT_SESSION_MAX,
	}, {
		.cmd = FLT_CMD_SESSION_GET,
		.doit = flt_netlink_session_get,
		.policy = session_policy,
		.maxattr = FLT_SESSION_MAX,
	}, {
		.cmd = FLT_CMD_SESSION_DEL,
		.doit = flt_netlink_session_del,
		.policy = session_policy,
		.maxattr = FLT_SESSION_MAX,
	}, {
		.cmd = FLT_CMD_WSS_TRACK,
		.doit = flt_netlink_wss_track,
		.policy = flt_request_wss_policy,
		.maxattr = FLT_WSS_MAX,
	}, {
		.cmd = FLT_CMD_WSS_UNTRACK,
		.doit = flt_netlink_wss_untrack,
		.policy = flt_request_wss_policy,
		.maxattr = FLT_WSS_MAX,
	}, {
		.cmd = FLT_CMD_WSS_GET,
		.doit = flt_netlink_wss_get,
		.dumpit = flt_dump_wss,
		.done = flt_dump_done,
		.policy = flt_request_wss_policy,
		.maxattr = FLT_WSS_MAX,
	}, {
		.cmd = FLT_CMD_THP_GET,
		.dumpit = flt_dump_thp,
		.done = flt_dump_rows_done,
		.policy = ledger_policy,
		.maxattr = FLT_LEDGER_MAX,
	}, {
		.cmd = FLT_CMD_NUMA_GET,
		.dumpit = flt_dump_numa,
		.done = flt_dump_rows_done,
		.policy = ledger_policy,
		.maxattr = FLT_LEDGER_MAX,
	}, {
		.cmd = FLT_CMD_SLOWEST_GET,
		.dumpit = flt_dump_slowest,
		.policy = slowest_policy,
		.maxattr = FLT_SLOWEST_ATTR_MAX,
	}, {
		.cmd = FLT_CMD_EVENTS,
		.dumpit = flt_dump_events,
		.done = flt_dump_done,
		.policy = events_policy,
		.maxattr = FLT_EVENTS_SESSION,
	},
};

struct genl_family flt_netlink_family __ro_after_init = {
	.name = FLT_GENL_NAME,
	.version = FLT_GENL_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,	/* capabilities are those in the initial user namespace */
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	FLT_GENL_STRICT_FROM(FLT_CMD_INFO_GET)
};

int __init flt_netlink_init(void)
{
	int err = flt_orphans_init();

	if (err)
		return err;
	err = genl_register_family(&flt_netlink_family);
	if (err)
		flt_orphans_exit();
	return err;
}

void flt_netlink_exit(void)
{
	genl_unregister_family(&flt_netlink_family);
	flt_events_exit();
	flt_orphans_exit();
}
