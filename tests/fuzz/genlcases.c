// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * genlcases refused   send invalid requests; each must fail with the errno of flt.h and
 *                     an error message
 * genlcases denied    send every command without the capability; each must fail with
 *                     EPERM. Run it as a user without the capability
 * genlcases perfmon   send every command; each must have its result with CAP_PERFMON
 * genlcases sys_admin send every command; each must have its result with CAP_SYS_ADMIN
 * genlcases borrowed  use a socket without the capability that was opened with it, and
 *                     the reverse; every command must fail with EPERM
 * genlcases absent    the family flt must not exist
 *
 * Exits with status 0 if all answers are right. Prints a line for each wrong answer.
 */
#include "../live/errno_name.h"
#include "genlcases.h"

#include <err.h>
#include <errno.h>
#include <linux/flt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct genl g, other;
static int checks, failures;

const char *name_of(int error)
{
	return error ? errno_name(-error) : "0";
}

void expect_on(struct genl *s, const char *what, int want, int want2)
{
	int rc = genl_talk(s, NULL, NULL);
	int needs_message = want != 0 && want != -EOPNOTSUPP;

	checks++;
	if (rc != want && (!want2 || rc != want2)) {
		printf("%s: %s (\"%s\"), should be %s\n", what, name_of(rc), s->error,
		       name_of(want));
		failures++;
	} else if (rc && needs_message && !*s->error) {
		printf("%s: %s without an error message\n", what, name_of(rc));
		failures++;
	}
}

void expect(const char *what, int want)
{
	expect_on(&g, what, want, 0);
}

void expect_answer(const char *what, int rc, int want)
{
	checks++;
	if (rc != want) {
		printf("%s: %s, should be %s\n", what, name_of(rc), name_of(want));
		failures++;
	}
}

struct nlmsghdr *ask(struct genl *s, uint8_t cmd, uint16_t flags)
{
	return genl_start(s, s->family, NLM_F_REQUEST | NLM_F_ACK | flags, cmd, FLT_GENL_VERSION);
}

uint32_t session;

void session_read(const struct nlmsghdr *nlh, void *unused)
{
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	(void)unused;
	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_SESSION_ID)
			session = (uint32_t)genl_number(a);
	}
}

static void session_new(struct genl *s)
{
	int rc;

	ask(s, FLT_CMD_SESSION_NEW, 0);
	rc = genl_talk(s, session_read, NULL);
	if (rc)
		errx(1, "SESSION_NEW: %s: %s", name_of(rc), s->error);
}

