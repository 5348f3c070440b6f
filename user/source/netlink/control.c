// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/netlink/control.h"

#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/netlink/connection.h"
#include "source/netlink/decode.h"

#define DUMP_TRIES 3
/* Inode number of the initial PID namespace, from the kernel's <linux/proc_ns.h>. */
#define PROC_PID_INIT_INO 0xeffffffcu

static int take_info(void *arg, struct nlattr *attrs, int length)
{
	return flt_decode_info(attrs, length, arg);
}

static int take_tally(void *arg, struct nlattr *attrs, int length)
{
	return flt_decode_tally(attrs, length, arg);
}

static int take_proc(void *arg, struct nlattr *attrs, int length)
{
	return flt_decode_proc(attrs, length, arg);
}

static int take_session(void *arg, struct nlattr *attrs, int length)
{
	return flt_decode_session(attrs, length, arg);
}

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

static int ask(struct flt_control *control, struct nl_msg *request, flt_genl_fn fn, void *out,
	       struct flt_errmsg *e)
{
	int ret = flt_genl_do(control->genl, request, fn, out, e);

	if (ret == -EBADMSG)
		return flt_errmsg_set(e, ret, "invalid answer of the flt module");
	return ret;
}

int flt_control_info(struct flt_control *control, struct flt_info *out, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_INFO_GET, 0);

	*out = (struct flt_info){ 0 };
	return request ? ask(control, request, take_info, out, e) : -ENOMEM;
}

int flt_control_tally(struct flt_control *control, struct flt_tally *out, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_TALLY_GET, 0);

	*out = (struct flt_tally){ 0 };
	return request ? ask(control, request, take_tally, out, e) : -ENOMEM;
}

int flt_control_proc(struct flt_control *control, uint32_t tgid, bool kinds, struct flt_row *out,
		     struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_PROC_GET, 0);

	*out = (struct flt_row){ 0 };
	if (!request)
		return -ENOMEM;
	if (nla_put_u32(request, FLT_PROC_TGID, tgid) ||
	    (kinds && nla_put_flag(request, FLT_PROC_KINDS))) {
		nlmsg_free(request);
		return -ENOMEM;
	}
	return ask(control, request, take_proc, out, e);
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

	if (!request)
		return -ENOMEM;
	if ((dump->number && nla_put_u32(request, dump->number_attr, dump->number)) ||
	    (dump->flag && nla_put_flag(request, dump->flag_attr)) ||
	    (dump->more_attr && nla_put_flag(request, dump->more_attr))) {
		nlmsg_free(request);
		return -ENOMEM;
	}
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

static int put_filter(struct nl_msg *request, const struct flt_stream_filter *f)
{
	struct nlattr *nest = nla_nest_start(request, FLT_SESSION_FILTER);

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
	int ret = ask(control, request, take_session, &session, e);

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

	if (!request)
		return -ENOMEM;
	if (put_targets(request, tgids, count, follow) || (wish && put_stream(request, wish)))
		goto err_request;
	return ask_new(control, request, id, e);

err_request:
	nlmsg_free(request);
	return -ENOMEM;
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

	if (!request)
		return -ENOMEM;
	if (put_targets(request, tgids, count, follow) ||
	    nla_put_u32(request, FLT_SESSION_HIST, wish->procs) ||
	    (wish->cgroup && nla_put_u64(request, FLT_SESSION_HIST_CGROUP, wish->cgroup)) ||
	    (wish->causes && nla_put_flag(request, FLT_SESSION_CAUSES)))
		goto err_request;
	return ask_new(control, request, id, e);

err_request:
	nlmsg_free(request);
	return -ENOMEM;
}

int flt_control_counts_new(struct flt_control *control, uint32_t *id, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, FLT_CMD_SESSION_NEW, 0);

	if (!request)
		return -ENOMEM;
	if (nla_put_flag(request, FLT_SESSION_COUNTS)) {
		nlmsg_free(request);
		return -ENOMEM;
	}
	return ask_new(control, request, id, e);
}

static int ask_session(struct flt_control *control, uint8_t command, uint32_t id, bool kinds,
		       flt_genl_fn fn, struct flt_session *out, struct flt_errmsg *e)
{
	struct nl_msg *request = flt_genl_request(control->genl, command, 0);

	if (!request)
		return -ENOMEM;
	if (nla_put_u32(request, FLT_SESSION_ID, id) ||
	    (kinds && nla_put_flag(request, FLT_SESSION_KINDS))) {
		nlmsg_free(request);
		return -ENOMEM;
	}
	return ask(control, request, fn, out, e);
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

static int explain_absence(struct flt_errmsg *e)
{
	if (!access("/sys/module/flt", F_OK))
		return flt_errmsg_set(e, -EOPNOTSUPP,
				      "the flt module is loaded but has no netlink family; run: "
				      "modprobe -r flt; modprobe flt");
	return flt_errmsg_set(e, -EOPNOTSUPP,
			      "the flt module is not loaded; run: modprobe flt "
			      "(if that fails: fltctl check)");
}

/* Return true in a PID namespace other than the initial one. */
static bool is_inner(void)
{
	struct stat ns;

	/* A kernel without CONFIG_PID_NS has no such file. */
	return !stat("/proc/self/ns/pid", &ns) && ns.st_ino != PROC_PID_INIT_INO;
}

static int shake_hands(struct flt_control *control, struct flt_errmsg *e)
{
	struct flt_info info;
	int ret;

	ret = flt_control_info(control, &info, e);
	if (ret)
		return ret;
	if (info.api >> 16 == FLT_API_VERSION >> 16 &&
	    info.schema >> 16 == FLT_SCHEMA_VERSION >> 16)
		return is_inner() && !(info.features & FLT_FEATURE_PIDNS) ?
		       flt_errmsg_set(e, -EOPNOTSUPP,
				      "flt module %s does not know PID namespaces; install the "
				      "version of fltctl, %s", info.version, FLT_VERSION) : 0;
	return flt_errmsg_set(e, -EPROTO,
			      "flt module %s has API %u.%u and schema %u.%u, fltctl %s has API "
			      "%u.%u and schema %u.%u; install the same version of both",
			      info.version, info.api >> 16, info.api & 0xffff, info.schema >> 16,
			      info.schema & 0xffff, FLT_VERSION, FLT_API_VERSION >> 16,
			      FLT_API_VERSION & 0xffff, FLT_SCHEMA_VERSION >> 16,
			      FLT_SCHEMA_VERSION & 0xffff);
}

int flt_control_open(struct flt_control **control, struct flt_errmsg *e)
{
	struct flt_control *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	ret = flt_genl_open(&c->genl, FLT_GENL_NAME, FLT_GENL_VERSION, e);
	if (ret == -EOPNOTSUPP)
		explain_absence(e);
	if (ret)
		goto err_control;
	ret = shake_hands(c, e);
	if (ret)
		goto err_genl;
	*control = c;
	return 0;

err_genl:
	flt_genl_close(c->genl);
err_control:
	free(c);
	return ret;
}

struct flt_genl *flt_control_genl(struct flt_control *c)
{
	return c->genl;
}

void flt_control_close(struct flt_control *c)
{
	if (!c)
		return;
	flt_genl_close(c->genl);
	free(c);
}
