// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/netlink/ledger_ask.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "source/netlink/control.h"
#include "source/netlink/genl.h"

#define DUMP_TRIES 3

/* Decode a nest: attribute i + 1 is counter i. Counters after the last are added to the last. */
static int decode_counts(struct nlattr *nest, uint64_t *out, size_t n)
{
	struct nlattr *each;
	int left;

	if (!nest)
		return 0;
	nla_for_each_nested(each, nest, left) {
		size_t i = (size_t)nla_type(each) - 1;

		if (nla_type(each) == 0)
			continue;
		if (nla_len(each) < (int)sizeof(uint64_t))
			return -EBADMSG;
		out[i < n ? i : n - 1] += nla_get_u64(each);
	}
	return left > 0 ? -EBADMSG : 0;
}

static int decode_matrix(struct nlattr *nodes, struct nlattr *matrix, struct flt_ledger_line *line)
{
	size_t cells;

	if (!nodes || !matrix)
		return 0;
	line->nodes = nla_get_u32(nodes);
	cells = (size_t)line->nodes * line->nodes;
	if (!line->nodes || line->nodes > FLT_NUMA_NODES ||
	    (size_t)nla_len(matrix) != cells * sizeof(uint64_t))
		return -EBADMSG;
	memcpy(line->n.matrix, nla_data(matrix), cells * sizeof(uint64_t));
	return 0;
}

static int decode_line(struct nlattr **tb, struct flt_ledger_line *line)
{
	struct {
		int attr;
		uint64_t *out;
		size_t n;
	} nests[] = {
		{ FLT_LEDGER_COUNTS, line->n.count, FLT_LEDGER_COUNTERS },
		{ FLT_LEDGER_OCTAVES, line->n.octave, FLT_LEDGER_LATENCIES },
		{ FLT_LEDGER_SCANS, line->n.scan, FLT_SCAN_RESULTS },
		{ FLT_LEDGER_SPLIT_MAPS, line->n.split_map, __FLT_SPLIT_CAUSES },
		{ FLT_LEDGER_SPLIT_PAGES, line->n.split_page, __FLT_SPLIT_CAUSES },
		{ FLT_LEDGER_MOVED, line->n.moved, FLT_MOVE_REASONS },
		{ FLT_LEDGER_NOT_MOVED, line->n.not_moved, FLT_MOVE_REASONS },
	};
	size_t i;
	int ret;

	for (i = 0; i < sizeof(nests) / sizeof(nests[0]); i++) {
		ret = decode_counts(tb[nests[i].attr], nests[i].out, nests[i].n);
		if (ret)
			return ret;
	}
	return decode_matrix(tb[FLT_LEDGER_NODES], tb[FLT_LEDGER_MATRIX], line);
}

static const struct nla_policy policy[FLT_LEDGER_MAX + 1] = {
	[FLT_LEDGER_WHOSE] = { .type = NLA_U32 },
	[FLT_LEDGER_TGID] = { .type = NLA_U32 },
	[FLT_LEDGER_ID] = { .type = NLA_U64 },
	[FLT_LEDGER_COMM] = { .type = NLA_UNSPEC },
	[FLT_LEDGER_ENDED] = { .type = NLA_FLAG },
	[FLT_LEDGER_FAULTS] = { .type = NLA_U64 },
	[FLT_LEDGER_FAULT_NS] = { .type = NLA_U64 },
	[FLT_LEDGER_COUNTS] = { .type = NLA_NESTED },
	[FLT_LEDGER_OCTAVES] = { .type = NLA_NESTED },
	[FLT_LEDGER_SCANS] = { .type = NLA_NESTED },
	[FLT_LEDGER_SPLIT_MAPS] = { .type = NLA_NESTED },
	[FLT_LEDGER_SPLIT_PAGES] = { .type = NLA_NESTED },
	[FLT_LEDGER_MOVED] = { .type = NLA_NESTED },
	[FLT_LEDGER_NOT_MOVED] = { .type = NLA_NESTED },
	[FLT_LEDGER_NODES] = { .type = NLA_U32 },
	[FLT_LEDGER_MATRIX] = { .type = NLA_UNSPEC },
	[FLT_LEDGER_UNKNOWN] = { .type = NLA_U64 },
};

