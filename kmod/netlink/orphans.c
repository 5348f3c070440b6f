// SPDX-License-Identifier: GPL-2.0-only
#include <linux/init.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include "netlink/orphans.h"
#include "netlink/session.h"
#include "wss/wss.h"

static void end_orphans(struct work_struct *work)
{
	flt_wss_untrack_orphans();
	flt_session_close_orphans();
}

static DECLARE_WORK(orphans_work, end_orphans);

/*
 * A socket was closed, explicitly or because its process ended. Whoever closes a generic netlink
 * socket of any family runs this, so it takes no lock and does not wait. Until the work item
 * has run, the sessions hold the closed socket, and nobody can read them.
 */
static int on_release(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;

	if (event == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC &&
	    net_eq(n->net, &init_net) && (flt_session_count() || flt_wss_count()))
		queue_work(system_unbound_wq, &orphans_work);
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
	flush_work(&orphans_work);
}

void flt_orphans_settle(void)
{
	flush_work(&orphans_work);
}
