/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_cgroups.h - lines of processes in a ledger, summed up by cgroup. */
#ifndef FLT_LEDGER_CGROUPS_H
#define FLT_LEDGER_CGROUPS_H

#include "account/ledger.h"
#include "observe/cgroups.h"

/* The cells of a row that name a line. */
struct flt_ledger_who {
	const char *record;
	const char *comm;		/* NULL for a process: use the name of the line */
	const char *cgroup, *container;	/* path and name, of a cgroup */
};

typedef int (*flt_ledger_put_fn)(void *arg, const struct flt_ledger_line *line,
				     const struct flt_ledger_who *who);

struct flt_ledger_cgroups {
	struct flt_cgroups *cgroups;
	struct flt_ledger sums;		/* the ID of a line is that of its cgroup */
};

/* Add the line of a process to the sum of its cgroup. Return -ENOMEM. */
int flt_ledger_cgroups_add(struct flt_ledger_cgroups *c, const struct flt_ledger_line *line);
/* Call put() for each cgroup, and free the sums. Return 0 or the first error of put(). */
int flt_ledger_cgroups_put(struct flt_ledger_cgroups *c, flt_ledger_put_fn put, void *arg);

#endif