/* Requests with missing, malformed, unknown or out-of-range attributes. */
static void refused_attributes(void)
{
	static const char junk[300];
	uint16_t half = 1;
	uint64_t twice = 1;

	ask(&g, FLT_CMD_INFO_GET, 0);
	genl_put_u32(&g, 200, 1);
	expect("INFO_GET with an unknown attribute", -EINVAL);
	ask(&g, FLT_CMD_INFO_GET, 0);
	genl_put_u32(&g, FLT_INFO_API, 1);
	expect("INFO_GET with an attribute of the reply", -EINVAL);
	ask(&g, FLT_CMD_HOOK_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_HOOK_TYPE, 1);
	expect("HOOK_GET with an attribute of the reply", -EINVAL);

	ask(&g, FLT_CMD_PROC_GET, 0);
	expect("PROC_GET without TGID", -EINVAL);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put(&g, FLT_PROC_TGID, &half, sizeof(half));
	expect("PROC_GET with a short TGID", -EINVAL);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put(&g, FLT_PROC_TGID, &twice, sizeof(twice));
	expect("PROC_GET with a long TGID", -EINVAL);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put(&g, FLT_PROC_TGID, NULL, 0);
	expect("PROC_GET with an empty TGID", -EINVAL);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put(&g, FLT_PROC_TGID, junk, sizeof(junk));
	expect("PROC_GET with 300 bytes of TGID", -EINVAL);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put_u32(&g, FLT_PROC_TGID | NLA_F_NESTED, 1);
	expect("PROC_GET with a nested TGID", -EINVAL);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put_u32(&g, FLT_PROC_TGID, 0);
	expect("PROC_GET with TGID 0", -ERANGE);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put_u32(&g, FLT_PROC_TGID, 0xffffffff);
	expect_on(&g, "PROC_GET with TGID 2^32 - 1", -ERANGE, -ESRCH);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put_u32(&g, FLT_PROC_TGID, 4194303);
	expect("PROC_GET of a process that does not exist", -ESRCH);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put_u32(&g, FLT_PROC_TGID, 2);
	expect("PROC_GET of a kernel thread", -ESRCH);
	ask(&g, FLT_CMD_PROC_GET, 0);
	genl_put_u32(&g, FLT_PROC_TGID, 1);
	genl_put_u32(&g, FLT_PROC_SESSION, 1);
	expect("PROC_GET of one process with SESSION", -EINVAL);
	ask(&g, FLT_CMD_PROC_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_PROC_SESSION, 0x7fffffff);
	expect("PROC_GET of a session that does not exist", -ENOENT);
	ask(&g, FLT_CMD_PROC_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_PROC_KINDS, 1);
	expect_on(&g, "PROC_GET with a value in a flag", -EINVAL, -ERANGE);
	ask(&g, FLT_CMD_TASK_GET, NLM_F_DUMP);
	expect("TASK_GET without TGID", -EINVAL);
	ask(&g, FLT_CMD_TASK_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_TASK_TGID, 4194303);
	expect("TASK_GET of a process that does not exist", -ESRCH);
	ask(&g, FLT_CMD_TASK_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_TASK_TGID, 1);
	genl_put_u32(&g, FLT_TASK_TID, 1);
	expect("TASK_GET with an attribute of the reply", -EINVAL);

	/* The rest of the message is too short for an attribute. */
	ask(&g, FLT_CMD_INFO_GET, 0)->nlmsg_len += 2;
	expect("INFO_GET with two bytes too many", -EINVAL);
}

/* Requests for slowest faults and ledgers. */
static void refused_dumps(void)
{
	ask(&g, FLT_CMD_SLOWEST_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_SLOWEST_TGID, 1);
	expect("SLOWEST_GET with an attribute of the reply", -EINVAL);
	for (uint8_t cmd = FLT_CMD_THP_GET; cmd <= FLT_CMD_NUMA_GET; cmd++) {
		ask(&g, cmd, NLM_F_DUMP);
		genl_put_u32(&g, FLT_LEDGER_SESSION, 0x7fffffff);
		expect("a ledger of a session that does not exist", -ENOENT);
		ask(&g, cmd, NLM_F_DUMP);
		genl_put_u32(&g, FLT_LEDGER_SESSION, 0);
		expect_on(&g, "a ledger of session 0", -ERANGE, -ENOENT);
		ask(&g, cmd, NLM_F_DUMP);
		genl_put(&g, FLT_LEDGER_SESSION, NULL, 0);
		expect("a ledger with an empty SESSION", -EINVAL);
		ask(&g, cmd, NLM_F_DUMP);
		genl_put_u32(&g, FLT_LEDGER_TGID, 1);
		expect("a ledger with an attribute of the reply", -EINVAL);
	}
}

static void refused_flags(void)
{
	static const uint16_t strange[] = { 0x20, 0x40, 0x80, 0x100, 0x200, 0x400, 0x800,
					    0x1000, 0x8000 };
	char what[64];

	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++) {
		snprintf(what, sizeof(what), "INFO_GET with flag %#x", strange[i]);
		ask(&g, FLT_CMD_INFO_GET, strange[i]);
		expect(what, -EINVAL);
	}
	((struct genlmsghdr *)NLMSG_DATA(ask(&g, FLT_CMD_INFO_GET, 0)))->reserved = 1;
	expect("INFO_GET with the reserved field set", -EINVAL);
}

