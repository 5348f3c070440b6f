// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include "netlink.h"
#include "reply.h"
#include "request.h"

static struct genl_family family;

/* Not const: until 6.7 struct nla_policy's pointer to it was not either. */
static struct netlink_range_validation pid_range = { .min = 1, .max = PID_MAX_LIMIT };
static struct netlink_range_validation id_range = { .min = 1, .max = U32_MAX };
static struct netlink_range_validation subbuf_range = { .min = 4096, .max = 1 << 20 };

/* Nothing is accepted: any attribute, known to another command or not, is an error. */
static const struct nla_policy no_policy[1 + 1] = {
	[1] = { .type = NLA_REJECT, .reject_message = "this command takes no attributes" },
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
};

#define KNOWN_FLAGS (NLM_F_REQUEST | NLM_F_ACK | NLM_F_ECHO | NLM_F_DUMP)

/*
 * GENL_ADMIN_PERM would ask for CAP_NET_ADMIN, which has nothing to do with it.
 * netlink_capable() asks the opener of the socket and the sender, both against
 * the initial user namespace.
 */
static int admit(struct sk_buff *skb, const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	if (!netlink_capable(skb, CAP_PERFMON) && !netlink_capable(skb, CAP_SYS_ADMIN)) {
		NL_SET_ERR_MSG_MOD(extack,
				   "needs CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace");
		return -EPERM;
	}
	if (nlh->nlmsg_flags & ~KNOWN_FLAGS) {
		NL_SET_ERR_MSG_MOD(extack, "unknown NLM_F flag");
		return -EINVAL;
	}
	return 0;
}

static int admit_do(struct sk_buff *skb, struct genl_info *info)
{
	return admit(skb, info->nlhdr, info->extack);
}

#define ADMITTED 5	/* of cb->args */

/*
 * To be asked by every dumpit, and answers on its first call, which is made by the
 * sender. Not in .start: until 6.2 there was no extack yet, to say why not.
 */
static int admit_dump(struct netlink_callback *cb)
{
	int err = cb->args[ADMITTED] ? 0 : admit(cb->skb, cb->nlh, cb->extack);

	cb->args[ADMITTED] = !err;
	return err;
}

/* One attribute set serves requests and replies: a reply's words are no request. */
static int refuse(struct nlattr *attr, const char *why, struct netlink_ext_ack *extack)
{
	if (!attr)
		return 0;
	if (extack)
		extack->_msg = why;
	NL_SET_BAD_ATTR(extack, attr);
	return -EINVAL;
}

static struct sk_buff *reply_begin(struct genl_info *info, u8 cmd, void **head)
{
	struct sk_buff *skb = genlmsg_new(FLT_REPLY_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*head = genlmsg_put_reply(skb, info, &family, 0, cmd);
	if (!*head) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

static int reply_end(struct sk_buff *skb, struct genl_info *info, void *head, int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

static int do_info(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *head;
	int err = admit_do(request, info);

	if (err)
		return err;
	skb = reply_begin(info, FLT_CMD_INFO_GET, &head);
	if (!skb)
		return -ENOMEM;
	return reply_end(skb, info, head, flt_reply_info(skb));
}

static int do_tally(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *head;
	int err = admit_do(request, info);

	if (err)
		return err;
	skb = reply_begin(info, FLT_CMD_TALLY_GET, &head);
	if (!skb)
		return -ENOMEM;
	return reply_end(skb, info, head, flt_reply_tally(skb));
}

static int do_proc(struct sk_buff *request, struct genl_info *info)
{
	struct nlattr *tgid = info->attrs[FLT_PROC_TGID];
	struct flt_proc_report *report;
	struct sk_buff *skb;
	void *head;
	int err = admit_do(request, info);

	if (!err)
		err = refuse(info->attrs[FLT_PROC_SESSION], "flt: SESSION is for dumps",
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
	err = flt_proc_read(nla_get_u32(tgid), report);
	if (err) {
		NL_SET_ERR_MSG_ATTR(info->extack, tgid,
				    "flt: no fault of that process was counted");
		goto out;
	}
	err = -ENOMEM;
	skb = reply_begin(info, FLT_CMD_PROC_GET, &head);
	if (skb)
		err = reply_end(skb, info, head,
				flt_reply_proc(skb, report,
					       nla_get_flag(info->attrs[FLT_PROC_KINDS])));
out:
	kfree(report);
	return err;
}

static int do_session_new(struct sk_buff *request, struct genl_info *info)
{
	u32 tgids[FLT_SESSION_TGIDS_MAX], count = 0, id;
	bool follow = nla_get_flag(info->attrs[FLT_SESSION_FOLLOW]);
	bool stream = nla_get_flag(info->attrs[FLT_SESSION_STREAM]);
	struct flt_stream_config config;
	struct nlattr *attr;
	struct sk_buff *skb;
	void *head;
	int rest, err = admit_do(request, info);

	if (!err)
		err = refuse(info->attrs[FLT_SESSION_ID], "flt: the module chooses the ID",
			     info->extack);
	if (!err)
		err = refuse(info->attrs[FLT_SESSION_KINDS], "flt: KINDS is for SESSION_GET",
			     info->extack);
	if (err)
		return err;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(attr) != FLT_SESSION_TGID)
			continue;
		if (count == ARRAY_SIZE(tgids)) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr, "flt: too many TGIDs");
			return -ERANGE;
		}
		tgids[count++] = nla_get_u32(attr);
	}
	if (follow && !count) {
		NL_SET_ERR_MSG_MOD(info->extack, "FOLLOW needs a TGID to start from");
		return -EINVAL;
	}
	if (stream) {
		err = flt_request_stream(&config, info->attrs, info->extack);
		if (err)
			return err;
	} else if (info->attrs[FLT_SESSION_SUBBUF_SIZE] || info->attrs[FLT_SESSION_SUBBUFS] ||
		   info->attrs[FLT_SESSION_FILTER]) {
		NL_SET_ERR_MSG_MOD(info->extack, "SUBBUF_SIZE, SUBBUFS and FILTER need STREAM");
		return -EINVAL;
	}
	/* The reply first: once the session is open nothing may fail. */
	skb = reply_begin(info, FLT_CMD_SESSION_NEW, &head);
	if (!skb)
		return -ENOMEM;
	err = flt_session_open(info->snd_portid, tgids, count, follow,
			       stream ? &config : NULL, &id);
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
		NL_SET_ERR_MSG_MOD(info->extack, "forks cannot be followed on this kernel");
		err = -EOPNOTSUPP;
		break;
	case -EOPNOTSUPP:
		NL_SET_ERR_MSG_MOD(info->extack, "streams need debugfs");
		break;
	default:
		NL_SET_ERR_MSG_MOD(info->extack, "the probes could not be armed");
	}
	return reply_end(skb, info, head, err);
}

