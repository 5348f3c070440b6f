// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/cgroups.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "model/counts/rates.h"
#include "source/proc/procfs.h"

struct flt_cgroups {
	struct flt_cgroup_tree *tree;
	struct flt_control *control;	/* NULL: without the module */
	struct flt_rows rows;		/* of all processes, sorted by ID */
	bool read;			/* rows are of this report */
};

int flt_cgroups_open(struct flt_cgroups **cgroups, struct flt_control *control,
		     struct flt_errmsg *e)
{
	struct flt_cgroups *c = calloc(1, sizeof(*c));
	int ret = c ? flt_cgroup_tree_new(&c->tree, e) : -ENOMEM;

	if (ret) {
		flt_cgroups_close(c);
		return ret;
	}
	c->control = control;
	*cgroups = c;
	return 0;
}

void flt_cgroups_close(struct flt_cgroups *c)
{
	if (!c)
		return;
	flt_cgroup_tree_free(c->tree);
	flt_rows_free(&c->rows);
	free(c);
}

struct flt_cgroup_tree *flt_cgroups_tree(struct flt_cgroups *c)
{
	return c->tree;
}

void flt_cgroups_round(struct flt_cgroups *c)
{
	flt_cgroup_tree_round(c->tree);
	c->read = false;
}

void flt_cgroups_name(struct flt_cgroups *c, uint64_t id, struct flt_cgroup_name *name)
{
	name->path = flt_cgroup_tree_path(c->tree, id);
	name->name = id && !name->path ? "(removed)" : flt_container_label(name->path, name->text);
}

uint64_t flt_cgroups_of(struct flt_cgroups *c, uint32_t tgid)
{
	struct flt_row row;
	char path[PATH_MAX];
	uint64_t id;

	if (c->control && !flt_control_proc(c->control, tgid, false, &row, NULL) && row.cgroup)
		return row.cgroup;
	/* A process without a row did not fault while the module counted. */
	if (flt_procfs_cgroup(tgid, path, sizeof(path)) ||
	    flt_cgroup_tree_id(c->tree, path, &id))
		return 0;
	return id;
}

uint64_t flt_cgroups_of_row(struct flt_cgroups *c, uint64_t id)
{
	const struct flt_row *row;

	if (!c->read && c->control) {
		/* -EINTR: rows were retired meanwhile. Those that were read are right. */
		flt_control_procs(c->control, 0, false, &c->rows, NULL);
		flt_rates_order(&c->rows);
		c->read = true;
	}
	row = flt_rates_find(&c->rows, id);
	return row ? row->cgroup : 0;
}

static int by_cgroup(const void *a, const void *b)
{
	const struct flt_row *x = a, *y = b;

	return (x->cgroup > y->cgroup) - (x->cgroup < y->cgroup);
}

static void add(struct flt_row *sum, const struct flt_row *row)
{
	const bool unknown = (flt_rates_ended(&sum->account) && !sum->account.latency_max) ||
			     (flt_rates_ended(&row->account) && !row->account.latency_max);

	flt_rates_add(&sum->account, &row->account);
	sum->processes++;
	if (unknown)
		sum->account.latency_max = 0;
}

void flt_cgroups_join(struct flt_rows *rows)
{
	size_t i, n = 0;

	if (rows->count)
		qsort(rows->row, rows->count, sizeof(*rows->row), by_cgroup);
	for (i = 0; i < rows->count; i++) {
		const struct flt_row *row = &rows->row[i];

		if (n && rows->row[n - 1].cgroup == row->cgroup)
			add(&rows->row[n - 1], row);
		else
			rows->row[n++] = (struct flt_row){
				.id = row->cgroup, .cgroup = row->cgroup, .start = row->start,
				.processes = 1, .account = row->account,
			};
	}
	rows->count = n;
}
