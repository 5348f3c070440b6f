// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include "netlink/dump.h"
#include "netlink/netlink.h"
#include "netlink/wss.h"
#include "stream/nlstream.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "stream/stacktable.h"
#include "wss/wss.h"

/* Not const: until 6.7 struct nla_policy's pointer to it was not either. */
static struct netlink_range_validation pid_range = { .min = 1, .max = PID_MAX_LIMIT };
static struct netlink_range_validation id_range = { .min = 1, .max = U32_MAX };
static struct netlink_range_validation subbuf_range = { .min = 4096, .max = 1 << 20 };

/* Nothing is accepted: any attribute, known to another command or not, is an error. */
static const struct nla_policy no_policy[1 + 1] = {
	[1] = { .type = NLA_REJECT, .reject_message = "this command takes no attributes" },
};

static const struct nla_policy latency_policy[FLT_LATENCY_MAX + 1] = {
	[FLT_LATENCY_RETURNS] = { .type = NLA_FLAG },
};

static const struct nla_policy proc_policy[FLT_PROC_MAX + 1] = {
	[FLT_PROC_TGID] = NLA_POLICY_FULL_RANGE(NLA_U32, &pid_range),
	[FLT_PROC_SESSION] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[FLT_PROC_KINDS] = { .type = NLA_FLAG },
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
	[FLT_SESSION_NUMA] = { .type = NLA_FLAG },
	[FLT_SESSION_CHANNEL] = NLA_POLICY_MAX(NLA_U32, FLT_CHANNEL_MAX),
	[FLT_SESSION_STACKS] = NLA_POLICY_RANGE(NLA_U32, 1, FLT_STACK_FRAMES_MAX),
	[FLT_SESSION_SLICE] = NLA_POLICY_RANGE(NLA_U32, 64, FLT_STACK_SLICE_MAX),
};

static const struct nla_policy ledger_policy[FLT_LEDGER_MAX + 1] = {
	[FLT_LEDGER_SESSION] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
};