static void refused_commands(void)
{
	char what[64];

	for (int cmd = 0; cmd < 256; cmd++) {
		if (cmd >= FLT_CMD_INFO_GET && cmd <= FLT_CMD_MAX)
			continue;
		snprintf(what, sizeof(what), "command %d", cmd);
		ask(&g, (uint8_t)cmd, 0);
		expect(what, -EOPNOTSUPP);
	}
	ask(&g, FLT_CMD_INFO_GET, NLM_F_DUMP);
	expect("INFO_GET as a dump", -EOPNOTSUPP);
	ask(&g, FLT_CMD_TALLY_GET, NLM_F_DUMP);
	expect("TALLY_GET as a dump", -EOPNOTSUPP);
	ask(&g, FLT_CMD_HOOK_GET, 0);
	expect("HOOK_GET not as a dump", -EOPNOTSUPP);
	ask(&g, FLT_CMD_TASK_GET, 0);
	genl_put_u32(&g, FLT_TASK_TGID, 1);
	expect("TASK_GET not as a dump", -EOPNOTSUPP);
	for (uint8_t cmd = FLT_CMD_THP_GET; cmd <= FLT_CMD_SLOWEST_GET; cmd++) {
		ask(&g, cmd, 0);
		expect("THP_GET, NUMA_GET, SLOWEST_GET not as a dump", -EOPNOTSUPP);
	}
	ask(&g, FLT_CMD_EVENTS, 0);
	expect("EVENTS not as a dump", -EOPNOTSUPP);
	ask(&g, FLT_CMD_EVENTS, NLM_F_DUMP);
	expect("EVENTS without a session", -EINVAL);
	ask(&g, FLT_CMD_EVENTS, NLM_F_DUMP);
	genl_put_u32(&g, FLT_EVENTS_SESSION, 0);
	expect_on(&g, "EVENTS of session 0", -ERANGE, -EINVAL);
	ask(&g, FLT_CMD_EVENTS, NLM_F_DUMP);
	genl_put_u32(&g, FLT_EVENTS_SESSION, UINT32_MAX);
	expect("EVENTS of no session", -ENOENT);
	ask(&g, FLT_CMD_EVENTS, NLM_F_DUMP);
	genl_put_u32(&g, FLT_EVENTS_CPU, 0);
	expect("EVENTS with an attribute of the reply", -EINVAL);
}

/* Request a session with a stream and one attribute in its filter. */
static void filtered(const char *what, uint16_t type, const void *data, uint16_t size, int want,
		     int want2)
{
	struct {
		uint16_t len, type;
		uint8_t data[16];
	} attr = { .len = (uint16_t)(4 + size), .type = type };

	memcpy(attr.data, data, size);
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	genl_put(&g, FLT_SESSION_STREAM, NULL, 0);
	genl_put(&g, FLT_SESSION_FILTER | NLA_F_NESTED, &attr, 4 + (size + 3u) / 4 * 4);
	expect_on(&g, what, want, want2);
}

static void refused_filters(void)
{
	const uint64_t none = 0, one = 1;
	const uint32_t low = 1, zero = 0, much = 65536;

	filtered("a filter for cgroup 0", FLT_FILTER_CGROUP, &none, 8, -ERANGE, -EINVAL);
	filtered("a filter for a cgroup of 32 bits", FLT_FILTER_CGROUP, &low, 4, -ERANGE, -EINVAL);
	filtered("a filter without kinds", FLT_FILTER_KINDS, &zero, 4, -ERANGE, -EINVAL);
	filtered("a filter that samples one in 65536", FLT_FILTER_SAMPLE, &much, 4, -ERANGE,
		 -EINVAL);
	filtered("a filter for an inode without its device", FLT_FILTER_INODE, &one, 8, -EINVAL, 0);
	filtered("a filter for the end of a range only", FLT_FILTER_ADDRESS_END, &one, 8, -EINVAL,
		 0);
	filtered("an unknown filter", FLT_FILTER_MAX + 1, &one, 8, -EINVAL, 0);
}

