// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/netlink/decode.h"

#include <errno.h>
#include <netlink/attr.h>
#include <string.h>

#include "account/counter.h"

#define U32 { .type = NLA_U32 }
#define U64 { .type = NLA_U64 }
/* libnl refuses a string without a NUL; copy_text() accepts it. */
#define TEXT { .type = NLA_UNSPEC }
#define FLAG { .type = NLA_FLAG }
#define NEST { .type = NLA_NESTED }

static const struct nla_policy info_policy[FLT_INFO_MAX + 1] = {
	[FLT_INFO_API] = U32,
	[FLT_INFO_SCHEMA] = U32,
	[FLT_INFO_VERSION] = TEXT,
	[FLT_INFO_FEATURES] = U32,
	[FLT_INFO_ACCOUNTING] = U32,
	[FLT_INFO_SINCE] = U64,
	[FLT_INFO_RETURNS] = FLAG,
	[FLT_INFO_PIDNS] = FLAG,
	[FLT_INFO_CAUSES] = U32,
	[FLT_INFO_NOW] = U64,
	[FLT_INFO_PROCS] = U32,
	[FLT_INFO_PROCS_MAX] = U32,
	[FLT_INFO_TASKS] = U32,
	[FLT_INFO_TASKS_MAX] = U32,
	[FLT_INFO_MEMORY] = U64,
	[FLT_INFO_SESSIONS] = U32,
	[FLT_INFO_SESSIONS_MAX] = U32,
	[FLT_INFO_MAXACTIVE] = U32,
	[FLT_INFO_CLOCK] = TEXT,
};

static const struct nla_policy hook_policy[FLT_HOOK_MAX + 1] = {
	[FLT_HOOK_NAME] = TEXT,
	[FLT_HOOK_SYMBOL] = TEXT,
	[FLT_HOOK_TYPE] = U32,
	[FLT_HOOK_STATE] = U32,
	[FLT_HOOK_ERROR] = U32,
	[FLT_HOOK_REQUIRED] = FLAG,
	[FLT_HOOK_FTRACE] = FLAG,
	[FLT_HOOK_HITS] = U64,
	[FLT_HOOK_MISSED_BUSY] = U64,
	[FLT_HOOK_MISSED_FULL] = U64,
	[FLT_HOOK_UNKNOWN] = U64,
};

static const struct nla_policy account_policy[FLT_ACCOUNT_MAX + 1] = {
#define COUNTER(member, attribute, number, bits, ...) [number] = U##bits,
	FLT_COUNTERS(COUNTER)
#undef COUNTER
	[FLT_ACCOUNT_KIND] = NEST,
	[FLT_ACCOUNT_OCTAVES] = NEST,
};

static const struct nla_policy kind_policy[FLT_KIND_ATTR_MAX + 1] = {
	[FLT_KIND_ATTR_ID] = U32,
	[FLT_KIND_ATTR_COUNT] = U64,
};

static const struct nla_policy tally_policy[FLT_TALLY_MAX + 1] = {
	[FLT_TALLY_ALL] = NEST,
	[FLT_TALLY_RETIRED] = NEST,
	[FLT_TALLY_OTHER] = NEST,
	[FLT_TALLY_FAILED_OOM] = U64,
	[FLT_TALLY_FAILED_SIGBUS] = U64,
	[FLT_TALLY_FAILED_SIGSEGV] = U64,
	[FLT_TALLY_FAILED_HWPOISON] = U64,
	[FLT_TALLY_FAILED_OTHER] = U64,
	[FLT_TALLY_PROCS_SEEN] = U64,
	[FLT_TALLY_PROCS_RETIRED] = U64,
#define LOSS(member, attribute, number, ...) [number] = U64,
	FLT_TALLY_LOSSES(LOSS)
#undef LOSS
	[FLT_TALLY_NOW] = U64,
	[FLT_TALLY_FORGOTTEN] = U64,
};

static const struct nla_policy latency_policy[FLT_LATENCY_MAX + 1] = {
	[FLT_LATENCY_KIND] = U32,
	[FLT_LATENCY_MAJOR] = FLAG,
	[FLT_LATENCY_BUCKETS] = NEST,
	[FLT_LATENCY_RETURN] = U32,
	[FLT_LATENCY_SUM] = U64,
	[FLT_LATENCY_MAXIMUM] = U64,
	[FLT_LATENCY_PROC] = U64,
	[FLT_LATENCY_CAUSE] = U32,
};

