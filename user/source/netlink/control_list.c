// SPDX-License-Identifier: GPL-2.0-or-later
/* control_list.c - ask the module for lists. */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>

#include "source/netlink/connection.h"
#include "source/netlink/control.h"
#include "source/netlink/decode.h"

#define DUMP_TRIES 3

static int take_proc_row(void *arg, struct nlattr *attrs, int length)
{
	struct flt_row row;
	int ret;

	ret = flt_decode_proc(attrs, length, &row);
	return ret ? ret : flt_rows_add(arg, &row);
}

static int take_task_row(void *arg, struct nlattr *attrs, int length)
{
	struct flt_row row;
	int ret;

	ret = flt_decode_task(attrs, length, &row);
	return ret ? ret : flt_rows_add(arg, &row);
}

static int take_hook(void *arg, struct nlattr *attrs, int length)
{
	struct flt_hooks *hooks = arg;
	struct flt_hook *grown;
	int ret;

	grown = reallocarray(hooks->hook, hooks->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	hooks->hook = grown;
	ret = flt_decode_hook(attrs, length, &grown[hooks->count]);
	if (!ret)
		hooks->count++;
	return ret;
}

static int take_latency(void *arg, struct nlattr *attrs, int length)
{
	struct flt_latencies *list = arg;
	struct flt_latency *grown;
	int ret;

	grown = reallocarray(list->latency, list->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->latency = grown;
	ret = flt_decode_latency(attrs, length, &grown[list->count]);
	if (!ret)
		list->count++;
	return ret;
}

static int take_slow(void *arg, struct nlattr *attrs, int length)
{
	struct flt_slows *list = arg;
	struct flt_slow *grown;
	int ret;

	grown = reallocarray(list->slow, list->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->slow = grown;
	ret = flt_decode_slow(attrs, length, &grown[list->count]);
	if (!ret)
		list->count++;
	return ret;
}

/* A filter of a dump. */
struct dump {
	uint8_t command;
	flt_genl_fn fn;
	int number_attr;
	uint32_t number;	/* 0: no filter */
	int flag_attr;
	bool flag;
	int more_attr;		/* another flag; 0: none */
};

static int dump_once(struct flt_control *control, const struct dump *dump, void *out,
		     struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, dump->command, NLM_F_DUMP);
	int ret;

	if (!request || (dump->number && nla_put_u32(request, dump->number_attr, dump->number)) ||
	    (dump->flag && nla_put_flag(request, dump->flag_attr)) ||
	    (dump->more_attr && nla_put_flag(request, dump->more_attr)))
		return flt_genl_drop(request);
	ret = flt_genl_dump(control->genl, request, dump->fn, out, e);
	if (ret == -EBADMSG)
		flt_errmsg_set(e, ret, "invalid row in the answer of the flt module");
	return ret;
}

static int dump_rows(struct flt_control *control, const struct dump *dump, struct flt_rows *out,
		     struct flt_errmsg *e)
{
	int ret, tries = 0;

	do {
		out->count = 0;
		ret = dump_once(control, dump, out, e);
	} while (ret == -EINTR && ++tries < DUMP_TRIES);
	if (ret == -EINTR)
		flt_errmsg_set(e, ret, "rows were retired during each of %d requests",
			       DUMP_TRIES);
	return ret;
}

int flt_control_procs(struct flt_control *control, uint32_t session, bool kinds,
		      struct flt_rows *out, struct flt_errmsg *e)
{
	const struct dump dump = {
		.command = FLT_CMD_PROC_GET, .fn = take_proc_row,
		.number_attr = FLT_PROC_SESSION, .number = session,
		.flag_attr = FLT_PROC_KINDS, .flag = kinds,
	};

	return dump_rows(control, &dump, out, e);
}

int flt_control_names(struct flt_control *control, uint32_t session, struct flt_rows *out,
		      struct flt_errmsg *e)
{
	const struct dump dump = {
		.command = FLT_CMD_PROC_GET, .fn = take_proc_row,
		.number_attr = FLT_PROC_SESSION, .number = session,
		.flag_attr = FLT_PROC_KINDS, .flag = true, .more_attr = FLT_PROC_NAMES,
	};

	return dump_rows(control, &dump, out, e);
}

int flt_control_tasks(struct flt_control *control, uint32_t tgid, bool kinds,
		      struct flt_rows *out, struct flt_errmsg *e)
{
	const struct dump dump = {
		.command = FLT_CMD_TASK_GET, .fn = take_task_row,
		.number_attr = FLT_TASK_TGID, .number = tgid,
		.flag_attr = FLT_TASK_KINDS, .flag = kinds,
	};

	return dump_rows(control, &dump, out, e);
}

int flt_control_hooks(struct flt_control *control, struct flt_hooks *hooks, struct flt_errmsg *e)
{
	const struct dump dump = { .command = FLT_CMD_HOOK_GET, .fn = take_hook };

	hooks->count = 0;
	return dump_once(control, &dump, hooks, e);
}

int flt_control_latency(struct flt_control *control, bool returns, struct flt_latencies *out,
			struct flt_errmsg *e)
{
	const struct dump dump = {
		.command = FLT_CMD_LATENCY_GET, .fn = take_latency,
		.flag_attr = FLT_LATENCY_RETURNS, .flag = returns,
	};

	out->count = 0;
	return dump_once(control, &dump, out, e);
}

int flt_control_hists(struct flt_control *control, uint32_t session, enum flt_hist_by by,
		      struct flt_latencies *out, struct flt_errmsg *e)
{
	static const int flags[] = {
		[FLT_HIST_BY_RETURN] = FLT_LATENCY_RETURNS,
		[FLT_HIST_BY_PROCESS] = FLT_LATENCY_PROCS,
		[FLT_HIST_BY_CAUSE] = FLT_LATENCY_CAUSES,
	};
	const struct dump dump = {
		.command = FLT_CMD_LATENCY_GET, .fn = take_latency,
		.number_attr = FLT_LATENCY_SESSION, .number = session,
		.flag_attr = flags[by], .flag = by != FLT_HIST_BY_KIND,
	};

	out->count = 0;
	return dump_once(control, &dump, out, e);
}

int flt_control_slowest(struct flt_control *control, uint32_t session, struct flt_slows *out,
			struct flt_errmsg *e)
{
	const struct dump dump = {
		.command = FLT_CMD_SLOWEST_GET, .fn = take_slow,
		.number_attr = FLT_SLOWEST_SESSION, .number = session,
	};

	out->count = 0;
	return dump_once(control, &dump, out, e);
}
