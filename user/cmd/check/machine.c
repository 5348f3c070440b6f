// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <string.h>
#include <unistd.h>

#include "cmd/check/check.h"
#include "cli/command.h"
#include "source/proc/dkms.h"
#include "source/proc/machine.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static int check_config(struct check *c)
{
	static const struct {
		const char *name;
		const char *effect;	/* if it is not set; NULL: the module does not work */
	} wanted[] = {
		{ "CONFIG_MODULES", NULL },
		{ "CONFIG_KPROBES", NULL },
		{ "CONFIG_KRETPROBES", NULL },
		{ "CONFIG_TRACEPOINTS", NULL },
		{ "CONFIG_RELAY", NULL },
		{ "CONFIG_KPROBES_ON_FTRACE", "probes cost more without it" },
		{ "CONFIG_DEBUG_FS", "no counters in /sys/kernel/debug/flt" },
		{ "CONFIG_PERF_EVENTS", "no counts of a running command without the module" },
		{ "CONFIG_USERFAULTFD", "no 'fltctl record -L -M'" },
		{ "CONFIG_TRANSPARENT_HUGEPAGE", "no 'fltctl thp'" },
		{ "CONFIG_NUMA_BALANCING",
		  "'fltctl numa' counts no hint faults and no migrations by NUMA balancing" },
		{ "CONFIG_TASK_DELAY_ACCT", "no 'fltctl lat --why' and no 'fltctl trace --why'" },
		{ "CONFIG_MEMCG", "no 'fltctl record --engine=cgroup'" },
	};
	struct flt_kconfig config;
	size_t i;
	int ret = 0, all = 1;

	if (flt_kconfig_open(&config, c->release))
		return check_add(c, "config", CHECK_WARN, 0, "install the package that has "
				 "/boot/config-$(uname -r)",
				 "cannot find the configuration of this kernel");
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && !ret; i++) {
		if (flt_kconfig_value(&config, wanted[i].name) != 'n')
			continue;
		all = 0;
		if (wanted[i].effect)
			ret = check_add(c, "config", CHECK_WARN, 0, NULL, "%s is not set: %s",
					wanted[i].name, wanted[i].effect);
		else
			ret = check_add(c, "config", CHECK_NO, FLT_EXIT_UNSUPPORTED,
					"boot a kernel that has it, e.g. a Debian kernel",
					"%s is not set, and flt.ko needs it", wanted[i].name);
	}
	if (!ret && all)
		ret = check_add(c, "config", CHECK_OK, 0, NULL, "%s has all required options",
				config.path);
	flt_kconfig_close(&config);
	return ret;
}

bool check_locked(const struct check *c)
{
	return !strcmp(c->lockdown, "integrity") || !strcmp(c->lockdown, "confidentiality");
}

int check_kernel(struct check *c)
{
	unsigned int major = 0, minor = 0;
	int ret;

	sscanf(c->release, "%u.%u", &major, &minor);
	if (major < 5 || (major == 5 && minor < 10))
		ret = check_add(c, "kernel", CHECK_NO, FLT_EXIT_UNSUPPORTED,
				"boot Linux 5.10 or later", "%s is older than 5.10", c->release);
	else if (!flt_dkms_claims(c->release))
		ret = check_add(c, "kernel", CHECK_WARN, 0, CHECK_KNOWN_KERNEL,
				"%s is not tested, so DKMS does not build flt.ko for it",
				c->release);
	else
		ret = check_add(c, "kernel", CHECK_OK, 0, NULL, "%s", c->release);
	return ret ? ret : check_config(c);
}

int check_permission(struct check *c)
{
	if (!flt_machine_initial_user_namespace())
		return check_add(c, "permission", CHECK_NO, FLT_EXIT_PERMISSION,
				 "run fltctl outside the container: root of a container is not "
				 "enough",
				 "this is not the initial user namespace");
	if (flt_machine_capable(CAP_PERFMON))
		return check_add(c, "permission", CHECK_OK, 0, NULL, "CAP_PERFMON is held");
	if (flt_machine_capable(CAP_SYS_ADMIN))
		return check_add(c, "permission", CHECK_OK, 0, NULL, "CAP_SYS_ADMIN is held");
	return check_add(c, "permission", CHECK_NO, FLT_EXIT_PERMISSION,
			 "run as root (sudo fltctl ...), or once: sudo setcap cap_perfmon+ep "
			 "\"$(command -v fltctl)\"",
			 "neither CAP_PERFMON nor CAP_SYS_ADMIN is held");
}