int flt_ledger_decode(struct nlattr *attrs, int length, struct flt_ledger *out)
{
	struct nlattr *tb[FLT_LEDGER_MAX + 1], *attr;
	struct flt_ledger_line line = { 0 };
	size_t text;
	int ret, left;

	/* A tail that is not an attribute means that the message was truncated. */
	nla_for_each_attr(attr, attrs, length, left)
		;
	if (left > 0 || length < 0 ||
	    nla_parse(tb, FLT_LEDGER_MAX, attrs, length, (struct nla_policy *)policy) ||
	    !tb[FLT_LEDGER_WHOSE])
		return -EBADMSG;
	ret = decode_line(tb, &line);
	if (ret)
		return ret;
	line.n.faults = tb[FLT_LEDGER_FAULTS] ? nla_get_u64(tb[FLT_LEDGER_FAULTS]) : 0;
	line.n.fault_ns = tb[FLT_LEDGER_FAULT_NS] ? nla_get_u64(tb[FLT_LEDGER_FAULT_NS]) : 0;
	line.unknown = tb[FLT_LEDGER_UNKNOWN] ? nla_get_u64(tb[FLT_LEDGER_UNKNOWN]) : 0;
	switch (nla_get_u32(tb[FLT_LEDGER_WHOSE])) {
	case FLT_LEDGER_MACHINE:
		out->machine = line;
		return 0;
	case FLT_LEDGER_NOBODY:
		out->nobody = line;
		return 0;
	case FLT_LEDGER_PROCESS:
		break;
	default:
		return 0;
	}
	if (!tb[FLT_LEDGER_ID] || !tb[FLT_LEDGER_TGID])
		return -EBADMSG;
	line.id = nla_get_u64(tb[FLT_LEDGER_ID]);
	line.tgid = nla_get_u32(tb[FLT_LEDGER_TGID]);
	line.ended = tb[FLT_LEDGER_ENDED] != NULL;
	if (tb[FLT_LEDGER_COMM]) {
		text = strnlen(nla_data(tb[FLT_LEDGER_COMM]), (size_t)nla_len(tb[FLT_LEDGER_COMM]));
		if (text >= sizeof(line.comm))
			text = sizeof(line.comm) - 1;
		memcpy(line.comm, nla_data(tb[FLT_LEDGER_COMM]), text);
	}
	return flt_ledger_add(out, &line);
}

static int take(void *arg, struct nlattr *attrs, int length)
{
	return flt_ledger_decode(attrs, length, arg);
}

int flt_ledger_ask(struct flt_control *control, enum flt_ledger_which which, uint32_t session,
		   struct flt_ledger *out, struct flt_errmsg *e)
{
	struct flt_genl *genl = flt_control_genl(control);
	struct nl_msg *request;
	int ret, tries = 0;

	do {
		out->count = 0;
		request = flt_genl_request(genl, which == FLT_LEDGER_OF_THP ? FLT_CMD_THP_GET :
					   FLT_CMD_NUMA_GET, NLM_F_DUMP);
		if (!request ||
		    (session && nla_put_u32(request, FLT_LEDGER_SESSION, session)))
			return flt_genl_drop(request);
		ret = flt_genl_dump(genl, request, take, out, e);
	} while (ret == -EINTR && ++tries < DUMP_TRIES);
	if (ret == -EBADMSG)
		flt_errmsg_set(e, ret, "invalid row in the answer of the flt module");
	return ret;
}

/* Forget each line of a process at once. */
static int take_machine(void *arg, struct nlattr *attrs, int length)
{
	struct flt_ledger *ledger = arg;
	int ret = flt_ledger_decode(attrs, length, ledger);

	ledger->count = 0;
	return ret;
}

int flt_ledger_ask_machine(struct flt_control *control, enum flt_ledger_which which,
			   struct flt_ledger_line *out, struct flt_errmsg *e)
{
	struct flt_genl *genl = flt_control_genl(control);
	struct nl_msg *request = flt_genl_request(genl, which == FLT_LEDGER_OF_THP ?
						  FLT_CMD_THP_GET : FLT_CMD_NUMA_GET, NLM_F_DUMP);
	struct flt_ledger ledger = { 0 };
	int ret;

	if (!request)
		return -ENOMEM;
	ret = flt_genl_dump(genl, request, take_machine, &ledger, e);
	/* A process may be missing. The line of the machine is the first. */
	if (ret == -EINTR)
		ret = 0;
	*out = ledger.machine;
	flt_ledger_free(&ledger);
	return ret;
}

static int take_session(void *arg, struct nlattr *attrs, int length)
{
	struct nlattr *id = nla_find(attrs, length, FLT_SESSION_ID);

	if (!id || nla_len(id) < (int)sizeof(uint32_t))
		return -EBADMSG;
	*(uint32_t *)arg = nla_get_u32(id);
	return 0;
}

int flt_ledger_ask_session(struct flt_control *control, enum flt_ledger_which which,
			   const uint32_t *tgids, size_t count, bool follow, uint32_t *session,
			   struct flt_errmsg *e)
{
	struct flt_genl *genl = flt_control_genl(control);
	struct nl_msg *request = flt_genl_request(genl, FLT_CMD_SESSION_NEW, 0);
	size_t i;

	if (!request)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (nla_put_u32(request, FLT_SESSION_TGID, tgids[i]))
			return flt_genl_drop(request);
	if ((follow && nla_put_flag(request, FLT_SESSION_FOLLOW)) ||
	    nla_put_flag(request, which == FLT_LEDGER_OF_THP ? FLT_SESSION_THP :
						  FLT_SESSION_NUMA))
		return flt_genl_drop(request);
	return flt_genl_do(genl, request, take_session, session, e);
}
