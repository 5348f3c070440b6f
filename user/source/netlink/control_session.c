// SPDX-License-Identifier: GPL-2.0-or-later
/* control_session.c - open, read and close sessions of the module. */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "source/netlink/connection.h"
#include "source/netlink/control.h"
#include "source/netlink/decode.h"

static int take_session(void *arg, struct nlattr *attrs, int length)
{
	return flt_decode_session(attrs, length, arg);
}

static int put_filter(struct nl_msg *request, const struct flt_stream_filter *f)
{
	/* libnl before 3.5 does not add the flag, which the kernel demands. */
	struct nlattr *nest = nla_nest_start(request, FLT_SESSION_FILTER | NLA_F_NESTED);

	if (!nest || (f->kinds && nla_put_u32(request, FLT_FILTER_KINDS, f->kinds)) ||
	    (f->results && nla_put_u32(request, FLT_FILTER_RESULTS, f->results)) ||
	    (f->latency && nla_put_u64(request, FLT_FILTER_LATENCY, f->latency)) ||
	    (f->sample && nla_put_u32(request, FLT_FILTER_SAMPLE, f->sample)) ||
	    (f->cgroup && nla_put_u64(request, FLT_FILTER_CGROUP, f->cgroup)) ||
	    (f->comm && nla_put_string(request, FLT_FILTER_COMM, f->comm)) ||
	    (f->by_uid && nla_put_u32(request, FLT_FILTER_UID, f->uid)))
		return -ENOMEM;
	if (f->address_end && (nla_put_u64(request, FLT_FILTER_ADDRESS, f->address) ||
			       nla_put_u64(request, FLT_FILTER_ADDRESS_END, f->address_end)))
		return -ENOMEM;
	if (f->inode && (nla_put_u32(request, FLT_FILTER_DEV, f->dev) ||
			 nla_put_u64(request, FLT_FILTER_INODE, f->inode)))
		return -ENOMEM;
	/* Drop an empty nest: without a filter, all faults pass. */
	nla_nest_end(request, nest);
	return 0;
}

static int put_stream(struct nl_msg *request, const struct flt_stream_wish *wish)
{
	if (nla_put_flag(request, FLT_SESSION_STREAM) ||
	    nla_put_u32(request, FLT_SESSION_SUBBUF_SIZE, wish->subbuf_size) ||
	    nla_put_u32(request, FLT_SESSION_SUBBUFS, wish->subbufs) ||
	    (wish->stacks && nla_put_u32(request, FLT_SESSION_STACKS, wish->stacks)) ||
	    (wish->slice && nla_put_u32(request, FLT_SESSION_SLICE, wish->slice)) ||
	    (wish->causes && nla_put_flag(request, FLT_SESSION_EVENT_CAUSES)))
		return -ENOMEM;
	/* A module older than channels has relay only, and does not know the attribute. */
	if (wish->channel == FLT_STREAM_NETLINK &&
	    nla_put_u32(request, FLT_SESSION_CHANNEL, FLT_CHANNEL_NETLINK))
		return -ENOMEM;
	if ((wish->notes && nla_put_flag(request, FLT_SESSION_NOTES)) ||
	    (wish->areas && nla_put_flag(request, FLT_SESSION_AREAS)))
		return -ENOMEM;
	return put_filter(request, &wish->filter);
}

/* Send a request for a new session, and return the ID of the session. */
static int ask_new(struct flt_control *control, struct nl_msg *request, uint32_t *id,
		   struct flt_errmsg *e)
{
	struct flt_session session = { 0 };
	int ret = flt_control_ask(control, request, take_session, &session, e);

	if (!ret)
		*id = session.id;
	return ret;
}

/* Put the processes of a new session into its request. */
static int put_targets(struct nl_msg *request, const uint32_t *tgids, size_t count, bool follow)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (nla_put_u32(request, FLT_SESSION_TGID, tgids[i]))
			return -ENOMEM;
	return follow ? nla_put_flag(request, FLT_SESSION_FOLLOW) : 0;
}

int flt_control_stream_new(struct flt_control *control, const uint32_t *tgids, size_t count,
			   bool follow, const struct flt_stream_wish *wish, uint32_t *id,
			   struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_SESSION_NEW, 0);

	if (!request || put_targets(request, tgids, count, follow) ||
	    (wish && put_stream(request, wish)))
		return flt_genl_drop(request);
	return ask_new(control, request, id, e);
}

int flt_control_session_new(struct flt_control *control, const uint32_t *tgids, size_t count,
			    bool follow, uint32_t *id, struct flt_errmsg *e)
{
	return flt_control_stream_new(control, tgids, count, follow, NULL, id, e);
}

int flt_control_hist_new(struct flt_control *control, const uint32_t *tgids, size_t count,
			 bool follow, const struct flt_hist_wish *wish, uint32_t *id,
			 struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_SESSION_NEW, 0);

	if (!request || put_targets(request, tgids, count, follow) ||
	    (wish->procs && nla_put_u32(request, FLT_SESSION_HIST, wish->procs)) ||
	    (wish->cgroup && nla_put_u64(request, FLT_SESSION_HIST_CGROUP, wish->cgroup)) ||
	    (wish->causes && nla_put_flag(request, FLT_SESSION_CAUSES)))
		return flt_genl_drop(request);
	return ask_new(control, request, id, e);
}

int flt_control_counts_new(struct flt_control *control, uint32_t *id, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_SESSION_NEW, 0);

	if (!request || nla_put_flag(request, FLT_SESSION_COUNTS))
		return flt_genl_drop(request);
	return ask_new(control, request, id, e);
}

static int ask_session(struct flt_control *control, uint8_t command, uint32_t id, bool kinds,
		       flt_genl_fn fn, struct flt_session *out, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, command, 0);

	if (!request || nla_put_u32(request, FLT_SESSION_ID, id) ||
	    (kinds && nla_put_flag(request, FLT_SESSION_KINDS)))
		return flt_genl_drop(request);
	return flt_control_ask(control, request, fn, out, e);
}

int flt_control_session(struct flt_control *control, uint32_t id, bool kinds,
			struct flt_session *out, struct flt_errmsg *e)
{
	*out = (struct flt_session){ 0 };
	return ask_session(control, FLT_CMD_SESSION_GET, id, kinds, take_session, out, e);
}

int flt_control_session_del(struct flt_control *control, uint32_t id, struct flt_errmsg *e)
{
	return ask_session(control, FLT_CMD_SESSION_DEL, id, false, NULL, NULL, e);
}