int check_debugfs(struct check *c)
{
	if (access("/sys/kernel/debug/.", X_OK) && errno == EACCES)
		return check_add(c, "debugfs", CHECK_WARN, 0, "run as root",
				 "only root can read /sys/kernel/debug");
	if (!flt_machine_mounted("/sys/kernel/debug", DEBUGFS_MAGIC))
		return check_add(c, "debugfs", CHECK_WARN, 0,
				 "mount -t debugfs none /sys/kernel/debug",
				 "not mounted: no counters in /sys/kernel/debug/flt");
	return check_add(c, "debugfs", CHECK_OK, 0, NULL, "mounted on /sys/kernel/debug");
}

int check_kprobes(struct check *c)
{
	int64_t enabled;
	int ret;

	ret = flt_machine_number("/sys/kernel/debug/kprobes/enabled", &enabled);
	if (ret)
		ret = check_add(c, "kprobes", CHECK_SKIPPED, 0, NULL,
				"cannot read /sys/kernel/debug/kprobes/enabled: %s%s",
				strerror(-ret), ret == -EPERM && check_locked(c) ?
				" (lockdown forbids access to writable files in debugfs)" : "");
	else if (enabled)
		ret = check_add(c, "kprobes", CHECK_OK, 0, NULL, "switched on");
	else
		ret = check_add(c, "kprobes", CHECK_NO, FLT_EXIT_FAILED,
				"echo 1 > /sys/kernel/debug/kprobes/enabled",
				"switched off on this machine: nothing is counted");
	if (ret)
		return ret;

	ret = flt_machine_number("/proc/sys/kernel/ftrace_enabled", &enabled);
	if (ret)
		return check_add(c, "ftrace", CHECK_SKIPPED, 0, NULL,
				 "this kernel has no kernel.ftrace_enabled");
	if (enabled)
		return check_add(c, "ftrace", CHECK_OK, 0, NULL, "kernel.ftrace_enabled is on");
	return check_add(c, "ftrace", CHECK_NO, FLT_EXIT_FAILED, "sysctl kernel.ftrace_enabled=1",
			 "kernel.ftrace_enabled is off: probes on ftrace sites do not run");
}

int check_userfaultfd(struct check *c)
{
	static const char fix[] =
		"run as root, or with CAP_SYS_PTRACE (fltctl-record(8), CAPABILITIES)";
	int got = flt_machine_userfaultfd();

	if (got == 3 && !flt_machine_can_move() && !flt_machine_can_protect())
		return check_add(c, "userfaultfd", CHECK_WARN, 0, "boot Linux 6.8 or later",
				 "cannot evict pages: no 'fltctl record -L -M'");
	if (got == 3)
		return check_add(c, "userfaultfd", CHECK_OK, 0, NULL,
				 flt_machine_can_move() ? "usable ('fltctl record -L -M')" :
				 "usable ('fltctl record -L -M'), but before Linux 6.8 direct I/O "
				 "into limited memory can lose data");
	if (got > 0)
		return check_add(c, "userfaultfd", CHECK_WARN, 0, fix,
				 "%s: no 'fltctl record -L -M'", got == 2 ?
				 "not for forked children" : "only for faults in user mode");
	return check_add(c, "userfaultfd", CHECK_WARN, 0,
			 got == -ENOSYS ? "boot a kernel with CONFIG_USERFAULTFD" : fix,
			 "not usable: no 'fltctl record -L -M' (%s)", strerror(-got));
}

int check_perf(struct check *c)
{
	int64_t paranoid;
	int ret;

	ret = flt_machine_number("/proc/sys/kernel/perf_event_paranoid", &paranoid);
	if (ret)
		return check_add(c, "perf", CHECK_WARN, 0, NULL,
				 "this kernel has no perf events: 'stats -- command' without the "
				 "module shows no counts while the command runs");
	if (paranoid <= 2 || flt_machine_capable(CAP_PERFMON) || flt_machine_capable(CAP_SYS_ADMIN))
		return check_add(c, "perf", CHECK_OK, 0, NULL,
				 "usable (kernel.perf_event_paranoid is %" PRId64 ")", paranoid);
	return check_add(c, "perf", CHECK_WARN, 0, "sysctl kernel.perf_event_paranoid=2",
			 "kernel.perf_event_paranoid is %" PRId64 ": 'stats -- command' without "
			 "the module shows no counts while the command runs", paranoid);
}