static const struct nla_policy slowest_policy[FLT_SLOWEST_ATTR_MAX + 1] = {
	[FLT_SLOWEST_LATENCY] = U64,
	[FLT_SLOWEST_TIME] = U64,
	[FLT_SLOWEST_ADDRESS] = U64,
	[FLT_SLOWEST_TGID] = U32,
	[FLT_SLOWEST_TID] = U32,
	[FLT_SLOWEST_COMM] = TEXT,
	[FLT_SLOWEST_KIND] = U32,
	[FLT_SLOWEST_RESULT] = U32,
	[FLT_SLOWEST_ATTEMPTS] = U32,
	[FLT_SLOWEST_REMOTE] = FLAG,
	[FLT_SLOWEST_CAUSES] = NEST,
};

static const struct nla_policy proc_policy[FLT_PROC_MAX + 1] = {
	[FLT_PROC_TGID] = U32,
	[FLT_PROC_ID] = U64,
	[FLT_PROC_START] = U64,
	[FLT_PROC_COMM] = TEXT,
	[FLT_PROC_ENDED] = FLAG,
	[FLT_PROC_WHOLE] = FLAG,
	[FLT_PROC_THREADS] = U32,
	[FLT_PROC_ACCOUNT] = NEST,
	[FLT_PROC_FIRST] = U64,
	[FLT_PROC_PROCESSES] = U32,
	[FLT_PROC_CGROUP] = U64,
};

static const struct nla_policy task_policy[FLT_TASK_MAX + 1] = {
	[FLT_TASK_TGID] = U32,
	[FLT_TASK_TID] = U32,
	[FLT_TASK_COMM] = TEXT,
	[FLT_TASK_ACCOUNT] = NEST,
};

static const struct nla_policy session_policy[FLT_SESSION_MAX + 1] = {
	[FLT_SESSION_ID] = U32,
	[FLT_SESSION_ACCOUNT] = NEST,
	[FLT_SESSION_PROCS] = U32,
	[FLT_SESSION_LIVE] = U32,
	[FLT_SESSION_UNTRACKED] = U64,
	[FLT_SESSION_WRITTEN] = U64,
	[FLT_SESSION_LOST] = U64,
	[FLT_SESSION_LOST_NOTES] = U64,
	[FLT_SESSION_STACKS_USED] = U32,
	[FLT_SESSION_STACKS_ONCE] = U64,
};

static const struct nla_policy events_policy[FLT_EVENTS_MAX + 1] = {
	[FLT_EVENTS_SESSION] = U32,
	[FLT_EVENTS_CPU] = U32,
	[FLT_EVENTS_SLOTS] = TEXT,
	[FLT_EVENTS_HORIZON] = U64,
};

/*
 * nla_parse() ignores a tail that is not an attribute. Such a message was truncated, and some
 * of its counters would be read as 0.
 */
static int parse(struct nlattr **tb, int max, struct nlattr *attrs, int length,
		 const struct nla_policy *policy)
{
	struct nlattr *attr;
	int left;

	nla_for_each_attr(attr, attrs, length, left)
		;
	if (left > 0 || length < 0)
		return -EBADMSG;
	return nla_parse(tb, max, attrs, length, (struct nla_policy *)policy) ? -EBADMSG : 0;
}

static int parse_nest(struct nlattr **tb, int max, struct nlattr *nest,
		      const struct nla_policy *policy)
{
	return parse(tb, max, nla_data(nest), nla_len(nest), policy);
}

