// SPDX-License-Identifier: GPL-2.0-only
/* dump_ledger.c - dumps of the accounts of huge pages and NUMA */
#include <linux/netlink.h>
#include "netlink/dump.h"
#include "ledger/huge.h"
#include "ledger/numa.h"
#include "netlink/reply.h"
#include "account/tally.h"

struct ledger_dump {
	struct flt_dump_rows rows;	/* first */
	struct flt_tally_sum tally;
	struct flt_proc_report proc;
	u64 cell[];			/* a line, and room for another one */
};

static int begin_ledger(struct netlink_callback *cb, const struct flt_ledger *ledger)
{
	struct nlattr *session = flt_genl_dump_attrs(cb)[FLT_LEDGER_SESSION];
	struct ledger_dump *dump = NULL;
	int err = flt_request_admit_dump(cb);

	return err ?: flt_dump_begin_rows(cb, session, struct_size(dump, cell, 2 * ledger->cells));
}

/* Sum up the rows that the reader sees, instead of the machine. */
static void sum_inner(struct ledger_dump *dump, const struct flt_ledger *ledger)
{
	u64 *line = dump->cell + ledger->cells, rows;
	struct flt_proc_cursor c;
	u32 i;

	flt_report_inner(&dump->rows.reader, &dump->tally, &rows);
	memset(dump->cell, 0, ledger->cells * sizeof(*dump->cell));
	flt_proc_cursor_begin(&c, 0);
	for (; !flt_report_next_proc(&dump->rows.reader, &c, &dump->proc); c.id++) {
		if (!flt_ledger_read(ledger, c.id, line))
			continue;
		for (i = 0; i < ledger->cells; i++)
			dump->cell[i] += line[i];
	}
}

static void sum_ledger(struct ledger_dump *dump, const struct flt_ledger *ledger, bool nobody)
{
	if (nobody && dump->rows.reader.ns) {
		memset(dump->cell, 0, ledger->cells * sizeof(*dump->cell));
	} else if (nobody) {
		flt_ledger_read_nobody(ledger, dump->cell);
	} else if (dump->rows.reader.ns) {
		sum_inner(dump, ledger);
	} else {
		flt_ledger_read_machine(ledger, dump->cell);
		flt_report_tally(&dump->tally);
	}
}

/* The dump begins with the machine and nobody. Processes follow. */
#define LEDGER_SUMS 2

static int dump_ledger(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct flt_ledger *ledger, const struct flt_reply_ledger *shape)
{
	struct ledger_dump *dump;
	int err = cb->args[0] ? 0 : begin_ledger(cb, ledger);

	if (err)
		return err;
	dump = (void *)cb->args[0];
	cb->seq = flt_proc_generation() + 1;
	for (; cb->args[1] < LEDGER_SUMS; cb->args[1]++) {
		sum_ledger(dump, ledger, cb->args[1]);
		if (FLT_DUMP(skb, cb, shape->cmd,
			     flt_reply_ledger_sum(skb, shape, cb->args[1] ? NULL : &dump->tally.all,
						  dump->cell)))
			return flt_dump_end_call(skb, dump->rows.session);
	}
	for (; !flt_report_next_proc(&dump->rows.reader, &dump->rows.cursor, &dump->proc);
	     dump->rows.cursor.id++)
		/* A dump of a session also reports processes whose counters are all 0. */
		if ((flt_ledger_read(ledger, dump->proc.id, dump->cell) ||
		     dump->rows.cursor.sessions) &&
		    FLT_DUMP(skb, cb, shape->cmd,
			     flt_reply_ledger_row(skb, shape, &dump->proc, dump->cell)))
			break;
	return flt_dump_end_call(skb, dump->rows.session);
}

int flt_dump_thp(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_ledger(skb, cb, &flt_huge, &flt_reply_thp);
}

int flt_dump_numa(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_ledger(skb, cb, &flt_numa, &flt_reply_numa);
}
