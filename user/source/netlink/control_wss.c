// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/netlink/control_wss.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "source/netlink/connection.h"
#include "source/netlink/control.h"
#include "source/netlink/decode.h"

#define U32 { .type = NLA_U32 }
#define U64 { .type = NLA_U64 }
#define NEST { .type = NLA_NESTED }

static const struct nla_policy policy[FLT_WSS_MAX + 1] = {
	[FLT_WSS_ID] = U32,
	[FLT_WSS_TGID] = U32,
	[FLT_WSS_TARGETS] = U32,
	[FLT_WSS_LIVE] = U32,
	[FLT_WSS_UNTRACKED] = U64,
	[FLT_WSS_SAMPLES] = U64,
	[FLT_WSS_OVERWRITTEN] = U64,
	[FLT_WSS_BUSY] = U64,
	[FLT_WSS_KEY] = U64,
	[FLT_WSS_INDEX] = U64,
	[FLT_WSS_START] = U64,
	/* libnl refuses a string without a NUL. */
	[FLT_WSS_COMM] = { .type = NLA_UNSPEC },
	[FLT_WSS_FLAGS] = U32,
	[FLT_WSS_TIME] = U64,
	[FLT_WSS_WINDOW] = U64,
	[FLT_WSS_DURATION] = U64,
	[FLT_WSS_HELD_MAX] = U64,
	[FLT_WSS_PAGES] = U64,
	[FLT_WSS_SPECIAL] = U64,
	[FLT_WSS_HUGETLB] = U64,
	[FLT_WSS_DEVICE] = U64,
	[FLT_WSS_RSS] = U64,
	[FLT_WSS_HUGE] = U64,
	[FLT_WSS_ANON] = U64,
	[FLT_WSS_FILE] = U64,
	[FLT_WSS_SHMEM] = U64,
	[FLT_WSS_AREA] = NEST,
	[FLT_WSS_NODE] = NEST,
	[FLT_WSS_FIRST_TOUCH] = U64,
	[FLT_WSS_REFAULT] = U64,
	[FLT_WSS_MAJOR] = U64,
	[FLT_WSS_CGROUP] = U64,
	[FLT_WSS_LEFT] = U64,
	[FLT_WSS_ROUND] = U64,
	[FLT_WSS_HOLDS] = NEST,
};

static int parse(struct nlattr **tb, struct nlattr *attrs, int length)
{
	return nla_parse(tb, FLT_WSS_MAX, attrs, length,
			 (struct nla_policy *)policy) ? -EBADMSG : 0;
}

