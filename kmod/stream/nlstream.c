// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/flt.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include "stream/nlstream.h"
#include "stream/relay.h"

#define SLOT sizeof(struct flt_event_record)
/* A message with all headers and the overhead of an skb fits into an allocation of 16 KiB. */
#define MESSAGE (240 * SLOT)
#define PERIOD_MS 100
#define RETRY_MS 20	/* time for the reader to make room */
#define TURNS 256	/* turns per work item, before other work can run */

struct flt_nlstream {
	struct delayed_work work;
	struct flt_relay *relay;
	u32 session, port;
	int next;		/* next CPU of the turn */
	bool sent;		/* slots were sent in this turn */
	u64 sent_at;		/* time at which slots were last sent */
	/* CPUs that have nothing to send have no fault that ended before; 0: unknown. */
	u64 horizon;
	u64 next_horizon;	/* becomes the horizon after @grace; 0: none pending */
	unsigned long grace;	/* grace period that began after @next_horizon */
	bool owing;		/* the reader may hold faults that ended after the last horizon */
};

static const struct genl_family *family;

void flt_nlstream_init(const struct genl_family *of)
{
	family = of;
}

/* Send a message with slots of a CPU. Return 1, 0 if there are none, or -errno: not sent. */
static int send(struct flt_nlstream *s, int cpu)
{
	struct sk_buff *skb;
	void *from, *head;
	size_t bytes = min_t(size_t, flt_relay_peek(s->relay, cpu, &from), MESSAGE);
	int err;

	if (!bytes)
		return 0;
	skb = genlmsg_new(nla_total_size(bytes) + 2 * nla_total_size(sizeof(u32)), GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	head = genlmsg_put(skb, s->port, 0, family, 0, FLT_CMD_EVENTS);
	if (!head || nla_put_u32(skb, FLT_EVENTS_SESSION, s->session) ||
	    nla_put_u32(skb, FLT_EVENTS_CPU, cpu) || nla_put(skb, FLT_EVENTS_SLOTS, bytes, from)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	err = genlmsg_unicast(&init_net, skb, s->port);
	if (err)
		return err;
	flt_relay_take(s->relay, cpu, bytes);
	s->sent_at = ktime_get_ns();
	s->owing = true;
	return 1;
}

/*
 * A fault that has ended may not be in its buffer yet, because a hypervisor can stop the CPU
 * within the handler for any time. But the handler runs with preemption off from reading the
 * clock at the end of the fault until the record is in the buffer. So a grace period after a
 * given time waits for all faults that ended before that time.
 */
static void ask_horizon(struct flt_nlstream *s)
{
	if (s->next_horizon)
		return;
	s->next_horizon = ktime_get_ns();
	s->grace = start_poll_synchronize_rcu();
}

static void take_horizon(struct flt_nlstream *s)
{
	if (!s->next_horizon || !poll_state_synchronize_rcu(s->grace))
		return;
	s->horizon = s->next_horizon;
	s->next_horizon = 0;
}

/* Send the horizon, at the end of a turn. */
static int send_horizon(struct flt_nlstream *s)
{
	struct sk_buff *skb;
	void *head;
	int err;

	skb = genlmsg_new(nla_total_size(sizeof(u32)) + nla_total_size_64bit(sizeof(u64)),
			  GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	head = genlmsg_put(skb, s->port, 0, family, 0, FLT_CMD_EVENTS);
	if (!head || nla_put_u32(skb, FLT_EVENTS_SESSION, s->session) ||
	    nla_put_u64_64bit(skb, FLT_EVENTS_HORIZON, s->horizon, FLT_EVENTS_PAD)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	err = genlmsg_unicast(&init_net, skb, s->port);
	if (!err)
		s->owing = s->sent_at >= s->horizon;
	return err;
}

/*
 * Send one message of each CPU. Return 1 if something was sent, 0, or -errno. After an error the
 * next call continues with the same CPU. So even if the socket never has room for all CPUs in
 * one turn, turns end and horizons are sent.
 */
static int send_turn(struct flt_nlstream *s)
{
	int ret;

	if (!s->next) {
		take_horizon(s);
		s->sent = false;
	}
	for (; s->next < nr_cpu_ids; s->next++) {
		if (!cpu_possible(s->next))
			continue;
		ret = send(s, s->next);
		if (ret < 0)
			return ret;
		s->sent |= ret;
	}
	ret = s->owing && s->horizon ? send_horizon(s) : 0;
	if (ret)
		return ret;
	if (s->owing)
		ask_horizon(s);
	s->next = 0;
	return s->sent;
}

static void send_round(struct work_struct *work)
{
	struct flt_nlstream *s = container_of(to_delayed_work(work), struct flt_nlstream, work);
	unsigned int delay = PERIOD_MS;
	int i, ret = 1;

	for (i = 0; i < TURNS && ret > 0; i++) {
		ret = send_turn(s);
		cond_resched();
	}
	/* The reader has closed its socket, so the session is ending. */
	if (ret == -ECONNREFUSED)
		return;
	if (ret)
		delay = ret > 0 ? 0 : RETRY_MS;
	queue_delayed_work(system_unbound_wq, &s->work, msecs_to_jiffies(delay));
}

struct flt_nlstream *flt_nlstream_open(struct flt_relay *relay, u32 session, u32 port)
{
	struct flt_nlstream *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return ERR_PTR(-ENOMEM);
	if (!try_module_get(THIS_MODULE)) {
		kfree(s);
		return ERR_PTR(-ENODEV);
	}
	s->relay = relay;
	s->session = session;
	s->port = port;
	INIT_DELAYED_WORK(&s->work, send_round);
	queue_delayed_work(system_unbound_wq, &s->work, msecs_to_jiffies(PERIOD_MS));
	return s;
}

void flt_nlstream_close(struct flt_nlstream *s)
{
	if (!s)
		return;
	cancel_delayed_work_sync(&s->work);
	kfree(s);
	/* This is called from netlink, and unloading waits for netlink callbacks to return. */
	module_put(THIS_MODULE);
}
