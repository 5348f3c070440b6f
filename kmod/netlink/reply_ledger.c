// SPDX-License-Identifier: GPL-2.0-only
#include <net/netlink.h>
#include "ledger/huge.h"
#include "ledger/numa.h"
#include "ledger/thp.h"
#include "netlink/reply.h"

/* On error the caller cancels the message. */
static int put_line(struct sk_buff *skb, const struct flt_reply_ledger *shape, u64 *cell)
{
	const struct flt_reply_section *section;
	u64 unknown = shape->unknown();
	u32 i, nodes = flt_numa_nodes();
	int err;

	if (unknown && nla_put_u64_64bit(skb, FLT_LEDGER_UNKNOWN, unknown, FLT_LEDGER_PAD))
		return -EMSGSIZE;
	/* The first section is COUNTS. */
	for (i = 0; i < shape->section->count; i++)
		if (unknown & FLT_LEDGER_COUNTER(i))
			cell[i] = 0;
	for (section = shape->section; section->attr; section++) {
		if (unknown & FLT_LEDGER_SECTION(section->attr))
			continue;
		err = flt_reply_cells(skb, section->attr, cell + section->first, section->count);
		if (err)
			return err;
	}
	if (shape->matrix &&
	    (nla_put_u32(skb, FLT_LEDGER_NODES, nodes) ||
	     nla_put(skb, FLT_LEDGER_MATRIX, nodes * nodes * sizeof(*cell),
		     cell + FLT_NUMA_MATRIX)))
		return -EMSGSIZE;
	return 0;
}

static int put_faults(struct sk_buff *skb, const struct flt_account *a)
{
	return nla_put_u64_64bit(skb, FLT_LEDGER_FAULTS, a->minor + a->major, FLT_LEDGER_PAD) ||
	       nla_put_u64_64bit(skb, FLT_LEDGER_FAULT_NS, a->latency_sum, FLT_LEDGER_PAD);
}

int flt_reply_ledger_sum(struct sk_buff *skb, const struct flt_reply_ledger *shape,
			 const struct flt_account *machine, u64 *cell)
{
	if (nla_put_u32(skb, FLT_LEDGER_WHOSE,
			machine ? FLT_LEDGER_MACHINE : FLT_LEDGER_NOBODY) ||
	    (machine && put_faults(skb, machine)))
		return -EMSGSIZE;
	return put_line(skb, shape, cell);
}

int flt_reply_ledger_row(struct sk_buff *skb, const struct flt_reply_ledger *shape,
			 const struct flt_proc_report *r, u64 *cell)
{
	if (nla_put_u32(skb, FLT_LEDGER_WHOSE, FLT_LEDGER_PROCESS) ||
	    nla_put_u32(skb, FLT_LEDGER_TGID, r->tgid) ||
	    nla_put_u64_64bit(skb, FLT_LEDGER_ID, r->id, FLT_LEDGER_PAD) ||
	    nla_put_string(skb, FLT_LEDGER_COMM, r->comm) ||
	    (r->ended && nla_put_flag(skb, FLT_LEDGER_ENDED)) ||
	    put_faults(skb, &r->account))
		return -EMSGSIZE;
	return put_line(skb, shape, cell);
}

static const struct flt_reply_section thp_sections[] = {
	{ FLT_LEDGER_COUNTS, FLT_HUGE_COUNTS, __FLT_THP_COUNTS },
	{ FLT_LEDGER_OCTAVES, FLT_HUGE_OCTAVES, FLT_OCTAVES },
	{ FLT_LEDGER_SCANS, FLT_HUGE_SCANS, FLT_SCAN_RESULTS },
	{ FLT_LEDGER_SPLIT_MAPS, FLT_HUGE_SPLIT_MAPS, __FLT_SPLIT_CAUSES },
	{ FLT_LEDGER_SPLIT_PAGES, FLT_HUGE_SPLIT_PAGES, __FLT_SPLIT_CAUSES },
	{ 0 }
};

static const struct flt_reply_section numa_sections[] = {
	{ FLT_LEDGER_COUNTS, FLT_NUMA_COUNTS, __FLT_NUMA_COUNTS },
	{ FLT_LEDGER_OCTAVES, FLT_NUMA_OCTAVES, FLT_OCTAVES },
	{ FLT_LEDGER_MOVED, FLT_NUMA_MOVED, FLT_MOVE_REASONS },
	{ FLT_LEDGER_NOT_MOVED, FLT_NUMA_NOT_MOVED, FLT_MOVE_REASONS },
	{ 0 }
};

const struct flt_reply_ledger flt_reply_thp = {
	.cmd = FLT_CMD_THP_GET,
	.unknown = flt_thp_unknown,
	.section = thp_sections,
};

const struct flt_reply_ledger flt_reply_numa = {
	.cmd = FLT_CMD_NUMA_GET,
	.unknown = flt_numa_unknown,
	.section = numa_sections,
	.matrix = true,
};