static uint32_t u32_of(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static uint64_t u64_of(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

static void copy_text(char *out, size_t size, struct nlattr *attr)
{
	size_t length = 0;

	if (attr) {
		length = strnlen(nla_data(attr), (size_t)nla_len(attr));
		if (length >= size)
			length = size - 1;
		memcpy(out, nla_data(attr), length);
	}
	out[length] = '\0';
}

static int decode_kind(struct nlattr *nest, struct flt_account *out)
{
	struct nlattr *tb[FLT_KIND_ATTR_MAX + 1];
	uint32_t kind;
	int ret;

	ret = parse_nest(tb, FLT_KIND_ATTR_MAX, nest, kind_policy);
	if (ret)
		return ret;
	kind = u32_of(tb[FLT_KIND_ATTR_ID]);
	if (kind < __FLT_KIND_MAX)
		out->kinds[kind] += u64_of(tb[FLT_KIND_ATTR_COUNT]);
	else
		out->kinds_beyond += u64_of(tb[FLT_KIND_ATTR_COUNT]);
	return 0;
}

/* Decode a nest of counters: attribute i + 1 is entry i. attr NULL: all are 0. */
int flt_decode_numbers(struct nlattr *attr, uint64_t *out, int count)
{
	struct nlattr *each;
	int left, i;

	if (!attr)
		return 0;
	nla_for_each_nested(each, attr, left) {
		i = nla_type(each) - 1;
		if (i < 0 || i >= count)
			continue;
		if (nla_len(each) < (int)sizeof(uint64_t))
			return -EBADMSG;
		out[i] = nla_get_u64(each);
	}
	return left > 0 ? -EBADMSG : 0;
}

static void decode_counters(struct nlattr **tb, struct flt_account *out)
{
	const struct flt_counter *c;
	size_t i;

	for (i = 0; (c = flt_counter_at(i)); i++) {
		struct nlattr *attr = tb[c->attribute];

		*flt_counter_in(c, out) = c->bits == 32 ? u32_of(attr) : u64_of(attr);
		if (!attr && c->presence != FLT_PRESENCE_ALWAYS)
			out->unknown |= 1u << c->attribute;
	}
}

/* attr NULL: all counters are 0. */
static int decode_account(struct nlattr *attr, struct flt_account *out)
{
	struct nlattr *tb[FLT_ACCOUNT_MAX + 1], *each;
	int ret, left;

	*out = (struct flt_account){ 0 };
	if (!attr)
		return 0;
	ret = parse_nest(tb, FLT_ACCOUNT_MAX, attr, account_policy);
	if (ret)
		return ret;
	decode_counters(tb, out);
	nla_for_each_nested(each, attr, left) {
		if (nla_type(each) != FLT_ACCOUNT_KIND)
			continue;
		ret = decode_kind(each, out);
		if (ret)
			return ret;
	}
	return flt_decode_numbers(tb[FLT_ACCOUNT_OCTAVES], out->octaves, FLT_OCTAVES);
}

int flt_decode_info(struct nlattr *attrs, int length, struct flt_info *out)
{
	struct nlattr *tb[FLT_INFO_MAX + 1];
	int ret;

	ret = parse(tb, FLT_INFO_MAX, attrs, length, info_policy);
	if (ret)
		return ret;
	if (!tb[FLT_INFO_API] || !tb[FLT_INFO_SCHEMA])
		return -EBADMSG;
	*out = (struct flt_info){
		.api = u32_of(tb[FLT_INFO_API]),
		.schema = u32_of(tb[FLT_INFO_SCHEMA]),
		.features = u32_of(tb[FLT_INFO_FEATURES]),
		.causes = u32_of(tb[FLT_INFO_CAUSES]),
		.accounting = u32_of(tb[FLT_INFO_ACCOUNTING]) != 0,
		.since = u64_of(tb[FLT_INFO_SINCE]),
		.returns = tb[FLT_INFO_RETURNS] != NULL,
		.inner = tb[FLT_INFO_PIDNS] != NULL,
		.now = u64_of(tb[FLT_INFO_NOW]),
		.procs = u32_of(tb[FLT_INFO_PROCS]),
		.procs_max = u32_of(tb[FLT_INFO_PROCS_MAX]),
		.tasks = u32_of(tb[FLT_INFO_TASKS]),
		.tasks_max = u32_of(tb[FLT_INFO_TASKS_MAX]),
		.sessions = u32_of(tb[FLT_INFO_SESSIONS]),
		.sessions_max = u32_of(tb[FLT_INFO_SESSIONS_MAX]),
		.maxactive = u32_of(tb[FLT_INFO_MAXACTIVE]),
		.memory = u64_of(tb[FLT_INFO_MEMORY]),
	};
	copy_text(out->version, sizeof(out->version), tb[FLT_INFO_VERSION]);
	copy_text(out->clock, sizeof(out->clock), tb[FLT_INFO_CLOCK]);
	return 0;
}

int flt_decode_hook(struct nlattr *attrs, int length, struct flt_hook *out)
{
	struct nlattr *tb[FLT_HOOK_MAX + 1];
	int ret;

	ret = parse(tb, FLT_HOOK_MAX, attrs, length, hook_policy);
	if (ret)
		return ret;
	if (!tb[FLT_HOOK_NAME])
		return -EBADMSG;
	*out = (struct flt_hook){
		.type = u32_of(tb[FLT_HOOK_TYPE]),
		.state = u32_of(tb[FLT_HOOK_STATE]),
		.error = u32_of(tb[FLT_HOOK_ERROR]),
		.required = tb[FLT_HOOK_REQUIRED] != NULL,
		.ftrace = tb[FLT_HOOK_FTRACE] != NULL,
		.unknown = u64_of(tb[FLT_HOOK_UNKNOWN]),
		.hits = u64_of(tb[FLT_HOOK_HITS]),
		.missed_busy = u64_of(tb[FLT_HOOK_MISSED_BUSY]),
		.missed_full = u64_of(tb[FLT_HOOK_MISSED_FULL]),
	};
	copy_text(out->name, sizeof(out->name), tb[FLT_HOOK_NAME]);
	copy_text(out->symbol, sizeof(out->symbol), tb[FLT_HOOK_SYMBOL]);
	return 0;
}

int flt_decode_tally(struct nlattr *attrs, int length, struct flt_tally *out)
{
	struct nlattr *tb[FLT_TALLY_MAX + 1];
	int ret;

	ret = parse(tb, FLT_TALLY_MAX, attrs, length, tally_policy);
	if (ret)
		return ret;
	*out = (struct flt_tally){
		.failures = {
			[FLT_FAILURE_OOM] = u64_of(tb[FLT_TALLY_FAILED_OOM]),
			[FLT_FAILURE_SIGBUS] = u64_of(tb[FLT_TALLY_FAILED_SIGBUS]),
			[FLT_FAILURE_SIGSEGV] = u64_of(tb[FLT_TALLY_FAILED_SIGSEGV]),
			[FLT_FAILURE_HWPOISON] = u64_of(tb[FLT_TALLY_FAILED_HWPOISON]),
			[FLT_FAILURE_OTHER] = u64_of(tb[FLT_TALLY_FAILED_OTHER]),
		},
		.procs_seen = u64_of(tb[FLT_TALLY_PROCS_SEEN]),
		.procs_retired = u64_of(tb[FLT_TALLY_PROCS_RETIRED]),
#define LOSS(member, attribute, number, ...) .member = u64_of(tb[number]),
		FLT_TALLY_LOSSES(LOSS)
#undef LOSS
		.now = u64_of(tb[FLT_TALLY_NOW]),
		.forgotten = u64_of(tb[FLT_TALLY_FORGOTTEN]),
	};
	ret = decode_account(tb[FLT_TALLY_ALL], &out->all);
	if (!ret)
		ret = decode_account(tb[FLT_TALLY_RETIRED], &out->retired);
	if (!ret)
		ret = decode_account(tb[FLT_TALLY_OTHER], &out->other);
	return ret;
}

int flt_decode_latency(struct nlattr *attrs, int length, struct flt_latency *out)
{
	struct nlattr *tb[FLT_LATENCY_MAX + 1];
	int ret;

	ret = parse(tb, FLT_LATENCY_MAX, attrs, length, latency_policy);
	if (ret)
		return ret;
	*out = (struct flt_latency){
		.kind = u32_of(tb[FLT_LATENCY_KIND]),
		.major = tb[FLT_LATENCY_MAJOR] != NULL,
		.returned = u32_of(tb[FLT_LATENCY_RETURN]),
		.sum = u64_of(tb[FLT_LATENCY_SUM]),
		.max = u64_of(tb[FLT_LATENCY_MAXIMUM]),
		.proc = u64_of(tb[FLT_LATENCY_PROC]),
		.cause = u32_of(tb[FLT_LATENCY_CAUSE]),
	};
	return flt_decode_numbers(tb[FLT_LATENCY_BUCKETS], out->buckets, FLT_BUCKETS);
}

int flt_decode_slow(struct nlattr *attrs, int length, struct flt_slow *out)
{
	struct nlattr *tb[FLT_SLOWEST_ATTR_MAX + 1];
	int ret;

	ret = parse(tb, FLT_SLOWEST_ATTR_MAX, attrs, length, slowest_policy);
	if (ret)
		return ret;
	if (!tb[FLT_SLOWEST_LATENCY])
		return -EBADMSG;
	*out = (struct flt_slow){
		.ns = u64_of(tb[FLT_SLOWEST_LATENCY]),
		.time = u64_of(tb[FLT_SLOWEST_TIME]),
		.address = u64_of(tb[FLT_SLOWEST_ADDRESS]),
		.tgid = u32_of(tb[FLT_SLOWEST_TGID]),
		.tid = u32_of(tb[FLT_SLOWEST_TID]),
		.kind = u32_of(tb[FLT_SLOWEST_KIND]),
		.result = u32_of(tb[FLT_SLOWEST_RESULT]),
		.attempts = u32_of(tb[FLT_SLOWEST_ATTEMPTS]),
		.remote = tb[FLT_SLOWEST_REMOTE] != NULL,
	};
	copy_text(out->comm, sizeof(out->comm), tb[FLT_SLOWEST_COMM]);
	return flt_decode_numbers(tb[FLT_SLOWEST_CAUSES], out->cause, __FLT_CAUSE_MAX);
}

int flt_decode_proc(struct nlattr *attrs, int length, struct flt_row *out)
{
	struct nlattr *tb[FLT_PROC_MAX + 1];
	int ret;

	ret = parse(tb, FLT_PROC_MAX, attrs, length, proc_policy);
	if (ret)
		return ret;
	if ((!tb[FLT_PROC_TGID] || !tb[FLT_PROC_ID]) && !tb[FLT_PROC_PROCESSES])
		return -EBADMSG;
	*out = (struct flt_row){
		.id = u64_of(tb[FLT_PROC_ID]),
		.tgid = u32_of(tb[FLT_PROC_TGID]),
		.ended = tb[FLT_PROC_ENDED] != NULL,
		.whole = tb[FLT_PROC_WHOLE] != NULL,
		.threads = u32_of(tb[FLT_PROC_THREADS]),
		.processes = u32_of(tb[FLT_PROC_PROCESSES]),
		.start = u64_of(tb[FLT_PROC_START]),
		.first = u64_of(tb[FLT_PROC_FIRST]),
		.cgroup = u64_of(tb[FLT_PROC_CGROUP]),
	};
	copy_text(out->comm, sizeof(out->comm), tb[FLT_PROC_COMM]);
	return decode_account(tb[FLT_PROC_ACCOUNT], &out->account);
}

int flt_decode_task(struct nlattr *attrs, int length, struct flt_row *out)
{
	struct nlattr *tb[FLT_TASK_MAX + 1];
	int ret;

	ret = parse(tb, FLT_TASK_MAX, attrs, length, task_policy);
	if (ret)
		return ret;
	if (!tb[FLT_TASK_TID])
		return -EBADMSG;
	*out = (struct flt_row){
		.id = u32_of(tb[FLT_TASK_TID]),
		.tgid = u32_of(tb[FLT_TASK_TGID]),
		.tid = u32_of(tb[FLT_TASK_TID]),
	};
	copy_text(out->comm, sizeof(out->comm), tb[FLT_TASK_COMM]);
	return decode_account(tb[FLT_TASK_ACCOUNT], &out->account);
}

int flt_decode_session(struct nlattr *attrs, int length, struct flt_session *out)
{
	struct nlattr *tb[FLT_SESSION_MAX + 1];
	int ret;

	ret = parse(tb, FLT_SESSION_MAX, attrs, length, session_policy);
	if (ret)
		return ret;
	if (!tb[FLT_SESSION_ID])
		return -EBADMSG;
	*out = (struct flt_session){
		.id = u32_of(tb[FLT_SESSION_ID]),
		.procs = u32_of(tb[FLT_SESSION_PROCS]),
		.live = u32_of(tb[FLT_SESSION_LIVE]),
		.untracked = u64_of(tb[FLT_SESSION_UNTRACKED]),
		.written = u64_of(tb[FLT_SESSION_WRITTEN]),
		.lost = u64_of(tb[FLT_SESSION_LOST]),
		.lost_notes = u64_of(tb[FLT_SESSION_LOST_NOTES]),
		.stacks = u32_of(tb[FLT_SESSION_STACKS_USED]),
		.stacks_once = u64_of(tb[FLT_SESSION_STACKS_ONCE]),
	};
	return decode_account(tb[FLT_SESSION_ACCOUNT], &out->account);
}

int flt_decode_events(struct nlattr *attrs, int length, struct flt_event_bytes *out)
{
	struct nlattr *tb[FLT_EVENTS_MAX + 1];
	int ret;

	ret = parse(tb, FLT_EVENTS_MAX, attrs, length, events_policy);
	if (ret)
		return ret;
	if (tb[FLT_EVENTS_SESSION] && tb[FLT_EVENTS_HORIZON] && !tb[FLT_EVENTS_SLOTS]) {
		*out = (struct flt_event_bytes){
			.session = u32_of(tb[FLT_EVENTS_SESSION]),
			.horizon = u64_of(tb[FLT_EVENTS_HORIZON]),
		};
		return 0;
	}
	if (!tb[FLT_EVENTS_SESSION] || !tb[FLT_EVENTS_CPU] || !tb[FLT_EVENTS_SLOTS])
		return -EBADMSG;
	*out = (struct flt_event_bytes){
		.session = u32_of(tb[FLT_EVENTS_SESSION]),
		.cpu = u32_of(tb[FLT_EVENTS_CPU]),
		.slots = nla_data(tb[FLT_EVENTS_SLOTS]),
		.size = (size_t)nla_len(tb[FLT_EVENTS_SLOTS]),
	};
	if (!out->size || out->size % sizeof(struct flt_event_record))
		return -EBADMSG;
	return 0;
}
