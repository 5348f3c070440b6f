// SPDX-License-Identifier: GPL-2.0-only
/*
 * flt - exact accounts of page faults, per process, in the kernel.
 *
 * Read first: include/uapi/linux/flt_event.h (what is counted), kmod/fault/event.h (the
 * path of a fault), kmod/fault/fault.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/threads.h>
#include "hook/clock.h"
#include "debugfs.h"
#include "fault/entry.h"
#include "fault/fault.h"
#include "hook/hook.h"
#include "fault/life.h"
#include "netlink/netlink.h"
#include "ledger/ledger.h"
#include "ledger/numa.h"
#include "account/mmap_lock.h"
#include "account/proc.h"
#include "stream/budget.h"
#include "stream/path_name.h"
#include "stream/relay.h"
#include "netlink/session.h"
#include "stream/stacktable.h"
#include "account/tally.h"
#include "account/task.h"
#include "ledger/thp.h"
#include "wss/wss.h"

static char *accounting = "counts";
module_param(accounting, charp, 0444);
MODULE_PARM_DESC(accounting,
		 "counts: count all faults always, measure while a session needs it (default); "
		 "latency: count and measure always; "
		 "0: count while a session is open");
static const char * const modes[] = { "0", "counts", "latency" };
static uint maxactive;
module_param(maxactive, uint, 0444);
MODULE_PARM_DESC(maxactive,
		 "maximum faults in progress (0: max(4096, 16 x CPUs), or more if needed)");
static uint max_procs = 4096;
module_param(max_procs, uint, 0444);
MODULE_PARM_DESC(max_procs, "maximum ended processes that are kept (16 to 1048576)");
static uint max_live = PID_MAX_LIMIT;
module_param(max_live, uint, 0444);
MODULE_PARM_DESC(max_live,
		 "maximum live processes with counts of their own (16 to 4194304, the default)");
static uint max_tasks = PID_MAX_LIMIT;
module_param(max_tasks, uint, 0444);
MODULE_PARM_DESC(max_tasks,
		 "maximum threads with counts of their own (16 to 4194304, the default)");

static uint max_stacks = 65536;
module_param(max_stacks, uint, 0444);
MODULE_PARM_DESC(max_stacks,
		 "size of the stack table, used by sessions with stacks (16 to 1048576)");
static uint max_buffers;
module_param(max_buffers, uint, 0444);
MODULE_PARM_DESC(max_buffers,
		 "maximum MiB for the buffers of all sessions (0: a quarter of memory)");

static int __init flt_init(void)
{
	int err;

	if (match_string(modes, ARRAY_SIZE(modes), accounting) < 0) {
		pr_err("invalid accounting=%s (counts, latency or 0)\n", accounting);
		return -EINVAL;
	}
	if (maxactive > 1u << 20 || max_procs < 16 || max_procs > 1u << 20 ||
	    max_live < 16 || max_live > 1u << 22 || max_tasks < 16 || max_tasks > 1u << 22 ||
	    max_stacks < 16 || max_stacks > 1u << 20) {
		pr_err("invalid maxactive=%u max_procs=%u max_live=%u max_tasks=%u max_stacks=%u\n",
		       maxactive, max_procs, max_live, max_tasks, max_stacks);
		return -ERANGE;
	}
	flt_clock_init();
	flt_path_name_init();
	flt_stacktable_init(max_stacks);
	flt_budget_limit(max_buffers);
	flt_hook_add(&flt_fault_hook);
	flt_hook_add(&flt_entry_hook);
	flt_mmap_lock_init();
	flt_life_init();
	flt_thp_init();
	flt_numa_init();
	err = flt_hook_init(maxactive);
	if (err)
		return err;
	err = flt_tally_init();
	if (err)
		return err;
	err = flt_proc_init(max_procs, max_live, flt_ledger_cells());
	if (err)
		goto err_proc;
	err = flt_task_init(max_tasks);
	if (err)
		goto err_task;
	err = flt_wss_init(&flt_life_fork);
	if (err)
		goto err_wss;
	err = flt_session_init(strcmp(accounting, "0"), !strcmp(accounting, "latency"));
	if (err)
		goto err_session;
	err = flt_netlink_init();
	if (err)
		goto err_netlink;
	flt_debugfs_init();
	pr_info("%s loaded\n", THIS_MODULE->version);
	return 0;

err_netlink:
	flt_session_exit();
err_session:
	flt_wss_exit();
err_wss:
	flt_task_exit();
err_task:
	flt_proc_exit();
err_proc:
	flt_tally_exit();
	return err;
}

/*
 * First no request can come in, then sessions end, then no probe runs, then memory is
 * freed. The debugfs directory is removed after the sessions, because relay buffers use
 * the dentries of the session files.
 */
static void __exit flt_exit(void)
{
	flt_netlink_exit();
	flt_wss_exit();
	flt_session_exit();
	flt_debugfs_exit();
	flt_numa_exit();
	flt_thp_exit();
	flt_hook_exit();
	flt_task_exit();
	flt_proc_exit();
	flt_tally_exit();
}

module_init(flt_init);
module_exit(flt_exit);
MODULE_DESCRIPTION("Exact page fault accounts per process");
MODULE_AUTHOR("The flt maintainers");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
