// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <net/genetlink.h>
#include "hook/clock.h"
#include "netlink/events.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "netlink/session.h"
#include "stream/relay.h"

#define SLOT sizeof(struct flt_event_record)
/* Headers and attributes of a message with slots, without the slots. */
#define OVERHEAD (NLMSG_HDRLEN + GENL_HDRLEN + 3 * NLA_HDRLEN + 2 * sizeof(u32))

struct events_dump {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	u32 session;
	int cpu;		/* whose buffer comes next; nr_cpu_ids: the horizon comes next */
	size_t left;		/* bytes of that CPU that the dump may still send */
	u64 horizon;
};

/*
 * A time is a horizon if no fault that ended before it is still to be written. A hypervisor can
 * stop a CPU in a handler for any time. But handlers run with preemption off, from the reading
 * of the clock at the end of a fault until its record is in the buffer. So a time becomes a
 * horizon after a grace period that began later. Nobody waits for the grace period.
 *
 * One horizon serves all sessions.
 */
static DEFINE_SPINLOCK(horizon_lock);	/* protects the variables below */
static u64 horizon, next_horizon;	/* next_horizon 0: no grace period is under way */
static struct rcu_head grace;

static void end_grace(struct rcu_head *unused)
{
	spin_lock_bh(&horizon_lock);
	horizon = next_horizon;
	next_horizon = 0;
	spin_unlock_bh(&horizon_lock);
}

static u64 take_horizon(void)
{
	u64 taken;

	spin_lock_bh(&horizon_lock);
	if (!next_horizon) {
		next_horizon = ktime_get_ns() - FLT_CLOCK_ERROR;
		call_rcu_hurry(&grace, end_grace);
	}
	taken = horizon;
	spin_unlock_bh(&horizon_lock);
	return taken;
}

void flt_events_exit(void)
{
	rcu_barrier();
}

static void *put_head(struct events_dump *d)
{
	void *head = genlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid, d->cb->nlh->nlmsg_seq,
				 &flt_netlink_family, NLM_F_MULTI, FLT_CMD_EVENTS);

	if (head && nla_put_u32(d->skb, FLT_EVENTS_SESSION, d->session)) {
		genlmsg_cancel(d->skb, head);
		return NULL;
	}
	return head;
}

/* Put the next message of a CPU. Return its bytes, 0 if there are none, or -EMSGSIZE. */
static ssize_t put_slots(struct events_dump *d, struct flt_relay *relay)
{
	ssize_t room = skb_tailroom(d->skb) - OVERHEAD;
	void *from, *head;
	size_t bytes = min(flt_relay_peek(relay, d->cpu, &from), d->left);

	if (!bytes)
		return 0;
	if (room < (ssize_t)SLOT)
		return -EMSGSIZE;
	bytes = min_t(size_t, bytes, round_down(room, SLOT));
	head = put_head(d);
	if (!head)
		return -EMSGSIZE;
	if (nla_put_u32(d->skb, FLT_EVENTS_CPU, d->cpu) ||
	    nla_put(d->skb, FLT_EVENTS_SLOTS, bytes, from)) {
		genlmsg_cancel(d->skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, head);
	flt_relay_take(relay, d->cpu, bytes);
	return bytes;
}

/* Everything that was in the buffers when the dump began has been sent before. */
static int put_horizon(struct events_dump *d)
{
	void *head = put_head(d);

	if (!head)
		return -EMSGSIZE;
	if (nla_put_u64_64bit(d->skb, FLT_EVENTS_HORIZON, d->horizon, FLT_EVENTS_PAD)) {
		genlmsg_cancel(d->skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(d->skb, head);
	return 0;
}

/*
 * Fill the buffer of a dump. Of each CPU, the dump sends at most what the ring can hold, which
 * includes all that was there when the dump began. So a writer that is faster than its reader
 * does not keep the reader from the other CPUs.
 */
static int fill(struct flt_relay *relay, void *arg)
{
	struct events_dump *d = arg;
	ssize_t bytes;

	for (; relay && d->cpu < nr_cpu_ids; d->cpu++, d->left = flt_relay_ring(relay)) {
		if (!cpu_possible(d->cpu))
			continue;
		while ((bytes = put_slots(d, relay)) > 0)
			d->left -= bytes;
		if (bytes < 0)
			return 0;
	}
	if (!put_horizon(d))
		d->cpu = INT_MAX;
	return 0;
}

/* The dump begins: the horizon is taken before the first slot. */
static int begin(struct flt_relay *relay, void *arg)
{
	struct events_dump *d = arg;

	d->horizon = take_horizon();
	d->cpu = relay ? 0 : nr_cpu_ids;
	d->left = relay ? flt_relay_ring(relay) : 0;
	return 0;
}

static int begin_events(struct netlink_callback *cb)
{
	struct nlattr **attrs = flt_genl_dump_attrs(cb);
	struct nlattr *session = attrs[FLT_EVENTS_SESSION];
	struct events_dump *d;
	int err = flt_request_admit_dump(cb);

	if (err)
		return err;
	if (!session) {
		NL_SET_ERR_MSG_MOD(cb->extack, "missing SESSION");
		return -EINVAL;
	}
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return -ENOMEM;
	d->session = nla_get_u32(session);
	err = flt_session_pull(NETLINK_CB(cb->skb).sk, d->session, begin, d);
	if (err) {
		if (err == -EACCES)
			NL_SET_ERR_MSG_ATTR(cb->extack, session,
					    "flt: cannot read the session: another socket owns it");
		else
			NL_SET_ERR_MSG_ATTR(cb->extack, session,
					    "flt: invalid SESSION: no such session");
		kfree(d);
		return err;
	}
	cb->args[0] = (long)d;
	return 0;
}

int flt_dump_events(struct sk_buff *skb, struct netlink_callback *cb)
{
	int err = cb->args[0] ? 0 : begin_events(cb);
	struct events_dump *d;

	if (err)
		return err;
	d = (void *)cb->args[0];
	if (d->cpu == INT_MAX)
		return 0;
	d->skb = skb;
	d->cb = cb;
	err = flt_session_pull(NETLINK_CB(cb->skb).sk, d->session, fill, d);
	return err ?: skb->len;
}
