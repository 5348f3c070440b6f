// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * genlfuzz N [SEED] - send N random messages to the netlink family flt.
 *
 * Messages follow the policy in flt.h and are then corrupted: attributes are missing,
 * repeated, of other commands, of the wrong length or nesting, or at the limits of their
 * range; headers have random flags, versions and lengths. Every message that needs an answer
 * must get one (genl.c: within 20 s), with success or an errno documented in flt.h. Every
 * error of the module must have an error message. At the end, a valid request must still be
 * answered. Prints the number of answers per errno. A SEED always gives the same messages.
 */
#include "../live/errno_name.h"
#include "../live/genl.h"

#include <err.h>
#include <errno.h>
#include <linux/flt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct known {
	uint8_t cmd;
	uint16_t attr;
	uint8_t len; /* 4, or 0 for a flag */
};

static const struct known known[] = {
	{ FLT_CMD_PROC_GET, FLT_PROC_TGID, 4 },	      { FLT_CMD_PROC_GET, FLT_PROC_SESSION, 4 },
	{ FLT_CMD_PROC_GET, FLT_PROC_KINDS, 0 },      { FLT_CMD_TASK_GET, FLT_TASK_TGID, 4 },
	{ FLT_CMD_TASK_GET, FLT_TASK_KINDS, 0 },      { FLT_CMD_SESSION_NEW, FLT_SESSION_TGID, 4 },
	{ FLT_CMD_SESSION_NEW, FLT_SESSION_FOLLOW, 0 }, { FLT_CMD_SESSION_GET, FLT_SESSION_ID, 4 },
	{ FLT_CMD_SESSION_GET, FLT_SESSION_KINDS, 0 }, { FLT_CMD_SESSION_DEL, FLT_SESSION_ID, 4 },
	{ FLT_CMD_SESSION_NEW, FLT_SESSION_STREAM, 0 },
	{ FLT_CMD_SESSION_NEW, FLT_SESSION_NOTES, 0 },
	{ FLT_CMD_SESSION_NEW, FLT_SESSION_AREAS, 0 }, { FLT_CMD_SESSION_NEW, FLT_SESSION_THP, 0 },
	{ FLT_CMD_SESSION_NEW, FLT_SESSION_NUMA, 0 },
	{ FLT_CMD_SESSION_NEW, FLT_SESSION_CHANNEL, 4 },
	{ FLT_CMD_SESSION_NEW, FLT_SESSION_SUBBUFS, 4 },
	{ FLT_CMD_SESSION_NEW, FLT_SESSION_SUBBUF_SIZE, 4 },
	{ FLT_CMD_LATENCY_GET, FLT_LATENCY_RETURNS, 0 }, { FLT_CMD_THP_GET, FLT_LEDGER_SESSION, 4 },
	{ FLT_CMD_NUMA_GET, FLT_LEDGER_SESSION, 4 }, { FLT_CMD_WSS_TRACK, FLT_WSS_TGID, 4 },
	{ FLT_CMD_WSS_TRACK, FLT_WSS_FOLLOW, 0 },    { FLT_CMD_WSS_TRACK, FLT_WSS_HISTORY, 4 },
	{ FLT_CMD_WSS_TRACK, FLT_WSS_BUDGET, 4 },    { FLT_CMD_WSS_UNTRACK, FLT_WSS_ID, 4 },
	{ FLT_CMD_WSS_GET, FLT_WSS_ID, 4 },
};
/* The message requests a channel, whose events would fill our socket and displace answers. */
static int wants_channel;

static uint64_t state;
static struct genl g;
static unsigned long by_errno[256], unanswered, silent;

static uint32_t rnd(uint32_t below)
{
	/* xorshift64* */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dull) >> 32) % below;
}

static int chance(uint32_t in)
{
	return rnd(in) == 0;
}

static uint32_t value(void)
{
	static const uint32_t edges[] = { 0, 1, 2, 63, 64, 0x7fff, 0x8000, 4194304, 0x7fffffff,
					  0x80000000u, 0xffffffffu };

	switch (rnd(4)) {
	case 0:
		return edges[rnd(sizeof(edges) / sizeof(*edges))];
	case 1:
		return (uint32_t)getpid();
	case 2:
		return 1 + rnd(40);
	default:
		return rnd(0xffffffffu);
	}
}

static void attribute_put(uint8_t cmd)
{
	static char bytes[600];
	const struct known *k = &known[rnd(sizeof(known) / sizeof(*known))];
	uint16_t type;
	uint32_t v = value();
	size_t len;

	/* Prefer an attribute of this command. */
	for (int i = 0; i < 20 && k->cmd != cmd; i++)
		k = &known[rnd(sizeof(known) / sizeof(*known))];
	type = k->attr;
	len = k->len;
	if (chance(8))
		type = (uint16_t)rnd(32);
	if (chance(40))
		type = (uint16_t)rnd(65536);
	if (chance(20))
		type |= NLA_F_NESTED;
	if (chance(30))
		type |= NLA_F_NET_BYTEORDER;
	if (chance(10))
		len = rnd(9);
	if (chance(100))
		len = rnd(sizeof(bytes));
	for (size_t i = 0; i < len; i += 4) {
		memcpy(bytes + i, &v, 4);
		v = value();
	}
	wants_channel |= cmd == FLT_CMD_SESSION_NEW &&
			 (type & NLA_TYPE_MASK) == FLT_SESSION_CHANNEL;
	genl_put(&g, type, bytes, len);
	/* Set a wrong attribute length. */
	if (chance(60)) {
		struct nlmsghdr *nlh = (struct nlmsghdr *)g.out;
		struct nlattr *a = (struct nlattr *)(g.out + nlh->nlmsg_len -
						     NLA_ALIGN(sizeof(*a) + len));

		a->nla_len = (uint16_t)rnd(chance(2) ? 16 : 65536);
	}
}

