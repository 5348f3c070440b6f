// SPDX-License-Identifier: GPL-2.0-only
#include <linux/init.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/workqueue.h>
#include "netlink/orphans.h"
#include "netlink/session.h"
#include "wss/wss.h"

static void close_sessions(struct work_struct *work)
{
	flt_session_close_orphans();
}

static void end_trackers(struct work_struct *work)
{
	flt_wss_untrack_orphans();
}

/* The end of a tracker walks the memory of its processes. Sessions do not wait for that. */
static DECLARE_WORK(sessions_work, close_sessions);
static DECLARE_WORK(trackers_work, end_trackers);

/*
 * A socket was closed, in any network namespace, explicitly or because its process ended. Whoever
 * closes a generic netlink socket of any family runs this, so it takes no lock and does not wait.
 * Until the work item has run, the sessions hold the closed socket, and nobody can read them.
 */
static int on_release(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	if (flt_session_count())
		queue_work(system_dfl_wq, &sessions_work);
	if (flt_wss_count())
		queue_work(system_dfl_wq, &trackers_work);
	return NOTIFY_DONE;
}

static struct notifier_block release_notifier = { .notifier_call = on_release };

int __init flt_orphans_init(void)
{
	return netlink_register_notifier(&release_notifier);
}

void flt_orphans_exit(void)
{
	netlink_unregister_notifier(&release_notifier);
	flush_work(&sessions_work);
	flush_work(&trackers_work);
}

void flt_orphans_close_sessions(void)
{
	flush_work(&sessions_work);
}

void flt_orphans_end_trackers(void)
{
	flush_work(&trackers_work);
}