static int do_info(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *head;
	int err = flt_request_admit(request, info);

	if (err)
		return err;
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
	struct sk_buff *skb;
	void *head;
	int err = flt_request_admit(request, info);

	if (!err)
		err = flt_request_refuse(info->attrs[FLT_PROC_SESSION],
					 "flt: SESSION is for dumps",
					 info->extack);
	if (err)
		return err;
	if (!tgid) {
		NL_SET_ERR_MSG_MOD(info->extack, "TGID is missing; or ask for a dump");
		return -EINVAL;
	}
	report = kmalloc(sizeof(*report), GFP_KERNEL);
	if (!report)
		return -ENOMEM;
	err = flt_report_proc(nla_get_u32(tgid), report);
	if (err) {
		NL_SET_ERR_MSG_ATTR(info->extack, tgid,
				    "flt: no fault of that process was counted");
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

static int do_session_new(struct sk_buff *request, struct genl_info *info)
{
	u32 tgids[FLT_SESSION_TGIDS_MAX], id;
	struct flt_session_config session = {
		.tgids = tgids,
		.follow = nla_get_flag(info->attrs[FLT_SESSION_FOLLOW]),
		.thp = nla_get_flag(info->attrs[FLT_SESSION_THP]),
		.numa = nla_get_flag(info->attrs[FLT_SESSION_NUMA]),
	};
	bool stream = nla_get_flag(info->attrs[FLT_SESSION_STREAM]);
	struct nlattr *attr, *channel = info->attrs[FLT_SESSION_CHANNEL];
	struct flt_stream_config config;
	struct sk_buff *skb;
	void *head;
	int rest, err = flt_request_admit(request, info);

	if (!err)
		err = flt_request_refuse(info->attrs[FLT_SESSION_ID],
					 "flt: the module chooses the ID",
					 info->extack);
	if (!err)
		err = flt_request_refuse(info->attrs[FLT_SESSION_KINDS],
					 "flt: KINDS is for SESSION_GET",
					 info->extack);
	if (err)
		return err;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(attr) != FLT_SESSION_TGID)
			continue;
		if (session.count == ARRAY_SIZE(tgids)) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr, "flt: too many TGIDs");
			return -ERANGE;
		}
		tgids[session.count++] = nla_get_u32(attr);
	}
	if (session.follow && !session.count) {
		NL_SET_ERR_MSG_MOD(info->extack, "FOLLOW needs a TGID to start from");
		return -EINVAL;
	}
	if (stream) {
		err = flt_request_stream(&config, info->attrs, info->extack);
		if (err)
			return err;
		session.stream = &config;
		session.netlink = channel && nla_get_u32(channel) == FLT_CHANNEL_NETLINK;
	} else if (info->attrs[FLT_SESSION_SUBBUF_SIZE] || info->attrs[FLT_SESSION_SUBBUFS] ||
		   info->attrs[FLT_SESSION_FILTER] || info->attrs[FLT_SESSION_NOTES] ||
		   info->attrs[FLT_SESSION_AREAS] || info->attrs[FLT_SESSION_STACKS] ||
		   info->attrs[FLT_SESSION_SLICE] || channel) {
		NL_SET_ERR_MSG_MOD(info->extack, "what a stream is like needs STREAM");
		return -EINVAL;
	}
	/* The reply first: once the session is open nothing may fail. */
	skb = flt_reply_begin(info, FLT_CMD_SESSION_NEW, &head);
	if (!skb)
		return -ENOMEM;
	err = flt_session_open(info->snd_portid, &session, &id);
	switch (err) {
	case 0:
		err = nla_put_u32(skb, FLT_SESSION_ID, id);
		break;
	case -ENOSPC:
		NL_SET_ERR_MSG_MOD(info->extack, "all sessions are taken");
		break;
	case -ESRCH:
		NL_SET_ERR_MSG_MOD(info->extack, "no such process");
		break;
	case -ENFILE:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "the process table is full; load flt with a larger max_procs");
		break;
	case -ENOTSUPP:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "FOLLOW, THP or NUMA: this kernel lacks the hooks for it");
		err = -EOPNOTSUPP;
		break;
	case -EDQUOT:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "the buffers of all sessions would pass max_buffers, or a quarter of memory");
		break;
	case -ENOMEM:
		NL_SET_ERR_MSG_MOD(info->extack, "no memory for its buffers");
		break;
	case -EOPNOTSUPP:
		NL_SET_ERR_MSG_MOD(info->extack, "relay files need debugfs; netlink does not");
		break;
	default:
		NL_SET_ERR_MSG_MOD(info->extack, "the probes could not be armed");
	}
	return flt_reply_end(skb, info, head, err);
}

static int session_id(struct genl_info *info, u32 *id)
{
	int err = flt_request_refuse(info->attrs[FLT_SESSION_TGID],
				     "flt: TGID is for SESSION_NEW",
				     info->extack);

	int i;

	for (i = FLT_SESSION_FOLLOW; !err && i <= FLT_SESSION_MAX; i++)
		if (i != FLT_SESSION_KINDS)
			err = flt_request_refuse(info->attrs[i],
						 "flt: that attribute is for SESSION_NEW",
						 info->extack);
	if (err)
		return err;
	if (!info->attrs[FLT_SESSION_ID]) {
		NL_SET_ERR_MSG_MOD(info->extack, "ID is missing");
		return -EINVAL;
	}
	*id = nla_get_u32(info->attrs[FLT_SESSION_ID]);
	return 0;
}

static int no_session(struct genl_info *info, int err)
{
	struct nlattr *id = info->attrs[FLT_SESSION_ID];

	if (err == -EACCES)
		NL_SET_ERR_MSG_ATTR(info->extack, id, "flt: the session belongs to another socket");
	else
		NL_SET_ERR_MSG_ATTR(info->extack, id, "flt: no such session");
	return err;
}

