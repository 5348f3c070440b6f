// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "account/ledger.h"
#include "cmd/check/check.h"
#include "cli/command.h"
#include "source/netlink/control.h"
#include "source/proc/dkms.h"
#include "source/proc/machine.h"

static int check_uninstalled(struct check *c)
{
	char fix[320];

	if (!flt_dkms_installed())
		return check_add(c, "module", CHECK_NO, FLT_EXIT_UNSUPPORTED,
				 "install flt-dkms, or in its source tree: make module && insmod "
				 "flt.ko",
				 "not loaded, and not installed for this kernel");
	if (!flt_dkms_claims(c->release))
		return check_add(c, "module", CHECK_NO, FLT_EXIT_UNSUPPORTED,
				 CHECK_KNOWN_KERNEL ", or build it untested in its source tree: "
				 "make module && insmod flt.ko",
				 "not loaded; flt-dkms is installed, but does not build flt.ko "
				 "for this kernel");
	if (!flt_dkms_has_headers(c->release)) {
		snprintf(fix, sizeof(fix), "apt install linux-headers-%s, or dnf install "
			 "kernel-devel-%s", c->release, c->release);
		return check_add(c, "module", CHECK_NO, FLT_EXIT_UNSUPPORTED, fix,
				 "not loaded; flt-dkms is installed, but the headers of this "
				 "kernel are missing");
	}
	snprintf(fix, sizeof(fix), "dkms autoinstall -k %s; if that fails, see "
		 "/var/lib/dkms/flt/" FLT_VERSION "/build/make.log", c->release);
	return check_add(c, "module", CHECK_NO, FLT_EXIT_UNSUPPORTED, fix,
			 "not loaded; flt-dkms is installed, but DKMS has not built flt.ko for "
			 "this kernel");
}

static int check_absent(struct check *c)
{
	char line[64];

	if (!c->installed)
		return check_uninstalled(c);
	if (c->file.lacks[0])
		return check_add(c, "module", CHECK_NO, FLT_EXIT_UNSUPPORTED, CHECK_KNOWN_KERNEL,
				 "installed, but not loaded: this kernel lacks %s, which flt needs",
				 c->file.lacks);
	if (!flt_machine_line("/proc/sys/kernel/modules_disabled", line, sizeof(line)) &&
	    line[0] == '1')
		return check_add(c, "module", CHECK_NO, FLT_EXIT_UNSUPPORTED,
				 "reboot without setting kernel.modules_disabled",
				 "not loaded, and kernel.modules_disabled forbids loading modules");
	return check_add(c, "module", CHECK_NO, FLT_EXIT_UNSUPPORTED, "modprobe flt",
			 "installed, but not loaded");
}

int check_module(struct check *c)
{
	const struct flt_run *run = c->run;
	const char *why = flt_errmsg_text(&run->control_message, run->control_error);
	char version[64];

	if (access("/sys/module/flt", F_OK))
		return check_absent(c);
	if (flt_machine_line("/sys/module/flt/version", version, sizeof(version)))
		snprintf(version, sizeof(version), "of unknown version");
	/* check_permission() reports -EPERM. */
	if (!run->control && run->control_error != -EPERM)
		return check_add(c, "module", CHECK_NO, FLT_EXIT_UNSUPPORTED,
				 run->control_error == -EPROTO ?
				 "install the same version of module and fltctl, then: modprobe -r "
				 "flt && modprobe flt" : "see dmesg",
				 "loaded (%s), but %s", version, why);
	if (strcmp(version, FLT_VERSION))
		return check_add(c, "module", CHECK_WARN, 0,
				 "install the same version of both",
				 "loaded, %s; fltctl is %s, which is compatible", version,
				 FLT_VERSION);
	return check_add(c, "module", CHECK_OK, 0, NULL, "loaded, %s", version);
}

