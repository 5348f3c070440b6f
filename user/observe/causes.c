// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/causes.h"

#include <errno.h>
#include <string.h>

#include "account/account.h"
#include "limit/sysctl.h"
#include "source/proc/machine.h"

#define TASK_DELAYACCT "/proc/sys/kernel/task_delayacct"

/* Before 5.14 there is no setting: it is on, unless booted with nodelayacct. */
static bool is_off(void)
{
	char value[24];

	return !flt_machine_line(TASK_DELAYACCT, value, sizeof(value)) && strcmp(value, "1");
}

/* Return true for a user without rights, and for root in a container with read-only files. */
static bool is_denied(int err)
{
	return err == -EACCES || err == -EPERM || err == -EROFS;
}

static int switch_on(struct flt_causes *c, struct flt_errmsg *e)
{
	int ret = flt_journal_new(&c->journal, e);

	/* Without root, nobody else is kept from switching it off. */
	if (is_denied(ret) && !is_off()) {
		*e = (struct flt_errmsg){ "" };
		return 0;
	}
	/* The guard restores the setting even if fltctl is killed. */
	if (!ret)
		ret = flt_guard_start(&c->guard, c->journal, e);
	if (!ret)
		ret = flt_sysctl_set(c->journal, TASK_DELAYACCT, "1", e);
	c->switched = ret > 0;
	if (is_denied(ret))
		return flt_errmsg_set(e, -EACCES, "cannot switch on delay accounting: %s (as root: "
				      "sysctl kernel.task_delayacct=1)", strerror(-ret));
	if (ret == -ENOENT)
		*e = (struct flt_errmsg){ "" };
	return ret == -ENOENT || ret > 0 ? 0 : ret;
}

/* Say which parts of a fault this kernel does not measure. */
static void say_unknown(const struct flt_causes *c, const struct flt_command *command)
{
	static const enum flt_cause part[] = { FLT_CAUSE_COMPACTION, FLT_CAUSE_COPY };
	size_t i;

	for (i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		if (!(c->known & 1u << part[i]))
			flt_command_say(command, "unknown: %s, because this kernel does not "
					"measure it (it counts as other)", flt_cause_name(part[i]));
}

int flt_causes_start(struct flt_causes *c, const struct flt_command *command,
		     struct flt_control *control, struct flt_errmsg *e)
{
	struct flt_info info;
	int ret = flt_control_info(control, &info, e);

	*c = (struct flt_causes){ .guard.pid = -1 };
	if (ret)
		return ret;
	if (!(info.features & FLT_FEATURE_CAUSES))
		return flt_errmsg_set(e, -EOPNOTSUPP, "cannot tell causes: missing delay "
				      "accounting in the kernel (CONFIG_TASK_DELAY_ACCT), or in "
				      "an older flt module");
	c->known = info.causes;
	ret = switch_on(c, e);
	if (!ret)
		say_unknown(c, command);
	return ret;
}

int flt_causes_end(struct flt_causes *c, struct flt_errmsg *e)
{
	int ret;

	if (!c->journal)
		return 0;
	ret = flt_guard_end(&c->guard, e);
	flt_journal_free(c->journal);
	c->journal = NULL;
	return ret;
}