static int do_session_get(struct sk_buff *request, struct genl_info *info)
{
	bool kinds = nla_get_flag(info->attrs[FLT_SESSION_KINDS]);
	struct flt_session_report *report;
	struct sk_buff *skb;
	void *head;
	u32 id;
	int err = flt_request_admit(request, info);

	if (!err)
		err = session_id(info, &id);
	if (err)
		return err;
	report = kmalloc(sizeof(*report), GFP_KERNEL);
	if (!report)
		return -ENOMEM;
	err = flt_session_read(id, report);
	if (err) {
		err = no_session(info, err);
		goto out;
	}
	err = -ENOMEM;
	skb = flt_reply_begin(info, FLT_CMD_SESSION_GET, &head);
	if (skb)
		err = flt_reply_end(skb, info, head, flt_reply_session(skb, report, kinds));
out:
	kfree(report);
	return err;
}

static int do_session_del(struct sk_buff *request, struct genl_info *info)
{
	u32 id;
	int err = flt_request_admit(request, info);

	if (!err)
		err = flt_request_refuse(info->attrs[FLT_SESSION_KINDS],
					 "flt: KINDS is for SESSION_GET",
					 info->extack);
	if (!err)
		err = session_id(info, &id);
	if (err)
		return err;
	err = flt_session_close(info->snd_portid, id);
	return err ? no_session(info, err) : 0;
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
		.policy = latency_policy,
		.maxattr = FLT_LATENCY_MAX,
	}, {
		.cmd = FLT_CMD_PROC_GET,
		.doit = do_proc,
		.dumpit = flt_dump_procs,
		.done = flt_dump_done,
		.policy = proc_policy,
		.maxattr = FLT_PROC_MAX,
	}, {
		.cmd = FLT_CMD_TASK_GET,
		.dumpit = flt_dump_tasks,
		.done = flt_dump_done,
		.policy = task_policy,
		.maxattr = FLT_TASK_MAX,
	}, {
		.cmd = FLT_CMD_SESSION_NEW,
		.doit = do_session_new,
		.policy = session_policy,
		.maxattr = FLT_SESSION_MAX,
	}, {
		.cmd = FLT_CMD_SESSION_GET,
		.doit = do_session_get,
		.policy = session_policy,
		.maxattr = FLT_SESSION_MAX,
	}, {
		.cmd = FLT_CMD_SESSION_DEL,
		.doit = do_session_del,
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
		.done = flt_dump_done,
		.policy = ledger_policy,
		.maxattr = FLT_LEDGER_MAX,
	}, {
		.cmd = FLT_CMD_NUMA_GET,
		.dumpit = flt_dump_numa,
		.done = flt_dump_done,
		.policy = ledger_policy,
		.maxattr = FLT_LEDGER_MAX,
	}, {
		.cmd = FLT_CMD_SLOWEST_GET,
		.dumpit = flt_dump_slowest,
		NO_ATTRIBUTES,
	},
};

struct genl_family flt_netlink_family __ro_after_init = {
	.name = FLT_GENL_NAME,
	.version = FLT_GENL_VERSION,
	.module = THIS_MODULE,
	.netnsok = false,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.resv_start_op = FLT_CMD_INFO_GET,
};

/* The owner of sessions is gone, however it went. */
static int on_release(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;

	if (event == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC &&
	    net_eq(n->net, &init_net)) {
		flt_wss_untrack_all(n->portid);
		flt_session_close_all(n->portid);
	}
	return NOTIFY_DONE;
}

static struct notifier_block release_notifier = { .notifier_call = on_release };

int __init flt_netlink_init(void)
{
	int err = netlink_register_notifier(&release_notifier);

	flt_nlstream_init(&flt_netlink_family);
	if (err)
		return err;
	err = genl_register_family(&flt_netlink_family);
	if (err)
		netlink_unregister_notifier(&release_notifier);
	return err;
}

void flt_netlink_exit(void)
{
	genl_unregister_family(&flt_netlink_family);
	netlink_unregister_notifier(&release_notifier);
}
