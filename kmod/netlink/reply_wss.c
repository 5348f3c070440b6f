// SPDX-License-Identifier: GPL-2.0-only
#include <net/netlink.h>
#include "netlink/reply.h"

int flt_reply_wss_status(struct sk_buff *skb, const struct flt_wss_status *s)
{
	const struct flt_reply_number numbers[] = {
		{ FLT_WSS_INTERVAL, s->config.interval },
		{ FLT_WSS_UNTRACKED, s->untracked },
		{ FLT_WSS_SAMPLES, s->samples },
		{ FLT_WSS_OVERWRITTEN, s->overwritten },
		{ FLT_WSS_BUSY, s->busy },
		{ FLT_WSS_CGROUP, s->config.cgroup },
		{ FLT_WSS_ROUND, s->rounds },
	};

	if (nla_put_u32(skb, FLT_WSS_ID, s->id) ||
	    nla_put_u32(skb, FLT_WSS_HISTORY, s->config.history) ||
	    nla_put_u32(skb, FLT_WSS_BUDGET, s->config.budget) ||
	    (s->config.follow && nla_put_flag(skb, FLT_WSS_FOLLOW)) ||
	    (s->config.inject && nla_put_flag(skb, FLT_WSS_INJECT)) ||
	    nla_put_u32(skb, FLT_WSS_TARGETS, s->targets) ||
	    nla_put_u32(skb, FLT_WSS_LIVE, s->live))
		return -EMSGSIZE;
	if (flt_reply_cells(skb, FLT_WSS_HOLDS, s->holds, FLT_BUCKETS))
		return -EMSGSIZE;
	return flt_reply_numbers(skb, numbers, ARRAY_SIZE(numbers), FLT_WSS_PAD);
}

int flt_reply_wss(struct sk_buff *skb, const struct flt_wss_report *r)
{
	const struct flt_wss_sample *s = &r->sample;
	const struct flt_wss_scan *scan = &s->scan;
	const struct flt_wss_count *c = &scan->count;
	const struct flt_reply_number numbers[] = {
		{ FLT_WSS_START, r->start },
		{ FLT_WSS_KEY, s->key },
		{ FLT_WSS_INDEX, s->index },
		{ FLT_WSS_ROUND, s->round },
		{ FLT_WSS_TIME, s->time },
		{ FLT_WSS_WINDOW, s->window },
		{ FLT_WSS_DURATION, scan->duration },
		{ FLT_WSS_HELD, scan->held },
		{ FLT_WSS_HELD_MAX, scan->held_max },
		{ FLT_WSS_PAGES, c->pages },
		{ FLT_WSS_SPECIAL, c->special },
		{ FLT_WSS_HUGETLB, c->hugetlb },
		{ FLT_WSS_DEVICE, c->device },
		{ FLT_WSS_LEFT, c->left },
		{ FLT_WSS_RSS, c->rss },
		{ FLT_WSS_HUGE, c->huge },
		{ FLT_WSS_ANON, c->kind[FLT_WSS_KIND_ANON] },
		{ FLT_WSS_FILE, c->kind[FLT_WSS_KIND_FILE] },
		{ FLT_WSS_SHMEM, c->kind[FLT_WSS_KIND_SHMEM] },
	};

	if (nla_put_u32(skb, FLT_WSS_ID, r->id) ||
	    nla_put_u32(skb, FLT_WSS_TGID, r->tgid) ||
	    nla_put_string(skb, FLT_WSS_COMM, r->comm) ||
	    (r->ended && nla_put_flag(skb, FLT_WSS_ENDED)) ||
	    nla_put_u32(skb, FLT_WSS_FLAGS, scan->flags) ||
	    nla_put_u32(skb, FLT_WSS_SLICES, scan->slices) ||
	    flt_reply_numbers(skb, numbers, ARRAY_SIZE(numbers), FLT_WSS_PAD) ||
	    flt_reply_cells(skb, FLT_WSS_AREA, c->area, __FLT_AREA_MAX) ||
	    flt_reply_cells(skb, FLT_WSS_NODE, c->node, FLT_WSS_NODES))
		return -EMSGSIZE;
	/* For these three, an absent attribute means unknown, so send a 0. */
	if (s->accounted &&
	    (nla_put_u64_64bit(skb, FLT_WSS_FIRST_TOUCH, s->first_touch, FLT_WSS_PAD) ||
	     nla_put_u64_64bit(skb, FLT_WSS_REFAULT, s->refault, FLT_WSS_PAD) ||
	     nla_put_u64_64bit(skb, FLT_WSS_MAJOR, s->major, FLT_WSS_PAD)))
		return -EMSGSIZE;
	return 0;
}
