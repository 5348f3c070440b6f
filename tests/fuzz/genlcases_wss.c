// SPDX-License-Identifier: GPL-2.0-or-later
/* genlcases_wss.c - invalid requests for working sets, with the errno of flt_wss.h. */
#include "genlcases.h"

#include <err.h>
#include <errno.h>
#include <linux/flt.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static uint32_t tracker, targets;
static bool unknown; /* the reply has an attribute that flt_wss.h does not define */

static void tracker_read(const struct nlmsghdr *nlh, void *unused)
{
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	(void)unused;
	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_WSS_ID)
			tracker = (uint32_t)genl_number(a);
		else if (genl_type(a) == FLT_WSS_TARGETS)
			targets = (uint32_t)genl_number(a);
		else if (genl_type(a) > FLT_WSS_MAX)
			unknown = true;
	}
}

static int track(struct genl *s, uint32_t tgid)
{
	ask(s, FLT_CMD_WSS_TRACK, 0);
	genl_put_u32(s, FLT_WSS_TGID, tgid);
	return genl_talk(s, tracker_read, NULL);
}

static void refused_track(void)
{
	static const struct {
		const char *what;
		uint16_t attr;
		uint64_t value;
		int wide, want;
	} cases[] = {
		{ "with ID", FLT_WSS_ID, 1, 0, -EINVAL },
		{ "with AFTER", FLT_WSS_AFTER, 1, 1, -EINVAL },
		{ "with an attribute of the reply", FLT_WSS_RSS, 1, 1, -EINVAL },
		{ "every 9 ms", FLT_WSS_INTERVAL, 9000000, 1, -ERANGE },
		{ "every two hours", FLT_WSS_INTERVAL, 7200000000000, 1, -ERANGE },
		{ "with a short INTERVAL", FLT_WSS_INTERVAL, 1000000000, 0, -EINVAL },
		{ "with HISTORY 0", FLT_WSS_HISTORY, 0, 0, -ERANGE },
		{ "with HISTORY 1025", FLT_WSS_HISTORY, 1025, 0, -ERANGE },
		{ "with BUDGET 0", FLT_WSS_BUDGET, 0, 0, -ERANGE },
		{ "with BUDGET 101", FLT_WSS_BUDGET, 101, 0, -ERANGE },
	};
	char what[64];

	ask(&g, FLT_CMD_WSS_TRACK, 0);
	expect("WSS_TRACK without TGID", -EINVAL);
	ask(&g, FLT_CMD_WSS_TRACK, 0);
	genl_put_u32(&g, FLT_WSS_TGID, 4194303);
	expect("WSS_TRACK of a process that does not exist", -ESRCH);
	ask(&g, FLT_CMD_WSS_TRACK, 0);
	genl_put_u32(&g, FLT_WSS_TGID, 2);
	expect("WSS_TRACK of a kernel thread", -EINVAL);
	ask(&g, FLT_CMD_WSS_TRACK, 0);
	genl_put_u32(&g, FLT_WSS_TGID, 1);
	genl_put_u32(&g, FLT_WSS_TGID, 1);
	expect("WSS_TRACK of the same process twice", -EBUSY);
	ask(&g, FLT_CMD_WSS_TRACK, 0);
	for (int i = 0; i <= FLT_SESSION_TGIDS_MAX; i++)
		genl_put_u32(&g, FLT_WSS_TGID, 1);
	expect("WSS_TRACK of too many processes", -ERANGE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(what, sizeof(what), "WSS_TRACK %s", cases[i].what);
		ask(&g, FLT_CMD_WSS_TRACK, 0);
		genl_put_u32(&g, FLT_WSS_TGID, 1);
		genl_put(&g, cases[i].attr, &cases[i].value, cases[i].wide ? 8 : 4);
		expect_on(&g, what, cases[i].want, cases[i].want == -EINVAL ? -ERANGE : 0);
	}
}

void genlcases_wss(void)
{
	int rc;

	refused_track();
	for (uint8_t cmd = FLT_CMD_WSS_UNTRACK; cmd <= FLT_CMD_WSS_GET; cmd++) {
		ask(&g, cmd, 0);
		expect("a tracker without ID", -EINVAL);
		ask(&g, cmd, 0);
		genl_put_u32(&g, FLT_WSS_ID, 0x7fffffff);
		expect("a tracker that does not exist", -ENOENT);
		ask(&g, cmd, 0);
		genl_put_u32(&g, FLT_WSS_ID, 1);
		genl_put_u32(&g, FLT_WSS_TGID, 1);
		expect("a tracker by ID and TGID", -EINVAL);
	}
	ask(&g, FLT_CMD_WSS_GET, NLM_F_DUMP);
	expect("WSS_GET dump without ID", -EINVAL);
	ask(&g, FLT_CMD_WSS_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_WSS_ID, 0x7fffffff);
	expect("WSS_GET dump of a tracker that does not exist", -ENOENT);
	ask(&g, FLT_CMD_WSS_TRACK, NLM_F_DUMP);
	expect("WSS_TRACK as a dump", -EOPNOTSUPP);

	rc = track(&other, (uint32_t)getpid());
	if (rc)
		errx(1, "WSS_TRACK: %s: %s", name_of(rc), other.error);
	ask(&g, FLT_CMD_WSS_TRACK, 0);
	genl_put_u32(&g, FLT_WSS_TGID, (uint32_t)getpid());
	expect("WSS_TRACK of a process that is already tracked", -EBUSY);
	ask(&g, FLT_CMD_WSS_UNTRACK, 0);
	genl_put_u32(&g, FLT_WSS_ID, tracker);
	expect("WSS_UNTRACK of the tracker of another socket", -EACCES);
	ask(&g, FLT_CMD_WSS_GET, 0);
	genl_put_u32(&g, FLT_WSS_ID, tracker);
	expect("WSS_GET of the tracker of another socket", 0);
	ask(&g, FLT_CMD_WSS_GET, 0);
	genl_put_u32(&g, FLT_WSS_ID, tracker);
	expect_answer("WSS_GET for its TARGETS", genl_talk(&g, tracker_read, NULL), 0);
	expect_answer("TARGETS of WSS_GET", (int)targets, 1);
	expect_answer("unknown attributes of WSS_GET", unknown, 0);
	/* The tracker ends with its socket. */
	genl_close(&other);
	if (genl_open(&other, FLT_GENL_NAME))
		errx(1, "the family flt has disappeared");
	rc = track(&g, (uint32_t)getpid());
	expect_answer("WSS_TRACK after the owner closed its socket", rc, 0);
	ask(&g, FLT_CMD_WSS_UNTRACK, 0);
	genl_put_u32(&g, FLT_WSS_ID, tracker);
	expect("WSS_UNTRACK", 0);
}
