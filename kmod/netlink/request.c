// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/log2.h>
#include <linux/threads.h>
#include <linux/time64.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>
#include "fault/cause.h"
#include "hook/hook.h"
#include "mm/pidns.h"
#include "netlink/request.h"

#define KNOWN_FLAGS (NLM_F_REQUEST | NLM_F_ACK | NLM_F_ECHO | NLM_F_DUMP)

/*
 * GENL_ADMIN_PERM checks for CAP_NET_ADMIN, which is unrelated. netlink_capable() checks
 * both the opener of the socket and the sender, in the initial user namespace.
 */
static int admit(struct sk_buff *skb, const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	if (!netlink_capable(skb, CAP_PERFMON) && !netlink_capable(skb, CAP_SYS_ADMIN)) {
		NL_SET_ERR_MSG_MOD(extack,
				   "missing CAP_PERFMON or CAP_SYS_ADMIN in the initial userns");
		return -EPERM;
	}
	if (!flt_pidns_is_served()) {
		NL_SET_ERR_MSG_MOD(extack, "cannot serve a PID namespace nested deeper than 4");
		return -EOPNOTSUPP;
	}
	if (nlh->nlmsg_flags & ~KNOWN_FLAGS) {
		NL_SET_ERR_MSG_MOD(extack, "invalid flag: use NLM_F_REQUEST, ACK, ECHO or DUMP");
		return -EINVAL;
	}
	return 0;
}

int flt_request_admit(struct sk_buff *skb, struct genl_info *info)
{
	return admit(skb, info->nlhdr, info->extack);
}

int flt_request_admit_change(struct sk_buff *skb, struct genl_info *info)
{
	int err = admit(skb, info->nlhdr, info->extack);

	if (err || netlink_capable(skb, CAP_SYS_ADMIN))
		return err;
	NL_SET_ERR_MSG_MOD(info->extack,
			   "missing CAP_SYS_ADMIN: tracking changes page tables");
	return -EPERM;
}

#define ADMITTED 5	/* index in cb->args */

/*
 * Checks only the first call of a dump, which runs in the context of the sender. The check
 * is not in .start, because before 6.2 the extack is not available there.
 */
int flt_request_admit_dump(struct netlink_callback *cb)
{
	int err = cb->args[ADMITTED] ? 0 : admit(cb->skb, cb->nlh, cb->extack);

	cb->args[ADMITTED] = !err;
	return err;
}

int flt_request_refuse_inner(struct netlink_ext_ack *extack)
{
	if (!flt_pidns_is_inner())
		return 0;
	NL_SET_ERR_MSG_MOD(extack,
			   "cannot show the machine in a PID namespace: open a session");
	return -EOPNOTSUPP;
}

/* Requests and replies share one attribute set, so a request may have attributes of a reply. */
int flt_request_refuse(struct nlattr *attr, const char *why, struct netlink_ext_ack *extack)
{
	if (!attr)
		return 0;
	if (extack)
		extack->_msg = why;
	NL_SET_BAD_ATTR(extack, attr);
	return -EINVAL;
}

/* Not const, because before 6.7 struct nla_policy has a pointer to non-const. */
static struct netlink_range_validation sample_range = { .min = 1, .max = U16_MAX };

const struct nla_policy flt_request_filter[FLT_FILTER_MAX + 1] = {
	[FLT_FILTER_KINDS] = NLA_POLICY_RANGE(NLA_U32, 1, (1 << __FLT_KIND_MAX) - 1),
	[FLT_FILTER_RESULTS] = NLA_POLICY_RANGE(NLA_U32, 1, (2 << FLT_RESULT_FAILED) - 1),
	[FLT_FILTER_LATENCY] = { .type = NLA_U64 },
	[FLT_FILTER_ADDRESS] = { .type = NLA_U64 },
	[FLT_FILTER_ADDRESS_END] = { .type = NLA_U64 },
	[FLT_FILTER_DEV] = { .type = NLA_U32 },
	[FLT_FILTER_INODE] = { .type = NLA_U64 },
	[FLT_FILTER_UID] = { .type = NLA_U32 },
	[FLT_FILTER_COMM] = { .type = NLA_NUL_STRING, .len = TASK_COMM_LEN - 1 },
	[FLT_FILTER_SAMPLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &sample_range),
	[FLT_FILTER_CGROUP] = NLA_POLICY_MIN(NLA_U64, 1),
};

static int parse_filter(struct flt_filter *f, struct nlattr *nest,
			struct netlink_ext_ack *extack)
{
	struct nlattr *a[FLT_FILTER_MAX + 1];
	u64 end;
	int err = nla_parse_nested(a, FLT_FILTER_MAX, nest, flt_request_filter, extack);

