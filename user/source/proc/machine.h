/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - read the abilities of this kernel and of this process.
 */
#ifndef FLT_SOURCE_MACHINE_H
#define FLT_SOURCE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/errmsg.h"

/* Read the first line of a file without its newline, truncated to size - 1 bytes; -errno. */
int flt_machine_line(const char *path, char *text, size_t size);
/* Read a file with one decimal number. */
int flt_machine_number(const char *path, int64_t *out);

/* e_machine of the programs of this machine, and its name. */
#ifdef __aarch64__
#define FLT_MACHINE_ELF EM_AARCH64
#define FLT_MACHINE_NAME "Arm"
#else
#define FLT_MACHINE_ELF EM_X86_64
#define FLT_MACHINE_NAME "x86"
#endif

/* Return the bytes of a page; of a huge page of a page table, or 0 if the kernel has none. */
uint64_t flt_machine_page(void);
uint64_t flt_machine_huge_page(void);

/* The configuration of the running kernel. */
struct flt_kconfig {
	char path[128];
	char *text;	/* NULL: not found */
};

/* Read /proc/config.gz, /boot/config-RELEASE or /lib/modules/RELEASE/; -ENOENT. */
int flt_kconfig_open(struct flt_kconfig *config, const char *release);
void flt_kconfig_close(struct flt_kconfig *config);
/* Return 'y', 'm' or 'n'. name includes CONFIG_. */
char flt_kconfig_value(const struct flt_kconfig *config, const char *name);

/*
 * Read "none", "integrity" or "confidentiality". Return -EOPNOTSUPP if this kernel has no
 * lockdown. After another error, for example without securityfs, the state is unknown.
 */
int flt_machine_lockdown(char *text, size_t size);
/* Return true if the kernel refuses modules without a trusted signature. */
bool flt_machine_signed_only(const char *lockdown);

/*
 * Return 1 if the firmware says that it verified the boot loader, else 0. If the variable of
 * the firmware cannot be read, return -errno.
 */
int flt_machine_secure_boot(void);
bool flt_machine_mounted(const char *directory, long magic);

/* Return true if a capability (CAP_* of <linux/capability.h>) is effective. */
bool flt_machine_capable(unsigned int capability);
/* Return true in the initial user namespace. The module ignores capabilities of others. */
bool flt_machine_initial_user_namespace(void);

/*
 * Return the abilities of userfaultfd: 3: also for faults in kernel mode and for forked
 * children (needs CAP_SYS_PTRACE); 2: not for forked children; 1: faults in user mode only;
 * 0: none, with the reason in -errno.
 */
int flt_machine_userfaultfd(void);
/* Return true if userfaultfd can move pages, as since Linux 6.8. */
bool flt_machine_can_move(void);
/* Return true if userfaultfd can protect pages from stores, as since Linux 6.10 on arm64. */
bool flt_machine_can_protect(void);

#endif