static int add_hook(struct check *c, const struct flt_hook *hook)
{
	/* Lockdown forbids writing to debugfs. */
	const char *fix_disarmed = check_locked(c) ?
		"sysctl kernel.ftrace_enabled=1; if that does not help, reboot" :
		"echo 1 > /sys/kernel/debug/kprobes/enabled; sysctl kernel.ftrace_enabled=1";
	uint64_t missed = hook->missed_busy + hook->missed_full;
	const bool numa = !strncmp(hook->name, "numa-", 5);
	char name[48], unknown[FLT_LEDGER_TEXT];

	snprintf(name, sizeof(name), "hook %.24s", hook->name);
	flt_ledger_say_unknown(numa, hook->unknown, unknown);
	if (hook->state == FLT_HOOK_STATE_ABSENT && *unknown)
		return check_add(c, name, CHECK_WARN, 0,
				 "none: this kernel does not have the function",
				 "no %s on this kernel: 'fltctl %s' cannot count %s", hook->symbol,
				 numa ? "numa" : "thp", unknown);
	/* By design before Linux 6.4, so no reason to warn. */
	if (hook->state == FLT_HOOK_STATE_ABSENT && !strncmp(hook->name, "mmap-lock-", 10))
		return check_add(c, name, CHECK_OK, 0, NULL, "not on this kernel: 'fltctl lat "
				 "--why' does not include waits for mmap_lock");
	if (hook->state == FLT_HOOK_STATE_ABSENT)
		return check_add(c, name, hook->required ? CHECK_NO : CHECK_WARN,
				 FLT_EXIT_UNSUPPORTED,
				 "none: this kernel does not have the function",
				 "not on this kernel (%s)%s",
				 strerror((int)hook->error),
				 hook->required ? "" : ": part of the accounts is missing");
	if (hook->state == FLT_HOOK_STATE_DISARMED)
		return check_add(c, name, CHECK_NO, FLT_EXIT_FAILED, fix_disarmed,
				 "on %s, but switched off by the kernel", hook->symbol);
	if (missed)
		return check_add(c, name, CHECK_WARN, 0, hook->missed_full ?
				 "load flt with a larger maxactive" :
				 "none: another probe ran on the same CPU at the time",
				 "on %s, hits %" PRIu64 ", missed %" PRIu64 " (too many at once %"
				 PRIu64 ", CPU busy with a probe %" PRIu64 ")", hook->symbol,
				 hook->hits, missed, hook->missed_full, hook->missed_busy);
	return check_add(c, name, CHECK_OK, 0, NULL, "on %s%s, %s, hits %" PRIu64 ", missed 0",
			 hook->symbol, hook->ftrace ? " (ftrace)" : "",
			 hook->state == FLT_HOOK_STATE_ARMED ? "armed" : "idle", hook->hits);
}

int check_hooks(struct check *c)
{
	struct flt_hooks hooks = { 0 };
	struct flt_errmsg e = { "" };
	size_t i;
	int ret;

	if (!c->run->control)
		return 0;
	ret = flt_control_hooks(c->run->control, &hooks, &e);
	if (ret)
		ret = check_add(c, "hooks", CHECK_NO, FLT_EXIT_FAILED, NULL, "%s",
				flt_errmsg_text(&e, ret));
	for (i = 0; i < hooks.count && !ret; i++)
		ret = add_hook(c, &hooks.hook[i]);
	free(hooks.hook);
	return ret;
}

