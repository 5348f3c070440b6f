// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delayacct.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include "mm/cgroup.h"
#include "netlink/orphans.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "netlink/session.h"
#include "netlink/session_cmd.h"

/* Explain why flt_session_open() failed. Return the error for the client. */
static int refuse_session(struct genl_info *info, int err)
{
	switch (err) {
	case -ENOSPC:
		NL_SET_ERR_MSG_MOD(info->extack, "cannot open a session: all sessions are taken");
		break;
	case -ESRCH:
		NL_SET_ERR_MSG_MOD(info->extack, "invalid TGID: no such process");
		break;
	case -ENFILE:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "too many processes; load flt with a larger max_live");
		break;
	case -ENOTSUPP:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "cannot use FOLLOW, THP or NUMA: this kernel lacks the hooks");
		return -EOPNOTSUPP;
	case -EDQUOT:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "buffers and histograms of sessions would exceed max_buffers");
		break;
	case -ENOMEM:
		NL_SET_ERR_MSG_MOD(info->extack, "cannot allocate buffers or rows: out of memory");
		break;
	case -EOPNOTSUPP:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "cannot create relay files without debugfs; use netlink");
		break;
	default:
		NL_SET_ERR_MSG_MOD(info->extack, "cannot arm the probes");
	}
	return err;
}

/* Collect the TGIDs of a request, at most FLT_SESSION_TGIDS_MAX. */
static int read_tgids(struct genl_info *info, struct flt_session_config *session, u32 *tgids)
{
	struct nlattr *attr;
	int rest;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(attr) != FLT_SESSION_TGID)
			continue;
		if (session->count == FLT_SESSION_TGIDS_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "flt: invalid request: at most 64 TGIDs");
			return -ERANGE;
		}
		tgids[session->count++] = nla_get_u32(attr);
	}
	if (session->follow && !session->count) {
		NL_SET_ERR_MSG_MOD(info->extack, "missing TGID for FOLLOW");
		return -EINVAL;
	}
	return 0;
}

/* Decode which histograms and causes the session keeps, if it does. */
static int read_hist(struct genl_info *info, struct flt_session_config *session,
		     struct flt_hist_config *config)
{
	struct nlattr *procs = info->attrs[FLT_SESSION_HIST];
	struct nlattr *cgroup = info->attrs[FLT_SESSION_HIST_CGROUP];
	struct nlattr *causes = info->attrs[FLT_SESSION_CAUSES];

	if (!procs && !causes)
		return flt_request_refuse(cgroup, "flt: missing HIST or CAUSES for HIST_CGROUP",
					  info->extack);
	if (causes && !FLT_HAVE_DELAYS) {
		NL_SET_ERR_MSG_ATTR(info->extack, causes,
				    "flt: cannot use CAUSES: no CONFIG_TASK_DELAY_ACCT");
		return -EOPNOTSUPP;
	}
	if (cgroup && session->count)
		return flt_request_refuse(cgroup, "flt: HIST_CGROUP and TGID exclude each other",
					  info->extack);
	if (cgroup && !FLT_CGROUPS) {
		NL_SET_ERR_MSG_ATTR(info->extack, cgroup,
				    "flt: cannot use HIST_CGROUP: no CONFIG_CGROUPS");
		return -EOPNOTSUPP;
	}
	*config = (struct flt_hist_config) {
		.procs = procs ? nla_get_u32(procs) : 0,
		.cgroup = cgroup ? nla_get_u64(cgroup) : 0,
		.causes = causes,
	};
	session->hist = config;
	return 0;
}

/* Decode what the session streams, if it does. */
static int read_stream(struct genl_info *info, struct flt_session_config *session,
		       struct flt_stream_config *config)
{
	static const u8 stream_attrs[] = {
		FLT_SESSION_SUBBUF_SIZE, FLT_SESSION_SUBBUFS, FLT_SESSION_FILTER,
		FLT_SESSION_NOTES, FLT_SESSION_AREAS, FLT_SESSION_STACKS, FLT_SESSION_SLICE,
		FLT_SESSION_EVENT_CAUSES, FLT_SESSION_CHANNEL,
	};
	struct nlattr *channel = info->attrs[FLT_SESSION_CHANNEL];
	int i, err;