/* Request a session with one attribute, and with STREAM if stream is set. */
static void opened_with(const char *what, int stream, uint16_t attr, uint32_t value, uint16_t size,
			int want, int want2)
{
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	if (stream)
		genl_put(&g, FLT_SESSION_STREAM, NULL, 0);
	genl_put(&g, attr, &value, size);
	expect_on(&g, what, want, want2);
}

static void refused_options(void)
{
	static const uint16_t of_stream[] = { FLT_SESSION_SUBBUF_SIZE, FLT_SESSION_SUBBUFS,
					      FLT_SESSION_NOTES, FLT_SESSION_AREAS,
					      FLT_SESSION_CHANNEL };
	static const uint32_t values[] = { 4096, 2, 0, 0, FLT_CHANNEL_NETLINK };
	static const uint16_t flags[] = { FLT_SESSION_STREAM, FLT_SESSION_NOTES, FLT_SESSION_AREAS,
					  FLT_SESSION_THP, FLT_SESSION_NUMA };

	for (size_t i = 0; i < sizeof(of_stream) / sizeof(*of_stream); i++) {
		opened_with("SESSION_NEW with an option of a stream, without STREAM", 0,
			    of_stream[i], values[i], values[i] ? 4 : 0, -EINVAL, 0);
		ask(&g, FLT_CMD_SESSION_GET, 0);
		genl_put_u32(&g, FLT_SESSION_ID, 1);
		genl_put(&g, of_stream[i], &values[i], values[i] ? 4 : 0);
		expect("SESSION_GET with an option of SESSION_NEW", -EINVAL);
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		opened_with("SESSION_NEW with a value in a flag", 1, flags[i], 1, 4, -EINVAL,
			    -ERANGE);
	opened_with("SESSION_NEW with AREAS and without NOTES", 1, FLT_SESSION_AREAS, 0, 0, -EINVAL,
		    0);
	opened_with("SESSION_NEW with sub-buffers of 4095 bytes", 1, FLT_SESSION_SUBBUF_SIZE, 4095,
		    4, -ERANGE, -EINVAL);
	opened_with("SESSION_NEW with sub-buffers of 4097 bytes", 1, FLT_SESSION_SUBBUF_SIZE, 4097,
		    4, -EINVAL, 0);
	opened_with("SESSION_NEW with sub-buffers of 2 MiB", 1, FLT_SESSION_SUBBUF_SIZE, 2 << 20, 4,
		    -ERANGE, -EINVAL);
	opened_with("SESSION_NEW with one sub-buffer", 1, FLT_SESSION_SUBBUFS, 1, 4, -ERANGE,
		    -EINVAL);
	opened_with("SESSION_NEW with 65 sub-buffers", 1, FLT_SESSION_SUBBUFS, 65, 4, -ERANGE,
		    -EINVAL);
	opened_with("SESSION_NEW with an unknown channel", 1, FLT_SESSION_CHANNEL,
		    FLT_CHANNEL_MAX + 1, 4, -ERANGE, -EINVAL);
	opened_with("SESSION_NEW with a short CHANNEL", 1, FLT_SESSION_CHANNEL, 1, 2, -EINVAL,
		    -ERANGE);
}

static void refused_sessions(void)
{
	int opened = 0, rc;

	ask(&g, FLT_CMD_SESSION_GET, 0);
	expect("SESSION_GET without ID", -EINVAL);
	ask(&g, FLT_CMD_SESSION_GET, 0);
	genl_put_u32(&g, FLT_SESSION_ID, 0);
	expect_on(&g, "SESSION_GET of ID 0", -ERANGE, -ENOENT);
	ask(&g, FLT_CMD_SESSION_GET, 0);
	genl_put_u32(&g, FLT_SESSION_ID, 0x7fffffff);
	expect("SESSION_GET of a session that does not exist", -ENOENT);
	ask(&g, FLT_CMD_SESSION_DEL, 0);
	expect("SESSION_DEL without ID", -EINVAL);
	ask(&g, FLT_CMD_SESSION_DEL, 0);
	genl_put_u32(&g, FLT_SESSION_ID, 0x7fffffff);
	expect("SESSION_DEL of a session that does not exist", -ENOENT);
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	genl_put_u32(&g, FLT_SESSION_ID, 1);
	expect("SESSION_NEW with an ID", -EINVAL);
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	genl_put_u32(&g, FLT_SESSION_TGID, 4194303);
	expect("SESSION_NEW for a process that does not exist", -ESRCH);
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	for (int i = 0; i <= FLT_SESSION_TGIDS_MAX; i++)
		genl_put_u32(&g, FLT_SESSION_TGID, 1);
	expect_on(&g, "SESSION_NEW for too many processes", -ERANGE, -EINVAL);

	refused_filters();
	refused_options();

	session_new(&other);
	ask(&g, FLT_CMD_SESSION_DEL, 0);
	genl_put_u32(&g, FLT_SESSION_ID, session);
	expect("SESSION_DEL of the session of another socket", -EACCES);
	ask(&g, FLT_CMD_EVENTS, NLM_F_DUMP);
	genl_put_u32(&g, FLT_EVENTS_SESSION, session);
	expect("EVENTS of the session of another socket", -EACCES);
	ask(&other, FLT_CMD_SESSION_DEL, 0);
	genl_put_u32(&other, FLT_SESSION_ID, session);
	expect_on(&other, "SESSION_DEL of the own session", 0, 0);
	ask(&other, FLT_CMD_SESSION_DEL, 0);
	genl_put_u32(&other, FLT_SESSION_ID, session);
	expect_on(&other, "SESSION_DEL twice", -ENOENT, 0);

	for (rc = 0; rc == 0 && opened < 100000; opened++) {
		ask(&other, FLT_CMD_SESSION_NEW, 0);
		rc = genl_talk(&other, session_read, NULL);
	}
	checks++;
	if (rc != -ENOSPC || !*other.error) {
		printf("one session too many (%d): %s \"%s\"\n", opened, name_of(rc), other.error);
		failures++;
	}
	/* All sessions end with their socket. */
	genl_close(&other);
	if (genl_open(&other, FLT_GENL_NAME))
		errx(1, "the family flt has disappeared");
	session_new(&other);
}

/*
 * Who may do what: each command in its simplest valid form, and its results. ENOENT means that
 * the request was admitted: there is no session or tracker with that ID.
 */
static const struct plain {
	const char *name;
	uint8_t cmd;
	int dump;
	int attr;		/* attribute for our PID (u32), or 0 */
	int with_perfmon;	/* result with CAP_PERFMON */
	int with_sys_admin;	/* result with CAP_SYS_ADMIN */
} plains[] = {
	{ "INFO_GET", FLT_CMD_INFO_GET, 0, 0, 0, 0 },
	{ "HOOK_GET", FLT_CMD_HOOK_GET, 1, 0, 0, 0 },
	{ "TALLY_GET", FLT_CMD_TALLY_GET, 0, 0, 0, 0 },
	{ "LATENCY_GET", FLT_CMD_LATENCY_GET, 1, 0, 0, 0 },
	{ "PROC_GET", FLT_CMD_PROC_GET, 0, FLT_PROC_TGID, 0, 0 },
	{ "PROC_GET dump", FLT_CMD_PROC_GET, 1, 0, 0, 0 },
	{ "TASK_GET", FLT_CMD_TASK_GET, 1, FLT_TASK_TGID, 0, 0 },
	{ "THP_GET", FLT_CMD_THP_GET, 1, 0, 0, 0 },
	{ "NUMA_GET", FLT_CMD_NUMA_GET, 1, 0, 0, 0 },
	{ "SLOWEST_GET", FLT_CMD_SLOWEST_GET, 1, 0, 0, 0 },
	{ "SESSION_NEW", FLT_CMD_SESSION_NEW, 0, 0, 0, 0 },
	{ "SESSION_GET", FLT_CMD_SESSION_GET, 0, FLT_SESSION_ID, -ENOENT, -ENOENT },
	{ "SESSION_DEL", FLT_CMD_SESSION_DEL, 0, FLT_SESSION_ID, -ENOENT, -ENOENT },
	{ "EVENTS", FLT_CMD_EVENTS, 1, FLT_EVENTS_SESSION, -ENOENT, -ENOENT },
	{ "WSS_GET", FLT_CMD_WSS_GET, 0, FLT_WSS_ID, -ENOENT, -ENOENT },
	{ "WSS_GET dump", FLT_CMD_WSS_GET, 1, FLT_WSS_ID, -ENOENT, -ENOENT },
	{ "WSS_TRACK", FLT_CMD_WSS_TRACK, 0, FLT_WSS_TGID, -EPERM, 0 },
	{ "WSS_UNTRACK", FLT_CMD_WSS_UNTRACK, 0, FLT_WSS_ID, -EPERM, -ENOENT },
};

enum right { NO_RIGHT, PERFMON, SYS_ADMIN };

/*
 * Who may do what, with options. Each command succeeds with CAP_SYS_ADMIN. pid: target, 0 is
 * ours; channel: -1 without a stream.
 */
static const struct variant {
	const char *name;
	uint8_t cmd;
	int attr;		/* attribute for the target (u32), or 0 */
	uint32_t pid;
	int flag;
	int channel;
	int with_perfmon;	/* result with CAP_PERFMON */
} variants[] = {
	{ "SESSION_NEW of us, FOLLOW", FLT_CMD_SESSION_NEW, FLT_SESSION_TGID, 0, FLT_SESSION_FOLLOW,
	  -1, 0 },
	{ "SESSION_NEW of init, FOLLOW", FLT_CMD_SESSION_NEW, FLT_SESSION_TGID, 1,
	  FLT_SESSION_FOLLOW, -1, 0 },
	{ "SESSION_NEW, THP", FLT_CMD_SESSION_NEW, 0, 0, FLT_SESSION_THP, -1, 0 },
	{ "SESSION_NEW of us, STREAM", FLT_CMD_SESSION_NEW, FLT_SESSION_TGID, 0, FLT_SESSION_STREAM,
	  FLT_CHANNEL_NETLINK, 0 },
	{ "SESSION_NEW of init, STREAM", FLT_CMD_SESSION_NEW, FLT_SESSION_TGID, 1,
	  FLT_SESSION_STREAM, FLT_CHANNEL_NETLINK, 0 },
	{ "SESSION_NEW of all, STREAM", FLT_CMD_SESSION_NEW, 0, 0, FLT_SESSION_STREAM,
	  FLT_CHANNEL_NETLINK, 0 },
	{ "SESSION_NEW of all, STREAM to files", FLT_CMD_SESSION_NEW, 0, 0, FLT_SESSION_STREAM,
	  FLT_CHANNEL_RELAY, 0 },
	{ "WSS_TRACK of init, INJECT", FLT_CMD_WSS_TRACK, FLT_WSS_TGID, 1, FLT_WSS_INJECT, -1,
	  -EPERM },
};

static void all_variants(enum right right, const char *who)
{
	char what[96];

	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		const struct variant *v = &variants[i];

		snprintf(what, sizeof(what), "%s%s", v->name, who);
		ask(&g, v->cmd, 0);
		if (v->attr)
			genl_put_u32(&g, (uint16_t)v->attr, v->pid ? v->pid : (uint32_t)getpid());
		genl_put(&g, (uint16_t)v->flag, NULL, 0);
		if (v->channel >= 0)
			genl_put_u32(&g, FLT_SESSION_CHANNEL, (uint32_t)v->channel);
		expect(what, right == SYS_ADMIN ? 0 : right == PERFMON ? v->with_perfmon : -EPERM);
	}
}