	if (err)
		return err;
	if (a[FLT_FILTER_KINDS])
		f->kinds = nla_get_u32(a[FLT_FILTER_KINDS]);
	if (a[FLT_FILTER_RESULTS])
		f->results = nla_get_u32(a[FLT_FILTER_RESULTS]);
	if (a[FLT_FILTER_LATENCY])
		f->latency = nla_get_u64(a[FLT_FILTER_LATENCY]);
	if (a[FLT_FILTER_SAMPLE])
		f->sample = nla_get_u32(a[FLT_FILTER_SAMPLE]);
	if (a[FLT_FILTER_COMM]) {
		f->by_comm = true;
		nla_strscpy(f->comm, a[FLT_FILTER_COMM], sizeof(f->comm));
	}
	if (a[FLT_FILTER_CGROUP]) {
		f->cgroup = nla_get_u64(a[FLT_FILTER_CGROUP]);
		if (!FLT_CGROUPS) {
			NL_SET_ERR_MSG_ATTR(extack, a[FLT_FILTER_CGROUP],
					    "flt: cannot use CGROUP: no CONFIG_CGROUPS");
			return -EOPNOTSUPP;
		}
	}
	if (a[FLT_FILTER_UID]) {
		f->by_uid = true;
		f->uid = make_kuid(&init_user_ns, nla_get_u32(a[FLT_FILTER_UID]));
		if (!uid_valid(f->uid)) {
			NL_SET_ERR_MSG_ATTR(extack, a[FLT_FILTER_UID],
					    "flt: invalid UID in the initial user namespace");
			return -EINVAL;
		}
	}
	if (!a[FLT_FILTER_DEV] != !a[FLT_FILTER_INODE] ||
	    (a[FLT_FILTER_INODE] && !nla_get_u64(a[FLT_FILTER_INODE]))) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "flt: invalid file: give both DEV and a nonzero INODE");
		return -EINVAL;
	}
	if (a[FLT_FILTER_INODE]) {
		f->inode = nla_get_u64(a[FLT_FILTER_INODE]);
		f->dev = nla_get_u32(a[FLT_FILTER_DEV]);
	}
	if (a[FLT_FILTER_ADDRESS]) {
		f->address = nla_get_u64(a[FLT_FILTER_ADDRESS]);
		end = a[FLT_FILTER_ADDRESS_END] ? nla_get_u64(a[FLT_FILTER_ADDRESS_END]) :
						  f->address + 1;
		f->length = end - f->address;
		if (end <= f->address) {
			NL_SET_ERR_MSG_ATTR(extack, a[FLT_FILTER_ADDRESS],
					    "flt: invalid ADDRESS_END: must be above ADDRESS");
			return -EINVAL;
		}
	} else if (a[FLT_FILTER_ADDRESS_END]) {
		NL_SET_ERR_MSG_ATTR(extack, a[FLT_FILTER_ADDRESS_END],
				    "flt: missing ADDRESS for ADDRESS_END");
		return -EINVAL;
	}
	return 0;
}

int flt_request_stream(struct flt_stream_config *c, struct nlattr **attrs,
		       struct netlink_ext_ack *extack)
{
	struct nlattr *size = attrs[FLT_SESSION_SUBBUF_SIZE];
	struct nlattr *count = attrs[FLT_SESSION_SUBBUFS];
	struct nlattr *filter = attrs[FLT_SESSION_FILTER];
	struct nlattr *stacks = attrs[FLT_SESSION_STACKS];
	struct nlattr *slice = attrs[FLT_SESSION_SLICE];
	struct nlattr *causes = attrs[FLT_SESSION_EVENT_CAUSES];

	*c = (struct flt_stream_config) {
		.subbuf_size = size ? nla_get_u32(size) : 256 << 10,
		.subbufs = count ? nla_get_u32(count) : 8,
		.notes = nla_get_flag(attrs[FLT_SESSION_NOTES]),
		.areas = nla_get_flag(attrs[FLT_SESSION_AREAS]),
		.split = causes ? flt_cause_parts : NULL,
		.filter = FLT_FILTER_ALL,
		.stack = {
			.depth = stacks ? nla_get_u32(stacks) : 0,
			.slice = slice ? nla_get_u32(slice) : 0,
		},
	};
	if (c->areas && !c->notes) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[FLT_SESSION_AREAS],
				    "flt: missing NOTES for AREAS");
		return -EINVAL;
	}
	if (!is_power_of_2(c->subbuf_size)) {
		NL_SET_ERR_MSG_ATTR(extack, size,
				    "flt: invalid SUBBUF_SIZE: must be a power of two");
		return -EINVAL;
	}
	if (causes && !FLT_HAVE_DELAYS) {
		NL_SET_ERR_MSG_ATTR(extack, causes,
				    "flt: cannot use EVENT_CAUSES: no CONFIG_TASK_DELAY_ACCT");
		return -EOPNOTSUPP;
	}
	/* A sub-buffer must hold its head, the slice and the fault. */
	if (slice && 64 * (FLT_STACK_SLICE_SLOTS(c->stack.slice) + 2) > c->subbuf_size) {
		NL_SET_ERR_MSG_ATTR(extack, slice,
				    "flt: invalid SLICE: too large for SUBBUF_SIZE");
		return -EINVAL;
	}
	return filter ? parse_filter(&c->filter, filter, extack) : 0;
}

