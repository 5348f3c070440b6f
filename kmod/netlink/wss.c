// SPDX-License-Identifier: GPL-2.0-only
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include "netlink/wss.h"
#include "netlink/orphans.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "wss/wss.h"

int flt_netlink_wss_track(struct sk_buff *request, struct genl_info *info)
{
	struct flt_wss_config config;
	u32 tgids[FLT_SESSION_TGIDS_MAX], count, id;
	struct sk_buff *skb;
	void *head;
	int err = flt_request_admit_change(request, info);

	if (!err)
		err = flt_request_wss(&config, tgids, &count, info);
	if (err)
		return err;
	/* Allocate the reply first, because nothing may fail after the tracker has started. */
	skb = flt_reply_begin(info, FLT_CMD_WSS_TRACK, &head);
	if (!skb)
		return -ENOMEM;
	flt_orphans_end_trackers();
	err = flt_wss_track(NETLINK_CB(request).sk, tgids, count, &config, &id);
	switch (err) {
	case 0:
		err = nla_put_u32(skb, FLT_WSS_ID, id);
		break;
	case -ENOSPC:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "cannot track: all trackers or all process slots are taken");
		break;
	case -ESRCH:
		NL_SET_ERR_MSG_MOD(info->extack, "no such process");
		break;
	case -EINVAL:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "invalid TGID: a kernel thread has no memory of its own");
		break;
	case -EBUSY:
		NL_SET_ERR_MSG_MOD(info->extack,
				   "that process is tracked already; accessed bits tell only one");
		break;
	default:
		NL_SET_ERR_MSG_MOD(info->extack, "cannot set up the tracker");
	}
	return flt_reply_end(skb, info, head, err);
}

static int wss_id(struct genl_info *info, u32 *id)
{
	int i, err = 0;

	for (i = FLT_WSS_ID + 1; !err && i <= FLT_WSS_MAX; i++)
		err = flt_request_refuse(info->attrs[i],
					 "flt: invalid attribute: this command takes only ID",
					 info->extack);
	if (!err && !info->attrs[FLT_WSS_ID]) {
		NL_SET_ERR_MSG_MOD(info->extack, "missing ID");
		err = -EINVAL;
	}
	if (!err)
		*id = nla_get_u32(info->attrs[FLT_WSS_ID]);
	return err;
}

static int no_tracker(struct genl_info *info, int err)
{
	struct nlattr *id = info->attrs[FLT_WSS_ID];

	if (err == -EACCES)
		NL_SET_ERR_MSG_ATTR(info->extack, id,
				    "flt: cannot remove the tracker: another socket owns it");
	else
		NL_SET_ERR_MSG_ATTR(info->extack, id, "flt: invalid ID: no such tracker");
	return err;
}

int flt_netlink_wss_untrack(struct sk_buff *request, struct genl_info *info)
{
	u32 id;
	int err = flt_request_admit_change(request, info);

	if (!err)
		err = wss_id(info, &id);
	if (err)
		return err;
	err = flt_wss_untrack(NETLINK_CB(request).sk, id);
	return err ? no_tracker(info, err) : 0;
}

int flt_netlink_wss_get(struct sk_buff *request, struct genl_info *info)
{
	struct flt_wss_status *status;
	struct sk_buff *skb;
	void *head;
	u32 id;
	int err = flt_request_admit(request, info);

	if (!err)
		err = wss_id(info, &id);
	if (err)
		return err;
	status = kmalloc(sizeof(*status), GFP_KERNEL);
	if (!status)
		return -ENOMEM;
	err = flt_wss_status(id, status);
	if (err) {
		err = no_tracker(info, err);
		goto out;
	}
	skb = flt_reply_begin(info, FLT_CMD_WSS_GET, &head);
	err = skb ? flt_reply_end(skb, info, head, flt_reply_wss_status(skb, status)) : -ENOMEM;
out:
	kfree(status);
	return err;
}