int check_accounting(struct check *c)
{
	struct flt_errmsg e = { "" };
	struct flt_tally tally;
	struct flt_info info;
	int ret;

	if (!c->run->control)
		return 0;
	ret = flt_control_info(c->run->control, &info, &e);
	if (!ret)
		ret = flt_control_tally(c->run->control, &tally, &e);
	if (ret)
		return check_add(c, "accounting", CHECK_NO, FLT_EXIT_FAILED, NULL, "%s",
				 flt_errmsg_text(&e, ret));
	ret = info.accounting ?
		check_add(c, "accounting", CHECK_OK, 0, NULL,
			  "on: counts%s kinds%s failures, retries and latencies (by %s)%s",
			  info.returns ? "," : " and", info.returns ? "," : ";",
			  info.clock[0] ? info.clock : "an unnamed clock",
			  info.returns ? "" : " while a command needs them") :
		check_add(c, "accounting", CHECK_WARN, 0, "modprobe -r flt && modprobe flt "
			  "accounting=counts, to count all the time",
			  "off until a command needs it");
	if (ret)
		return ret;
	if (tally.lost_proc || tally.lost_task)
		return check_add(c, "tables", CHECK_WARN, 0,
				 "free memory, or load flt with larger max_live and max_tasks",
				 "no memory to count %" PRIu64 " faults by process, %" PRIu64
				 " faults by thread; %u processes, %u of %u threads",
				 tally.lost_proc, tally.lost_task, info.procs, info.tasks,
				 info.tasks_max);
	return check_add(c, "tables", CHECK_OK, 0, NULL,
			 "%u processes (at most %u ended ones are kept), %u of %u threads, "
			 "%u of %u sessions", info.procs, info.procs_max, info.tasks,
			 info.tasks_max, info.sessions, info.sessions_max);
}

static uint64_t own_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/*
 * Read the module's count and the kernel's count of our own faults. The request may fault, too,
 * so try again if the kernel's count changed during the request.
 */
static int read_both_counts(struct check *c, uint64_t *module, uint64_t *kernel,
			    struct flt_errmsg *e)
{
	struct flt_row row;
	int ret, tries;

	for (tries = 0; tries < 16; tries++) {
		*kernel = own_faults();
		ret = flt_control_proc(c->run->control, (uint32_t)getpid(), false, &row, e);
		if (ret)
			return ret;
		*module = row.account.minor + row.account.major;
		if (own_faults() == *kernel)
			return 0;
	}
	return flt_errmsg_set(e, -EAGAIN, "cannot compare counts: this process faults all the "
					  "time");
}

int check_fault(struct check *c)
{
	const size_t size = (size_t)flt_machine_page();
	uint64_t module[2], kernel[2];
	struct flt_errmsg e = { "" };
	uint32_t session;
	char *page;
	int ret;

	if (!c->run->control)
		return 0;
	/* A session counts even if accounting is off. The module ends it with the socket. */
	ret = flt_control_session_new(c->run->control, &(const uint32_t){ (uint32_t)getpid() }, 1,
				      false, &session, &e);
	if (ret)
		return check_add(c, "one fault", CHECK_NO, FLT_EXIT_FAILED, NULL, "%s",
				 flt_errmsg_text(&e, ret));
	page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return check_add(c, "one fault", CHECK_SKIPPED, 0, NULL,
				 "cannot map a page: out of memory");
	madvise(page, 2 * size, MADV_NOHUGEPAGE);
	*(volatile char *)page = 1;

	ret = read_both_counts(c, &module[0], &kernel[0], &e);
	if (!ret) {
		*(volatile char *)(page + size) = 1;
		ret = read_both_counts(c, &module[1], &kernel[1], &e);
	}
	munmap(page, 2 * size);
	flt_control_session_del(c->run->control, session, NULL);
	if (ret)
		return check_add(c, "one fault", CHECK_NO, FLT_EXIT_FAILED, NULL, "%s",
				 flt_errmsg_text(&e, ret));
	module[1] -= module[0];
	kernel[1] -= kernel[0];
	if (module[1] == kernel[1] && kernel[1] >= 1)
		return check_add(c, "one fault", CHECK_OK, 0, NULL,
				 "touched a new page: flt and getrusage counted %" PRIu64,
				 module[1]);
	return check_add(c, "one fault", CHECK_NO, FLT_EXIT_FAILED,
			 "see the hooks above, and dmesg",
			 "touched a new page: flt counted %" PRIu64 ", getrusage %" PRIu64,
			 module[1], kernel[1]);
}
