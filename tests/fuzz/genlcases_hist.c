// SPDX-License-Identifier: GPL-2.0-or-later
/* genlcases_hist.c - requests for histograms and causes: of the machine, and of sessions. */
#include "genlcases.h"

#include <errno.h>
#include <linux/flt.h>
#include <stddef.h>

/* Begin a LATENCY_GET of a session. flag: RETURNS, PROCS, CAUSES or 0. */
static void ask_latency(uint32_t id, uint16_t flag)
{
	ask(&g, FLT_CMD_LATENCY_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_LATENCY_SESSION, id);
	if (flag)
		genl_put(&g, flag, NULL, 0);
}

static void refused(void)
{
	const uint32_t one = 1;
	const uint64_t cgroup = 1;

	ask(&g, FLT_CMD_LATENCY_GET, NLM_F_DUMP);
	genl_put(&g, FLT_LATENCY_RETURNS, &one, sizeof(one));
	expect_on(&g, "LATENCY_GET with a value in RETURNS", -EINVAL, -ERANGE);
	ask(&g, FLT_CMD_LATENCY_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_LATENCY_RETURN, 1);
	expect("LATENCY_GET with an attribute of the reply", -EINVAL);
	ask(&g, FLT_CMD_SLOWEST_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_SLOWEST_SESSION, 0x7fffffff);
	expect("SLOWEST_GET of a session that does not exist", -ENOENT);
	ask(&g, FLT_CMD_LATENCY_GET, NLM_F_DUMP);
	genl_put(&g, FLT_LATENCY_CAUSES, NULL, 0);
	expect("LATENCY_GET with CAUSES and without SESSION", -EINVAL);
	ask_latency(0x7fffffff, FLT_LATENCY_CAUSES);
	expect("LATENCY_GET with CAUSES of a session that does not exist", -ENOENT);
	ask_latency(1, FLT_LATENCY_CAUSES);
	genl_put(&g, FLT_LATENCY_PROCS, NULL, 0);
	expect("LATENCY_GET with CAUSES and PROCS", -EINVAL);
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	genl_put(&g, FLT_SESSION_HIST_CGROUP, &cgroup, sizeof(cgroup));
	expect("SESSION_NEW with HIST_CGROUP and without HIST or CAUSES", -EINVAL);
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	genl_put(&g, FLT_SESSION_CAUSES, NULL, 0);
	genl_put(&g, FLT_SESSION_COUNTS, NULL, 0);
	expect("SESSION_NEW with CAUSES and COUNTS", -EINVAL);
	ask(&g, FLT_CMD_SESSION_NEW, 0);
	genl_put(&g, FLT_SESSION_EVENT_CAUSES, NULL, 0);
	expect("SESSION_NEW with EVENT_CAUSES and without STREAM", -EINVAL);
}

/* Open a session with histograms or causes, and ask for both. */
static void opened(uint32_t procs, int causes)
{
	const int no_hist = procs ? 0 : -ENOENT, no_causes = causes ? 0 : -ENOENT;

	ask(&g, FLT_CMD_SESSION_NEW, 0);
	if (procs)
		genl_put_u32(&g, FLT_SESSION_HIST, procs);
	if (causes)
		genl_put(&g, FLT_SESSION_CAUSES, NULL, 0);
	expect_answer("SESSION_NEW with HIST or CAUSES", genl_talk(&g, session_read, NULL), 0);
	ask_latency(session, 0);
	expect("LATENCY_GET of a session", no_hist);
	ask_latency(session, FLT_LATENCY_RETURNS);
	expect("LATENCY_GET of a session with RETURNS", no_hist);
	ask_latency(session, FLT_LATENCY_PROCS);
	expect("LATENCY_GET of a session with PROCS", no_hist);
	ask_latency(session, FLT_LATENCY_CAUSES);
	expect("LATENCY_GET of a session with CAUSES", no_causes);
	ask(&g, FLT_CMD_SLOWEST_GET, NLM_F_DUMP);
	genl_put_u32(&g, FLT_SLOWEST_SESSION, session);
	expect("SLOWEST_GET of a session", no_causes);
	ask(&g, FLT_CMD_SESSION_DEL, 0);
	genl_put_u32(&g, FLT_SESSION_ID, session);
	expect("SESSION_DEL", 0);
}

void genlcases_hist(void)
{
	refused();
	opened(1, 0);
	opened(0, 1);
	opened(1, 1);
}
