// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/check/check.h"

#include <errno.h>
#include <unistd.h>

#include "cli/command.h"
#include "limit/group.h"
#include "limit/journal.h"
#include "limit/swap.h"

int check_cgroup(struct check *c)
{
	struct flt_errmsg e = { "" };
	int err = flt_group_may(&e);

	if (err)
		return check_add(c, "cgroup", CHECK_WARN, 0, NULL,
				 "no 'fltctl record --engine=cgroup': %s",
				 flt_errmsg_text(&e, err));
	return check_add(c, "cgroup", CHECK_OK, 0, NULL, "memory cgroups can be created; %s",
			 flt_swap_exists() ? "the machine has swap" :
			 "the machine has no swap, so record --engine=cgroup creates some");
}

static int check_repaired(struct check *c)
{
	struct flt_errmsg e = { "" };
	size_t found;
	int err = flt_journal_repair(&found, &e);

	if (err)
		return check_add(c, "leftovers", CHECK_NO, FLT_EXIT_FAILED, NULL, "%s",
				 flt_errmsg_text(&e, err));
	return check_add(c, "leftovers", CHECK_OK, 0, NULL, "%zu killed run%s: undone", found,
			 found == 1 ? "" : "s");
}

int check_leftovers(struct check *c)
{
	size_t n;

	if (c->repair)
		return check_repaired(c);
	n = flt_journal_leftovers();
	if (!n)
		return 0;
	return check_add(c, "leftovers", CHECK_WARN, 0, "sudo fltctl check --repair",
			 "%zu killed run%s of fltctl left limits, swap or settings behind", n,
			 n == 1 ? "" : "s");
}