static uint32_t u32_of(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static uint64_t u64_of(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

/* Decode a nest: attribute i + 1 is out[i]. Values past the end are added to the last element. */
static int shares(struct nlattr *nest, uint64_t *out, size_t count)
{
	struct nlattr *attr;
	size_t i;
	int rest;

	if (!nest)
		return 0;
	nla_for_each_nested(attr, nest, rest) {
		if (nla_len(attr) < (int)sizeof(uint64_t) || nla_type(attr) < 1)
			return -EBADMSG;
		i = (size_t)nla_type(attr) - 1;
		out[i < count ? i : count - 1] += nla_get_u64(attr);
	}
	return 0;
}

static int decode(struct nlattr *attrs, int length, struct flt_sample *s)
{
	struct nlattr *tb[FLT_WSS_MAX + 1];
	size_t n;
	int ret;

	ret = parse(tb, attrs, length);
	if (ret)
		return ret;
	if (!tb[FLT_WSS_TGID] || !tb[FLT_WSS_KEY])
		return -EBADMSG;
	*s = (struct flt_sample){
		.tgid = u32_of(tb[FLT_WSS_TGID]),
		.key = u64_of(tb[FLT_WSS_KEY]),
		.index = u64_of(tb[FLT_WSS_INDEX]),
		.round = u64_of(tb[FLT_WSS_ROUND]),
		.start = u64_of(tb[FLT_WSS_START]),
		.flags = u32_of(tb[FLT_WSS_FLAGS]),
		.time = u64_of(tb[FLT_WSS_TIME]),
		.window = u64_of(tb[FLT_WSS_WINDOW]),
		.duration = u64_of(tb[FLT_WSS_DURATION]),
		.held_max = u64_of(tb[FLT_WSS_HELD_MAX]),
		.pages = u64_of(tb[FLT_WSS_PAGES]),
		.special = u64_of(tb[FLT_WSS_SPECIAL]),
		.hugetlb = u64_of(tb[FLT_WSS_HUGETLB]),
		.device = u64_of(tb[FLT_WSS_DEVICE]),
		.left = u64_of(tb[FLT_WSS_LEFT]),
		.rss = u64_of(tb[FLT_WSS_RSS]),
		.huge = u64_of(tb[FLT_WSS_HUGE]),
		.anon = u64_of(tb[FLT_WSS_ANON]),
		.file = u64_of(tb[FLT_WSS_FILE]),
		.shmem = u64_of(tb[FLT_WSS_SHMEM]),
		.first_touch = u64_of(tb[FLT_WSS_FIRST_TOUCH]),
		.refault = u64_of(tb[FLT_WSS_REFAULT]),
		.major = u64_of(tb[FLT_WSS_MAJOR]),
		.has = FLT_SAMPLE_RSS | FLT_SAMPLE_REFERENCED | FLT_SAMPLE_KINDS |
		       FLT_SAMPLE_AREAS | FLT_SAMPLE_NODE | FLT_SAMPLE_HUGE,
	};
	s->referenced = s->anon + s->file + s->shmem;
	if (tb[FLT_WSS_FIRST_TOUCH])
		s->has |= FLT_SAMPLE_FAULTS;
	if (tb[FLT_WSS_COMM]) {
		n = (size_t)nla_len(tb[FLT_WSS_COMM]);
		memcpy(s->comm, nla_data(tb[FLT_WSS_COMM]), n < FLT_COMM_LEN ? n : FLT_COMM_LEN);
	}
	ret = shares(tb[FLT_WSS_AREA], s->area, __FLT_AREA_MAX);
	return ret ? ret : shares(tb[FLT_WSS_NODE], s->node, FLT_SAMPLE_NODES);
}

static int take_sample(void *arg, struct nlattr *attrs, int length)
{
	struct flt_sample sample;
	int ret = decode(attrs, length, &sample);

	return ret ? ret : flt_samples_add(arg, &sample);
}

static int take_id(void *arg, struct nlattr *attrs, int length)
{
	struct nlattr *tb[FLT_WSS_MAX + 1];
	int ret = parse(tb, attrs, length);

	if (ret)
		return ret;
	*(uint32_t *)arg = u32_of(tb[FLT_WSS_ID]);
	return 0;
}

static int take_tracker(void *arg, struct nlattr *attrs, int length)
{
	struct flt_wss_tracker *tracker = arg;
	struct nlattr *tb[FLT_WSS_MAX + 1];
	int ret = parse(tb, attrs, length);

	if (ret)
		return ret;
	*tracker = (struct flt_wss_tracker){
		.targets = u32_of(tb[FLT_WSS_TARGETS]),
		.live = u32_of(tb[FLT_WSS_LIVE]),
		.untracked = u64_of(tb[FLT_WSS_UNTRACKED]),
		.samples = u64_of(tb[FLT_WSS_SAMPLES]),
		.overwritten = u64_of(tb[FLT_WSS_OVERWRITTEN]),
		.busy = u64_of(tb[FLT_WSS_BUSY]),
		.rounds = u64_of(tb[FLT_WSS_ROUND]),
	};
	return flt_decode_numbers(tb[FLT_WSS_HOLDS], tracker->holds, FLT_BUCKETS);
}

static int put_wish(struct nl_msg *request, const uint32_t *tgids, size_t count,
		    const struct flt_wss_wish *wish)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (nla_put_u32(request, FLT_WSS_TGID, tgids[i]))
			return -ENOMEM;
	if (nla_put_u64(request, FLT_WSS_INTERVAL, wish->interval) ||
	    (wish->history && nla_put_u32(request, FLT_WSS_HISTORY, wish->history)) ||
	    (wish->budget && nla_put_u32(request, FLT_WSS_BUDGET, wish->budget)) ||
	    (wish->cgroup && nla_put_u64(request, FLT_WSS_CGROUP, wish->cgroup)) ||
	    (wish->inject && nla_put_flag(request, FLT_WSS_INJECT)) ||
	    (wish->follow && nla_put_flag(request, FLT_WSS_FOLLOW)))
		return -ENOMEM;
	return 0;
}

int flt_control_wss_track(struct flt_control *control, const uint32_t *tgids, size_t count,
			  const struct flt_wss_wish *wish, uint32_t *id, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_WSS_TRACK, 0);

	if (!request || put_wish(request, tgids, count, wish))
		return flt_genl_drop(request);
	return flt_genl_do(control->genl, request, take_id, id, e);
}

static int ask(struct flt_control *control, uint8_t command, uint32_t id, flt_genl_fn fn, void *out,
	       struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, command, 0);

	if (!request || nla_put_u32(request, FLT_WSS_ID, id))
		return flt_genl_drop(request);
	return flt_genl_do(control->genl, request, fn, out, e);
}

int flt_control_wss_untrack(struct flt_control *control, uint32_t id, struct flt_errmsg *e)
{
	return ask(control, FLT_CMD_WSS_UNTRACK, id, NULL, NULL, e);
}

int flt_control_wss_tracker(struct flt_control *control, uint32_t id, struct flt_wss_tracker *out,
			    struct flt_errmsg *e)
{
	return ask(control, FLT_CMD_WSS_GET, id, take_tracker, out, e);
}

int flt_control_wss_samples(struct flt_control *control, uint32_t id, uint64_t after,
			    struct flt_samples *out, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_WSS_GET, NLM_F_DUMP);
	int ret;

	if (!request || nla_put_u32(request, FLT_WSS_ID, id) ||
	    (after && nla_put_u64(request, FLT_WSS_AFTER, after)))
		return flt_genl_drop(request);
	ret = flt_genl_dump(control->genl, request, take_sample, out, e);
	if (ret == -EBADMSG)
		flt_errmsg_set(e, ret, "invalid sample in the answer of the flt module");
	return ret;
}