static int session_id(struct genl_info *info, u32 *id)
{
	int err = refuse(info->attrs[FLT_SESSION_TGID], "flt: TGID is for SESSION_NEW",
			 info->extack);

	int i;

	for (i = FLT_SESSION_FOLLOW; !err && i <= FLT_SESSION_MAX; i++)
		if (i != FLT_SESSION_KINDS)
			err = refuse(info->attrs[i], "flt: that attribute is for SESSION_NEW",
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
	int err = admit_do(request, info);

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
	skb = reply_begin(info, FLT_CMD_SESSION_GET, &head);
	if (skb)
		err = reply_end(skb, info, head, flt_reply_session(skb, report, kinds));
out:
	kfree(report);
	return err;
}

static int do_session_del(struct sk_buff *request, struct genl_info *info)
{
	u32 id;
	int err = admit_do(request, info);

	if (!err)
		err = refuse(info->attrs[FLT_SESSION_KINDS], "flt: KINDS is for SESSION_GET",
			     info->extack);
	if (!err)
		err = session_id(info, &id);
	if (err)
		return err;
	err = flt_session_close(info->snd_portid, id);
	return err ? no_session(info, err) : 0;
}

/*
 * A row of a dump. @fill returns -EMSGSIZE when the message is full: the row
 * starts the next one. Positive, as the caller of a dump wants it: call again.
 */
#define DUMP_ROW(skb, cb, cmd, fill) ({							\
	void *_head = genlmsg_put(skb, NETLINK_CB((cb)->skb).portid,			\
				  (cb)->nlh->nlmsg_seq, &family, NLM_F_MULTI, cmd);	\
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

static int dump_hooks(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct flt_hook_report report;
	int err = admit_dump(cb);

	if (err)
		return err;
	for (; !flt_hook_report(cb->args[0], &report); cb->args[0]++)
		if (DUMP_ROW(skb, cb, FLT_CMD_HOOK_GET, flt_reply_hook(skb, &report)))
			break;
	return skb->len;
}

static int dump_latency(struct sk_buff *skb, struct netlink_callback *cb)
{
	int err = admit_dump(cb);

	if (err)
		return err;
	for (; cb->args[0] < 2 * __FLT_KIND_MAX; cb->args[0]++) {
		err = DUMP_ROW(skb, cb, FLT_CMD_LATENCY_GET,
			       flt_reply_latency(skb, cb->args[0] & 1, cb->args[0] >> 1));
		if (err == -EMSGSIZE)
			break;
		if (err && err != -ENODATA)
			return err;
	}
	return skb->len;
}

/* What a dump of rows was asked for: made by its first call, in cb->args[0] until done. */
struct row_dump {
	u32 sessions;
	u32 tgid;
	bool kinds;
	union {
		struct flt_proc_report proc;
		struct flt_task_report task;
	};
};

static int begin_procs(struct netlink_callback *cb)
{
	struct nlattr **attrs = flt_genl_dump_attrs(cb);
	struct nlattr *session = attrs[FLT_PROC_SESSION];
	struct row_dump *dump;
	u32 mask = 0;
	int err = admit_dump(cb);

	if (!err)
		err = refuse(attrs[FLT_PROC_TGID], "flt: TGID is not for dumps", cb->extack);
	if (err)
		return err;
	if (session) {
		mask = flt_session_mask(nla_get_u32(session));
		if (!mask) {
			NL_SET_ERR_MSG_ATTR(cb->extack, session, "flt: no such session");
			return -ENOENT;
		}
	}
	dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	dump->sessions = mask;
	dump->kinds = nla_get_flag(attrs[FLT_PROC_KINDS]);
	cb->args[0] = (long)dump;
	return 0;
}

static int dump_procs(struct sk_buff *skb, struct netlink_callback *cb)
{
	u32 slot = cb->args[1];
	struct row_dump *dump;
	int err = cb->args[0] ? 0 : begin_procs(cb);

	if (err)
		return err;
	dump = (void *)cb->args[0];
	cb->seq = flt_proc_generation() + 1;	/* 0 would mean: not kept */
	for (; !flt_proc_next(&slot, dump->sessions, &dump->proc); slot++)
		if (DUMP_ROW(skb, cb, FLT_CMD_PROC_GET,
			     flt_reply_proc(skb, &dump->proc, dump->kinds)))
			break;
	cb->args[1] = slot;
	return skb->len;
}

static int begin_tasks(struct netlink_callback *cb)
{
	struct nlattr **attrs = flt_genl_dump_attrs(cb);
	struct row_dump *dump;
	int err = admit_dump(cb);

	if (err)
		return err;
	if (!attrs[FLT_TASK_TGID]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "TGID is missing");
		return -EINVAL;
	}
	dump = kzalloc(sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	dump->tgid = nla_get_u32(attrs[FLT_TASK_TGID]);
	dump->kinds = nla_get_flag(attrs[FLT_TASK_KINDS]);
	cb->args[0] = (long)dump;
	return 0;
}

static int dump_tasks(struct sk_buff *skb, struct netlink_callback *cb)
{
	pid_t tid = cb->args[1];
	struct row_dump *dump;
	int err = cb->args[0] ? 0 : begin_tasks(cb);

	if (err)
		return err;
	dump = (void *)cb->args[0];
	while (!(err = flt_task_next(dump->tgid, &tid, &dump->task))) {
		if (DUMP_ROW(skb, cb, FLT_CMD_TASK_GET,
			     flt_reply_task(skb, dump->tgid, &dump->task, dump->kinds)))
			break;
		cb->args[1] = tid;
	}
	/* A process that ends in mid-dump has no more threads; one never seen is an error. */
	if (err == -ESRCH && !cb->args[1]) {
		NL_SET_ERR_MSG_MOD(cb->extack, "no fault of that process was counted");
		return err;
	}
	return skb->len;
}

static int done_rows(struct netlink_callback *cb)
{
	kfree((void *)cb->args[0]);
	return 0;
}

#define NO_ATTRIBUTES .policy = no_policy, .maxattr = ARRAY_SIZE(no_policy) - 1

static const struct genl_ops ops[] = {
	{
		.cmd = FLT_CMD_INFO_GET,
		.doit = do_info,
		NO_ATTRIBUTES,
	}, {
		.cmd = FLT_CMD_HOOK_GET,
		.dumpit = dump_hooks,
		NO_ATTRIBUTES,
	}, {
		.cmd = FLT_CMD_TALLY_GET,
		.doit = do_tally,
		NO_ATTRIBUTES,
	}, {
		.cmd = FLT_CMD_LATENCY_GET,
		.dumpit = dump_latency,
		NO_ATTRIBUTES,
	}, {
		.cmd = FLT_CMD_PROC_GET,
		.doit = do_proc,
		.dumpit = dump_procs,
		.done = done_rows,
		.policy = proc_policy,
		.maxattr = FLT_PROC_MAX,
	}, {
		.cmd = FLT_CMD_TASK_GET,
		.dumpit = dump_tasks,
		.done = done_rows,
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
	},
};

static struct genl_family family __ro_after_init = {
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
	    net_eq(n->net, &init_net))
		flt_session_close_all(n->portid);
	return NOTIFY_DONE;
}

static struct notifier_block release_notifier = { .notifier_call = on_release };

int __init flt_netlink_init(void)
{
	int err = netlink_register_notifier(&release_notifier);

	if (err)
		return err;
	err = genl_register_family(&family);
	if (err)
		netlink_unregister_notifier(&release_notifier);
	return err;
}

void flt_netlink_exit(void)
{
	genl_unregister_family(&family);
	netlink_unregister_notifier(&release_notifier);
}
