// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/ledger_cgroups.h"

int flt_ledger_cgroups_add(struct flt_ledger_cgroups *c, const struct flt_ledger_line *line)
{
	struct flt_ledger_line own = *line;
	size_t i;

	own.id = flt_cgroups_of_row(c->cgroups, line->id);
	own.tgid = 0;
	for (i = 0; i < c->sums.count; i++) {
		if (c->sums.line[i].id == own.id) {
			flt_ledger_sum_line(&c->sums.line[i], line);
			return 0;
		}
	}
	return flt_ledger_add(&c->sums, &own);
}

int flt_ledger_cgroups_put(struct flt_ledger_cgroups *c, flt_ledger_put_fn put, void *arg)
{
	struct flt_cgroup_name name;
	struct flt_ledger_line line;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < c->sums.count; i++) {
		line = c->sums.line[i];
		flt_cgroups_name(c->cgroups, line.id, &name);
		/* The line is not that of a process. */
		line.id = 0;
		ret = put(arg, &line, &(struct flt_ledger_who){
			.record = "cgroup", .cgroup = name.path,
			.container = name.name });
	}
	flt_ledger_free(&c->sums);
	return ret;
}
