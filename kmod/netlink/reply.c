// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include "fault/fault.h"
#include "fault/switch.h"
#include "hook/clock.h"
#include "ledger/numa.h"
#include "netlink/reply.h"
#include "account/mmap_lock.h"
#include "account/proc.h"
#include "account/tally.h"
#include "account/task.h"
#include "ledger/thp.h"
#include "mm/pidns.h"
#include "stream/budget.h"
#include "stream/stacktable.h"

struct sk_buff *flt_reply_begin(struct genl_info *info, u8 cmd, void **head)
{
	struct sk_buff *skb = genlmsg_new(FLT_REPLY_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*head = genlmsg_put_reply(skb, info, &flt_netlink_family, 0, cmd);
	if (!*head) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

int flt_reply_end(struct sk_buff *skb, struct genl_info *info, void *head, int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

int flt_reply_cells(struct sk_buff *skb, int attr, const u64 *cell, u32 count)
{
	struct nlattr *nest = NULL;
	u32 i;

	for (i = 0; i < count; i++) {
		if (!cell[i])
			continue;
		if (!nest)
			nest = nla_nest_start(skb, attr);
		if (!nest)
			return -EMSGSIZE;
		if (nla_put_u64_64bit(skb, i + 1, cell[i], 0)) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
	}
	if (nest)
		nla_nest_end(skb, nest);
	return 0;
}

int flt_reply_numbers(struct sk_buff *skb, const struct flt_reply_number *n, size_t count, int pad)
{
	for (; count; count--, n++)
		if (n->value && nla_put_u64_64bit(skb, n->attr, n->value, pad))
			return -EMSGSIZE;
	return 0;
}

static int put_counters(struct sk_buff *skb, const struct flt_account *a)
{
	const struct flt_counter *c;

	for (c = flt_counters; c->attribute; c++) {
		u64 value = flt_counter_read(c, a);

		/* Absence means 0 if all kernels have the counter, else unknown. */
		if (c->presence == FLT_PRESENCE_ALWAYS ? !value : !c->present)
			continue;
		if (c->bits == 32 ? nla_put_u32(skb, c->attribute, value) :
				    nla_put_u64_64bit(skb, c->attribute, value, FLT_ACCOUNT_PAD))
			return -EMSGSIZE;
	}
	return 0;
}

static int put_account(struct sk_buff *skb, int attr, const struct flt_account *a, bool kinds)
{
	struct nlattr *nest, *kind;
	int i;

	nest = nla_nest_start(skb, attr);
	if (!nest)
		return -EMSGSIZE;
	if (put_counters(skb, a))
		goto cancel;
	for (i = 0; kinds && i < __FLT_KIND_MAX; i++) {
		if (!a->kind[i])
			continue;
		kind = nla_nest_start(skb, FLT_ACCOUNT_KIND);
		if (!kind || nla_put_u32(skb, FLT_KIND_ATTR_ID, i) ||
		    nla_put_u64_64bit(skb, FLT_KIND_ATTR_COUNT, a->kind[i], FLT_KIND_ATTR_PAD))
			goto cancel;
		nla_nest_end(skb, kind);
	}
	if (kinds && flt_reply_cells(skb, FLT_ACCOUNT_OCTAVES, a->octave, FLT_OCTAVES))
		goto cancel;
	nla_nest_end(skb, nest);
	return 0;

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* Return the causes that this kernel tells apart. */
static u32 measured_causes(void)
{
	return (u32)((1u << __FLT_CAUSE_MAX) - 1) &
	       ~(FLT_HAVE_DELAY_COMPACT ? 0 : BIT(FLT_CAUSE_COMPACTION)) &
	       ~(FLT_HAVE_DELAY_WPCOPY ? 0 : BIT(FLT_CAUSE_COPY)) &
	       ~(flt_mmap_lock_is_known() ? 0 : BIT(FLT_CAUSE_LOCK));
}

int flt_reply_info(struct sk_buff *skb)
{
	u64 memory = flt_tally_memory() + flt_proc_memory() + flt_task_memory() +
		     flt_retired_memory() +
		     flt_thp_memory() + flt_numa_memory() + flt_hook_memory() +
		     flt_budget_used() + flt_stacktable_memory() + flt_wss_memory();
	u64 since = flt_session_since();
	struct flt_proc_usage *usage;
	int err = -EMSGSIZE;

	usage = kmalloc(sizeof(*usage), GFP_KERNEL);
	if (!usage)
		return -ENOMEM;
	flt_proc_usage(usage);
	if (nla_put_u32(skb, FLT_INFO_API, FLT_API_VERSION) ||
	    nla_put_u32(skb, FLT_INFO_SCHEMA, FLT_SCHEMA_VERSION) ||
	    nla_put_string(skb, FLT_INFO_VERSION, THIS_MODULE->version) ||
	    nla_put_u32(skb, FLT_INFO_FEATURES,
			flt_hook_features() | FLT_FEATURE_WSS | FLT_FEATURE_PIDNS |
			FLT_FEATURE_HIST | FLT_FEATURE_STACKS |
			(FLT_HAVE_DELAYS ? FLT_FEATURE_CAUSES : 0) |
			(flt_wss_scan_can_inject() ? FLT_FEATURE_INJECT : 0)) ||
	    (FLT_HAVE_DELAYS && nla_put_u32(skb, FLT_INFO_CAUSES, measured_causes())) ||
	    nla_put_u32(skb, FLT_INFO_ACCOUNTING, !!since) ||
	    (flt_switch_is_returns() && nla_put_flag(skb, FLT_INFO_RETURNS)) ||
	    (flt_pidns_is_inner() && nla_put_flag(skb, FLT_INFO_PIDNS)) ||
	    nla_put_u64_64bit(skb, FLT_INFO_NOW, ktime_get_ns(), FLT_INFO_PAD) ||
	    nla_put_u32(skb, FLT_INFO_PROCS, usage->rows) ||
	    nla_put_u32(skb, FLT_INFO_PROCS_MAX, usage->ended_max) ||
	    nla_put_u32(skb, FLT_INFO_TASKS, flt_task_used()) ||
	    nla_put_u32(skb, FLT_INFO_TASKS_MAX, flt_task_limit()) ||
	    nla_put_u64_64bit(skb, FLT_INFO_MEMORY, memory, FLT_INFO_PAD) ||
	    nla_put_u32(skb, FLT_INFO_SESSIONS, flt_session_count()) ||
	    nla_put_u32(skb, FLT_INFO_SESSIONS_MAX, FLT_SESSION_MAX_OPEN) ||
	    nla_put_u32(skb, FLT_INFO_MAXACTIVE, flt_hook_instances(&flt_fault_hook)) ||
	    nla_put_string(skb, FLT_INFO_CLOCK, flt_clock_name()) ||
	    (since && nla_put_u64_64bit(skb, FLT_INFO_SINCE, since, FLT_INFO_PAD)))
		goto out;
	err = 0;
out:
	kfree(usage);
	return err;
}

/*
 * An administrator can disable all probes, and the kernel does not notify the module. But the
 * task that sent the request has faulted. If the probe missed those faults, and no reason
 * was counted, then probes are disabled.
 */
static u32 hook_state(const struct flt_hook_report *r)
{
	if (r->type != FLT_HOOK_TYPE_TRACEPOINT && r->state == FLT_HOOK_STATE_ARMED &&
	    !r->missed_full && !r->missed_busy && flt_task_has_missed())
		return FLT_HOOK_STATE_DISARMED;
	return r->state;
}

int flt_reply_hook(struct sk_buff *skb, const struct flt_hook_report *r)
{
	if (nla_put_string(skb, FLT_HOOK_NAME, r->name) ||
	    nla_put_string(skb, FLT_HOOK_SYMBOL, r->symbol) ||
	    nla_put_u32(skb, FLT_HOOK_TYPE, r->type) ||
	    nla_put_u32(skb, FLT_HOOK_STATE, hook_state(r)) ||
	    (r->error && nla_put_u32(skb, FLT_HOOK_ERROR, -r->error)) ||
	    (r->required && nla_put_flag(skb, FLT_HOOK_REQUIRED)) ||
	    (r->ftrace && nla_put_flag(skb, FLT_HOOK_FTRACE)) ||
	    (r->unknown && nla_put_u64_64bit(skb, FLT_HOOK_UNKNOWN, r->unknown, FLT_HOOK_PAD)) ||
	    nla_put_u64_64bit(skb, FLT_HOOK_HITS, r->hits, FLT_HOOK_PAD) ||
	    nla_put_u64_64bit(skb, FLT_HOOK_MISSED_BUSY, r->missed_busy, FLT_HOOK_PAD) ||
	    nla_put_u64_64bit(skb, FLT_HOOK_MISSED_FULL, r->missed_full, FLT_HOOK_PAD))
		return -EMSGSIZE;
	return 0;
}

static int put_tally(struct sk_buff *skb, const struct flt_tally_sum *t,
		     const struct flt_proc_usage *usage)
{
#define LOSS(member, attribute, ...) { FLT_TALLY_##attribute, t->member },
	const struct flt_reply_number losses[] = { FLT_TALLY_LOSSES(LOSS) };
#undef LOSS
	int i;

	if (put_account(skb, FLT_TALLY_ALL, &t->all, true) ||
	    put_account(skb, FLT_TALLY_RETIRED, &usage->account, true) ||
	    put_account(skb, FLT_TALLY_OTHER, &t->other, true) ||
	    nla_put_u64_64bit(skb, FLT_TALLY_PROCS_SEEN, usage->seen, FLT_TALLY_PAD) ||
	    nla_put_u64_64bit(skb, FLT_TALLY_PROCS_RETIRED, usage->retired, FLT_TALLY_PAD) ||
	    nla_put_u64_64bit(skb, FLT_TALLY_NOW, ktime_get_ns(), FLT_TALLY_PAD))
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(losses); i++)
		if (nla_put_u64_64bit(skb, losses[i].attr, losses[i].value, FLT_TALLY_PAD))
			return -EMSGSIZE;
	BUILD_BUG_ON(FLT_TALLY_FAILED_OTHER - FLT_TALLY_FAILED_OOM != FLT_FAILURE_MAX);
	for (i = 0; i < __FLT_FAILURE_MAX; i++)
		if (t->failure[i] && nla_put_u64_64bit(skb, FLT_TALLY_FAILED_OOM + i,
						       t->failure[i], FLT_TALLY_PAD))
			return -EMSGSIZE;
	return 0;
}

/* Rows that retired are not known by namespace, so say how many are missing at most. */
static int put_inner_tally(struct sk_buff *skb, struct flt_tally_sum *tally,
			   struct flt_proc_usage *usage)
{
	u64 retired = usage->retired;
	struct flt_pidns reader;

	flt_pidns_get(&reader);
	memset(&usage->account, 0, sizeof(usage->account));
	usage->retired = 0;
	flt_report_inner(&reader, tally, &usage->seen);
	flt_pidns_put(&reader);
	if (retired && nla_put_u64_64bit(skb, FLT_TALLY_FORGOTTEN, retired, FLT_TALLY_PAD))
		return -EMSGSIZE;
	return put_tally(skb, tally, usage);
}

int flt_reply_tally(struct sk_buff *skb)
{
	struct flt_proc_usage *usage = kmalloc(sizeof(*usage), GFP_KERNEL);
	struct flt_tally_sum *tally = kmalloc(sizeof(*tally), GFP_KERNEL);
	int err = -ENOMEM;

	if (usage && tally) {
		flt_proc_usage(usage);
		if (flt_pidns_is_inner()) {
			err = put_inner_tally(skb, tally, usage);
		} else {
			flt_report_tally(tally);
			err = put_tally(skb, tally, usage);
		}
	}
	kfree(tally);
	kfree(usage);
	return err;
}

int flt_reply_latency(struct sk_buff *skb, bool major, u8 kind)
{
	int err = -ENODATA;
	u64 *bucket;

	bucket = kmalloc_array(FLT_BUCKETS, sizeof(*bucket), GFP_KERNEL);
	if (!bucket)
		return -ENOMEM;
	if (flt_tally_buckets(major, kind, bucket)) {
		err = -EMSGSIZE;
		if (!nla_put_u32(skb, FLT_LATENCY_KIND, kind) &&
		    !(major && nla_put_flag(skb, FLT_LATENCY_MAJOR)))
			err = flt_reply_cells(skb, FLT_LATENCY_BUCKETS, bucket, FLT_BUCKETS);
	}
	kfree(bucket);
	return err;
}

int flt_reply_return(struct sk_buff *skb, enum flt_return ret)
{
	int err = -ENODATA;
	u64 *bucket;

	bucket = kmalloc_array(FLT_BUCKETS, sizeof(*bucket), GFP_KERNEL);
	if (!bucket)
		return -ENOMEM;
	if (flt_tally_returned(ret, bucket)) {
		err = -EMSGSIZE;
		if (!nla_put_u32(skb, FLT_LATENCY_RETURN, ret))
			err = flt_reply_cells(skb, FLT_LATENCY_BUCKETS, bucket, FLT_BUCKETS);
	}
	kfree(bucket);
	return err;
}

int flt_reply_hist(struct sk_buff *skb, u32 session, enum flt_hist_group group, u32 index,
		   struct flt_hist_report *r)
{
	int err = flt_session_hist(session, group, index, r);

	if (err)
		return err;
	if (group == FLT_HIST_KINDS && (nla_put_u32(skb, FLT_LATENCY_KIND, index >> 1) ||
					(index & 1 && nla_put_flag(skb, FLT_LATENCY_MAJOR))))
		return -EMSGSIZE;
	if (group == FLT_HIST_CAUSES && nla_put_u32(skb, FLT_LATENCY_CAUSE, index))
		return -EMSGSIZE;
	if (group == FLT_HIST_RETURNS && nla_put_u32(skb, FLT_LATENCY_RETURN, index))
		return -EMSGSIZE;
	if (r->proc && nla_put_u64_64bit(skb, FLT_LATENCY_PROC, r->proc, FLT_LATENCY_PAD))
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, FLT_LATENCY_SUM, r->sum, FLT_LATENCY_PAD) ||
	    (r->max && nla_put_u64_64bit(skb, FLT_LATENCY_MAXIMUM, r->max, FLT_LATENCY_PAD)))
		return -EMSGSIZE;
	return flt_reply_cells(skb, FLT_LATENCY_BUCKETS, r->bucket, FLT_BUCKETS);
}

int flt_reply_slow(struct sk_buff *skb, const struct flt_slow *s)
{
	if (nla_put_u64_64bit(skb, FLT_SLOWEST_LATENCY, s->ns, FLT_SLOWEST_PAD) ||
	    nla_put_u64_64bit(skb, FLT_SLOWEST_TIME, s->time, FLT_SLOWEST_PAD) ||
	    nla_put_u64_64bit(skb, FLT_SLOWEST_ADDRESS, s->address, FLT_SLOWEST_PAD) ||
	    nla_put_u32(skb, FLT_SLOWEST_TGID, s->tgid) ||
	    nla_put_u32(skb, FLT_SLOWEST_TID, s->tid) ||
	    nla_put_string(skb, FLT_SLOWEST_COMM, s->comm) ||
	    nla_put_u32(skb, FLT_SLOWEST_KIND, s->kind) ||
	    nla_put_u32(skb, FLT_SLOWEST_RESULT, s->result) ||
	    nla_put_u32(skb, FLT_SLOWEST_ATTEMPTS, s->attempts) ||
	    (s->remote && nla_put_flag(skb, FLT_SLOWEST_REMOTE)))
		return -EMSGSIZE;
	return flt_reply_cells(skb, FLT_SLOWEST_CAUSES, s->part, __FLT_CAUSE_MAX);
}

int flt_reply_name(struct sk_buff *skb, const struct flt_name_sum *n, bool kinds)
{
	if (nla_put_string(skb, FLT_PROC_COMM, n->comm) ||
	    nla_put_u32(skb, FLT_PROC_PROCESSES, n->rows))
		return -EMSGSIZE;
	return put_account(skb, FLT_PROC_ACCOUNT, &n->account, kinds);
}

int flt_reply_proc(struct sk_buff *skb, const struct flt_proc_report *r, bool kinds)
{
	if (nla_put_u32(skb, FLT_PROC_TGID, r->tgid) ||
	    nla_put_u64_64bit(skb, FLT_PROC_ID, r->id, FLT_PROC_PAD) ||
	    nla_put_u64_64bit(skb, FLT_PROC_START, r->start, FLT_PROC_PAD) ||
	    nla_put_u64_64bit(skb, FLT_PROC_FIRST, r->first, FLT_PROC_PAD) ||
	    nla_put_string(skb, FLT_PROC_COMM, r->comm) ||
	    (r->cgroup && nla_put_u64_64bit(skb, FLT_PROC_CGROUP, r->cgroup, FLT_PROC_PAD)) ||
	    (r->ended && nla_put_flag(skb, FLT_PROC_ENDED)) ||
	    (r->whole && nla_put_flag(skb, FLT_PROC_WHOLE)) ||
	    (r->threads && nla_put_u32(skb, FLT_PROC_THREADS, r->threads)))
		return -EMSGSIZE;
	return put_account(skb, FLT_PROC_ACCOUNT, &r->account, kinds);
}

int flt_reply_task(struct sk_buff *skb, u32 tgid, const struct flt_task_report *r, bool kinds)
{
	if (nla_put_u32(skb, FLT_TASK_TGID, tgid) ||
	    nla_put_u32(skb, FLT_TASK_TID, r->tid) ||
	    nla_put_string(skb, FLT_TASK_COMM, r->comm))
		return -EMSGSIZE;
	return put_account(skb, FLT_TASK_ACCOUNT, &r->account, kinds);
}

int flt_reply_session(struct sk_buff *skb, const struct flt_session_report *r, bool kinds)
{
	if (nla_put_u32(skb, FLT_SESSION_ID, r->id) ||
	    nla_put_u32(skb, FLT_SESSION_PROCS, r->sum.rows) ||
	    nla_put_u32(skb, FLT_SESSION_LIVE, r->sum.live) ||
	    (r->sum.untracked && nla_put_u64_64bit(skb, FLT_SESSION_UNTRACKED, r->sum.untracked,
					       FLT_SESSION_PAD)) ||
	    (r->written && nla_put_u64_64bit(skb, FLT_SESSION_WRITTEN, r->written,
					     FLT_SESSION_PAD)) ||
	    (r->lost && nla_put_u64_64bit(skb, FLT_SESSION_LOST, r->lost, FLT_SESSION_PAD)) ||
	    (r->stacks && nla_put_u32(skb, FLT_SESSION_STACKS_USED, r->stacks)) ||
	    (r->stacks_once && nla_put_u64_64bit(skb, FLT_SESSION_STACKS_ONCE, r->stacks_once,
						 FLT_SESSION_PAD)) ||
	    (r->lost_notes && nla_put_u64_64bit(skb, FLT_SESSION_LOST_NOTES, r->lost_notes,
						FLT_SESSION_PAD)))
		return -EMSGSIZE;
	return put_account(skb, FLT_SESSION_ACCOUNT, &r->sum.account, kinds);
}
