/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - what this kernel and this process are able to do.
 */
#ifndef FLT_SOURCE_MACHINE_H
#define FLT_SOURCE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/errmsg.h"

/* The first line of a file without its newline; -errno. Cut at size - 1 bytes. */
int flt_machine_line(const char *path, char *text, size_t size);
/* A file that holds one decimal number. */
int flt_machine_number(const char *path, int64_t *out);

/* The configuration the running kernel was built with. */
struct flt_kconfig {
	char path[128];
	char *text;	/* NULL: not found */
};

/* /proc/config.gz, /boot/config-RELEASE or /lib/modules/RELEASE/; -ENOENT. */
int flt_kconfig_open(struct flt_kconfig *config, const char *release);
void flt_kconfig_close(struct flt_kconfig *config);
/* 'y', 'm', or 'n'. name is with its CONFIG_. */
char flt_kconfig_value(const struct flt_kconfig *config, const char *name);

/* "none", "integrity" or "confidentiality"; -errno without securityfs or lockdown. */
int flt_machine_lockdown(char *text, size_t size);
/* Modules without a trusted signature are refused. */
bool flt_machine_signed_only(const char *lockdown);

/* flt.ko* is known to modprobe for this kernel. */
bool flt_machine_installed(const char *release, const char *module);

bool flt_machine_mounted(const char *directory, long magic);

/* Effective in this process, CAP_* of <linux/capability.h>. */
bool flt_machine_capable(unsigned int capability);
/* Capabilities of another user namespace do not count for the module. */
bool flt_machine_initial_user_namespace(void);

/*
 * Return 0, or -EOPNOTSUPP with a sentence if this is not the initial PID namespace: the
 * module's PIDs then mean other processes here.
 */
int flt_machine_check_pids(struct flt_errmsg *e);

/*
 * 3: userfaultfd also for faults in kernel mode and for forked children, which takes
 * CAP_SYS_PTRACE; 2: not for those; 1: in user mode only; 0: not at all, -errno says why.
 */
int flt_machine_userfaultfd(void);

#endif