static int is_dump(uint8_t cmd)
{
	return cmd == FLT_CMD_HOOK_GET || cmd == FLT_CMD_LATENCY_GET || cmd == FLT_CMD_TASK_GET ||
	       (cmd >= FLT_CMD_THP_GET && cmd <= FLT_CMD_SLOWEST_GET) ||
	       ((cmd == FLT_CMD_PROC_GET || cmd == FLT_CMD_WSS_GET) && chance(2));
}

/* Make a message. Return true if the kernel must answer it. */
static int message_make(void)
{
	uint8_t cmd = chance(30) ? (uint8_t)rnd(256) : (uint8_t)(1 + rnd(FLT_CMD_MAX));
	uint16_t flags = NLM_F_REQUEST | NLM_F_ACK;
	struct nlmsghdr *nlh;
	int answered = 1;
	uint32_t n;

	wants_channel = 0;
	if (chance(12) ? chance(2) : is_dump(cmd))
		flags |= NLM_F_DUMP;
	if (chance(20))
		flags |= (uint16_t)rnd(65536) & (uint16_t)~(NLM_F_DUMP_INTR | NLM_F_DUMP_FILTERED);
	nlh = genl_start(&g, g.family, flags, cmd, chance(20) ? (uint8_t)rnd(256) : 1);
	if (chance(50))
		((struct genlmsghdr *)NLMSG_DATA(nlh))->reserved = (uint16_t)rnd(65536);
	n = chance(200) ? rnd(120) : rnd(4);
	while (n--)
		attribute_put(cmd);
	/* Truncate the message or add bytes at the end. */
	if (chance(40) && nlh->nlmsg_len > NLMSG_HDRLEN)
		nlh->nlmsg_len -= rnd(nlh->nlmsg_len - NLMSG_HDRLEN);
	else if (chance(40))
		nlh->nlmsg_len += rnd(8);
	/* The kernel ignores data that is too short for a message. */
	if (nlh->nlmsg_len < NLMSG_HDRLEN)
		answered = 0;
	return answered;
}

static int in_contract(int error)
{
	switch (error) {
	case 0:
	case -EPERM:
	case -EINVAL:
	case -ERANGE:
	case -ESRCH:
	case -ENOENT:
	case -EACCES:
	case -ENOSPC:
	case -ENFILE:
	case -EBUSY:
	case -ENOMEM:
	case -EDQUOT:
	case -EOPNOTSUPP:
		return 1;
	}
	return 0;
}

static void reopen(void)
{
	uint32_t seq = g.seq;
	int rc;

	genl_close(&g);
	rc = genl_open(&g, FLT_GENL_NAME);
	if (rc)
		errx(1, "the family flt has disappeared: %s", strerror(-rc));
	g.seq += seq;
}

static void error_message_check(int rc)
{
	const struct nlmsghdr *nlh = (const void *)g.out;
	const struct genlmsghdr *gh = NLMSG_DATA(nlh);

	/* Errors of the netlink core often have no error message. */
	if (rc == 0 || rc == -EOPNOTSUPP || *g.error || nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return;
	silent++;
	if (silent <= 5)
		printf("command %u: %s without an error message\n", gh->cmd, errno_name(-rc));
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int bad = 0, rc;

	if (!n)
		errx(2, "usage: genlfuzz N [SEED]");
	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	state = state * 0x9e3779b97f4a7c15ull + 1;
	rc = genl_open(&g, FLT_GENL_NAME);
	if (rc)
		errx(1, "family flt: %s", strerror(-rc));
	for (unsigned long i = 0; i < n; i++) {
		struct nlmsghdr *nlh = (struct nlmsghdr *)g.out;
		int answered = message_make();

		if (!answered) {
			send(g.fd, g.out, nlh->nlmsg_len, 0);
			continue;
		}
		rc = genl_talk(&g, NULL, NULL);
		if (rc == -EAGAIN || rc == -EWOULDBLOCK) {
			unanswered++;
			printf("message %lu: no answer\n", i);
			if (unanswered > 3)
				break;
			reopen();
			continue;
		}
		by_errno[rc < 0 && rc > -256 ? -rc : 0]++;
		if (!in_contract(rc)) {
			printf("message %lu: undocumented errno %s (\"%s\")\n", i,
			       errno_name(-rc), g.error);
			bad++;
		}
		error_message_check(rc);
		/* Close the socket now and then, which ends its sessions. */
		if (chance(64) || (wants_channel && !rc))
			reopen();
	}
	genl_start(&g, g.family, NLM_F_REQUEST | NLM_F_ACK, FLT_CMD_INFO_GET, FLT_GENL_VERSION);
	rc = genl_talk(&g, NULL, NULL);
	if (rc) {
		printf("a valid request at the end: %s\n", errno_name(-rc));
		bad++;
	}
	printf("%lu messages:", n);
	for (int i = 0; i < 256; i++)
		if (by_errno[i])
			printf(" %s %lu", i ? errno_name(i) : "ok", by_errno[i]);
	printf(", %lu without an answer, %lu without an error message, %d undocumented\n",
	       unanswered, silent, bad);
	return unanswered || silent || bad;
}