	if (nla_get_flag(info->attrs[FLT_SESSION_STREAM])) {
		err = flt_request_stream(config, info->attrs, info->extack);
		if (err)
			return err;
		session->stream = config;
		session->netlink = channel && nla_get_u32(channel) == FLT_CHANNEL_NETLINK;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(stream_attrs); i++) {
		if (info->attrs[stream_attrs[i]]) {
			NL_SET_ERR_MSG_MOD(info->extack,
					   "missing STREAM for an attribute of a stream");
			return -EINVAL;
		}
	}
	return 0;
}

int flt_netlink_session_new(struct sk_buff *request, struct genl_info *info)
{
	u32 tgids[FLT_SESSION_TGIDS_MAX], id;
	struct flt_session_config session = {
		.tgids = tgids,
		.follow = nla_get_flag(info->attrs[FLT_SESSION_FOLLOW]),
		.thp = nla_get_flag(info->attrs[FLT_SESSION_THP]),
		.numa = nla_get_flag(info->attrs[FLT_SESSION_NUMA]),
		.counts = nla_get_flag(info->attrs[FLT_SESSION_COUNTS]),
	};
	struct flt_stream_config config;
	struct flt_hist_config hist;
	struct sk_buff *skb;
	void *head;
	int err = flt_request_admit(request, info);

	if (!err)
		err = flt_request_refuse(info->attrs[FLT_SESSION_ID],
					 "flt: invalid attribute ID: the module chooses it",
					 info->extack);
	if (!err)
		err = flt_request_refuse(info->attrs[FLT_SESSION_KINDS],
					 "flt: invalid attribute KINDS: use it in SESSION_GET",
					 info->extack);
	if (!err)
		err = read_tgids(info, &session, tgids);
	if (!err)
		err = read_stream(info, &session, &config);
	if (!err)
		err = read_hist(info, &session, &hist);
	if (!err && session.counts &&
	    (session.stream || session.hist || session.thp || session.numa))
		err = flt_request_refuse(info->attrs[FLT_SESSION_COUNTS],
					 "flt: COUNTS excludes STREAM, HIST, CAUSES, THP and NUMA",
					 info->extack);
	if (err)
		return err;
	/* Allocate the reply first, because nothing may fail after the session is open. */
	skb = flt_reply_begin(info, FLT_CMD_SESSION_NEW, &head);
	if (!skb)
		return -ENOMEM;
	flt_orphans_close_sessions();
	err = flt_session_open(NETLINK_CB(request).sk, &session, &id);
	err = err ? refuse_session(info, err) : nla_put_u32(skb, FLT_SESSION_ID, id);
	return flt_reply_end(skb, info, head, err);
}

static int session_id(struct genl_info *info, u32 *id)
{
	int err = flt_request_refuse(info->attrs[FLT_SESSION_TGID],
				     "flt: invalid attribute TGID: use it in SESSION_NEW",
				     info->extack);
	int i;

	for (i = FLT_SESSION_FOLLOW; !err && i <= FLT_SESSION_MAX; i++)
		if (i != FLT_SESSION_KINDS)
			err = flt_request_refuse(info->attrs[i],
						 "flt: invalid attribute: use it in SESSION_NEW",
						 info->extack);
	if (err)
		return err;
	if (!info->attrs[FLT_SESSION_ID]) {
		NL_SET_ERR_MSG_MOD(info->extack, "missing ID");
		return -EINVAL;
	}
	*id = nla_get_u32(info->attrs[FLT_SESSION_ID]);
	return 0;
}

static int refuse_session_id(struct genl_info *info, int err)
{
	struct nlattr *id = info->attrs[FLT_SESSION_ID];

	if (err == -EACCES)
		NL_SET_ERR_MSG_ATTR(info->extack, id,
				    "flt: cannot close the session: another socket owns it");
	else
		NL_SET_ERR_MSG_ATTR(info->extack, id, "flt: invalid ID: no such session");
	return err;
}

int flt_netlink_session_get(struct sk_buff *request, struct genl_info *info)
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
		err = refuse_session_id(info, err);
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

int flt_netlink_session_del(struct sk_buff *request, struct genl_info *info)
{
	u32 id;
	int err = flt_request_admit(request, info);

	if (!err)
		err = flt_request_refuse(info->attrs[FLT_SESSION_KINDS],
					 "flt: invalid attribute KINDS: use it in SESSION_GET",
					 info->extack);
	if (!err)
		err = session_id(info, &id);
	if (err)
		return err;
	err = flt_session_close(NETLINK_CB(request).sk, id);
	return err ? refuse_session_id(info, err) : 0;
}