/* Open a stream of all processes. Only its socket may read and end the stream. */
static void own_stream(void)
{
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	genl_put(&g, FLT_SESSION_STREAM, NULL, 0);
	genl_put_u32(&g, FLT_SESSION_CHANNEL, FLT_CHANNEL_NETLINK);
	expect_answer("SESSION_NEW for EVENTS", genl_talk(&g, session_read, NULL), 0);
	ask(&g, FLT_CMD_EVENTS, NLM_F_DUMP);
	genl_put_u32(&g, FLT_EVENTS_SESSION, session);
	expect("EVENTS of the own session", 0);
	ask(&other, FLT_CMD_EVENTS, NLM_F_DUMP);
	genl_put_u32(&other, FLT_EVENTS_SESSION, session);
	expect_on(&other, "EVENTS on another socket", -EACCES, 0);
	ask(&other, FLT_CMD_SESSION_DEL, 0);
	genl_put_u32(&other, FLT_SESSION_ID, session);
	expect_on(&other, "SESSION_DEL on another socket", -EACCES, 0);
}

static void all_plain(enum right right, const char *who)
{
	char what[64];
	int want;

	for (size_t i = 0; i < sizeof(plains) / sizeof(*plains); i++) {
		snprintf(what, sizeof(what), "%s%s", plains[i].name, who);
		ask(&g, plains[i].cmd, plains[i].dump ? NLM_F_DUMP : 0);
		if (plains[i].attr)
			genl_put_u32(&g, (uint16_t)plains[i].attr, (uint32_t)getpid());
		want = right == SYS_ADMIN ? plains[i].with_sys_admin :
		       right == PERFMON ? plains[i].with_perfmon : -EPERM;
		expect(what, want);
	}
	all_variants(right, who);
	if (right != NO_RIGHT)
		own_stream();
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";
	int borrowed = !strcmp(mode, "borrowed");
	int rc;

	if (borrowed && seteuid(65534))
		err(1, "seteuid");
	rc = genl_open(&g, FLT_GENL_NAME);
	if (borrowed && seteuid(0))
		err(1, "seteuid");
	if (!strcmp(mode, "absent")) {
		printf("the family flt is %s\n", rc == -ENOENT ? "absent" : "present");
		return rc != -ENOENT;
	}
	if (rc || genl_open(&other, FLT_GENL_NAME))
		errx(1, "family flt: %s", name_of(rc));
	if (!strcmp(mode, "refused")) {
		refused_attributes();
		refused_dumps();
		refused_flags();
		refused_commands();
		refused_sessions();
		genlcases_hist();
		genlcases_wss();
	} else if (!strcmp(mode, "denied")) {
		all_plain(NO_RIGHT, ", without a capability");
	} else if (!strcmp(mode, "perfmon")) {
		all_plain(PERFMON, ", with CAP_PERFMON");
	} else if (!strcmp(mode, "sys_admin")) {
		all_plain(SYS_ADMIN, ", with CAP_SYS_ADMIN");
	} else if (borrowed) {
		all_plain(NO_RIGHT, ", on a socket that was opened without the capability");
		genl_close(&g);
		if (genl_open(&g, FLT_GENL_NAME) || setresuid(65534, 65534, 65534))
			err(1, "setresuid");
		all_plain(NO_RIGHT, ", without the capability, on a socket opened with it");
	} else {
		errx(2, "usage: genlcases refused|denied|perfmon|sys_admin|borrowed|absent");
	}
	printf("%d requests, %d wrong answers\n", checks, failures);
	return failures != 0;
}