static struct netlink_range_validation wss_id_range = { .min = 1, .max = U32_MAX };
static struct netlink_range_validation wss_pid_range = { .min = 1, .max = PID_MAX_LIMIT };
static struct netlink_range_validation wss_interval_range = {
	.min = 10 * NSEC_PER_MSEC, .max = 3600 * NSEC_PER_SEC,
};

const struct nla_policy flt_request_wss_policy[FLT_WSS_MAX + 1] = {
	[FLT_WSS_ID] = NLA_POLICY_FULL_RANGE(NLA_U32, &wss_id_range),
	[FLT_WSS_TGID] = NLA_POLICY_FULL_RANGE(NLA_U32, &wss_pid_range),
	[FLT_WSS_FOLLOW] = { .type = NLA_FLAG },
	[FLT_WSS_INTERVAL] = NLA_POLICY_FULL_RANGE(NLA_U64, &wss_interval_range),
	[FLT_WSS_HISTORY] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[FLT_WSS_BUDGET] = NLA_POLICY_RANGE(NLA_U32, 1, 100),
	[FLT_WSS_AFTER] = { .type = NLA_U64 },
	[FLT_WSS_CGROUP] = NLA_POLICY_MIN(NLA_U64, 1),
	[FLT_WSS_INJECT] = { .type = NLA_FLAG },
};

/* What this kernel cannot do of what is wanted. */
static int check_wss(const struct flt_wss_config *c, struct netlink_ext_ack *extack)
{
	if (c->follow && !(flt_hook_features() & FLT_FEATURE_FOLLOW)) {
		NL_SET_ERR_MSG_MOD(extack, "cannot follow forks on this kernel: leave out FOLLOW");
		return -EOPNOTSUPP;
	}
	if (c->inject && !flt_wss_scan_can_inject()) {
		NL_SET_ERR_MSG_MOD(extack,
				   "cannot make pages fault on this kernel: leave out INJECT");
		return -EOPNOTSUPP;
	}
	if (c->cgroup && !FLT_CGROUPS) {
		NL_SET_ERR_MSG_MOD(extack, "cannot track a CGROUP: kernel without CONFIG_CGROUPS");
		return -EOPNOTSUPP;
	}
	return 0;
}

int flt_request_wss(struct flt_wss_config *c, u32 *tgids, u32 *count, struct genl_info *info)
{
	struct nlattr **a = info->attrs, *attr;
	int rest, err;

	err = flt_request_refuse(a[FLT_WSS_ID], "flt: invalid attribute ID: the module chooses it",
				 info->extack);
	if (!err)
		err = flt_request_refuse(a[FLT_WSS_AFTER],
					 "flt: invalid attribute AFTER: use it in WSS_GET dumps",
					 info->extack);
	if (err)
		return err;
	*count = 0;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rest) {
		if (nla_type(attr) != FLT_WSS_TGID)
			continue;
		if (*count == FLT_SESSION_TGIDS_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "flt: invalid request: at most 64 TGIDs");
			return -ERANGE;
		}
		tgids[(*count)++] = nla_get_u32(attr);
	}
	if (!*count && !a[FLT_WSS_CGROUP]) {
		NL_SET_ERR_MSG_MOD(info->extack, "missing target: give TGID or CGROUP");
		return -EINVAL;
	}
	if (*count && a[FLT_WSS_CGROUP]) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[FLT_WSS_CGROUP],
				    "flt: invalid target: give TGID or CGROUP, not both");
		return -EINVAL;
	}
	*c = (struct flt_wss_config) {
		.interval = a[FLT_WSS_INTERVAL] ? nla_get_u64(a[FLT_WSS_INTERVAL]) : NSEC_PER_SEC,
		.history = a[FLT_WSS_HISTORY] ? nla_get_u32(a[FLT_WSS_HISTORY]) : 256,
		.budget = a[FLT_WSS_BUDGET] ? nla_get_u32(a[FLT_WSS_BUDGET]) : 2,
		.follow = nla_get_flag(a[FLT_WSS_FOLLOW]),
		.inject = nla_get_flag(a[FLT_WSS_INJECT]),
		.cgroup = a[FLT_WSS_CGROUP] ? nla_get_u64(a[FLT_WSS_CGROUP]) : 0,
	};
	return check_wss(c, info->extack);
}
