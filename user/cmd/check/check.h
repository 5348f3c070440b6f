/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h - findings of 'fltctl check', a line each.
 *
 *   check.c      the command, and the findings as rows
 *   machine.c    kernel, configuration, permission, and what some commands need
 *   signature.c  Secure Boot, and the signature of flt.ko
 *   module.c     the module and its hooks, and one real fault
 *   limit.c      cgroups and swap for 'record --engine=cgroup', and what killed runs left behind
 */
#ifndef FLT_CMD_CHECK_H
#define FLT_CMD_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "source/proc/module.h"

struct flt_run;

#define CHECK_KNOWN_KERNEL "boot a kernel of docs/kernels.md (/usr/share/doc/flt/kernels.md)"

enum check_result { CHECK_OK = 0, CHECK_WARN, CHECK_NO, CHECK_SKIPPED };

struct check_finding {
	char name[32];
	enum check_result result;
	int status;		/* exit status, if the result is "no" */
	char detail[256];
	char fix[320];		/* remedy; may be empty */
};

struct check {
	const struct flt_run *run;
	bool repair;		/* --repair was given */
	struct check_finding *findings;
	size_t count;
	char release[80];	/* of the running kernel */
	char lockdown[32];	/* empty: unknown, or the kernel has none */
	bool installed;		/* modprobe finds flt.ko: file */
	struct flt_module file;
};

/*
 * Add a finding. status: the exit status if the result is "no". fix: the remedy, or NULL. Return
 * 0 or -ENOMEM.
 */
int check_add(struct check *c, const char *name, enum check_result result, int status,
	      const char *fix, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* Return true if the kernel is locked down. */
bool check_locked(const struct check *c);

/* Add the findings of one area each. Return 0 or -ENOMEM. */
int check_kernel(struct check *c);
int check_signature(struct check *c);
int check_permission(struct check *c);
int check_debugfs(struct check *c);
int check_kprobes(struct check *c);
int check_userfaultfd(struct check *c);
int check_perf(struct check *c);

int check_cgroup(struct check *c);
int check_leftovers(struct check *c);

int check_module(struct check *c);
int check_hooks(struct check *c);
int check_accounting(struct check *c);
int check_fault(struct check *c);

#endif
