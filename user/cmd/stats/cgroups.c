// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stats/columns.h"
#include "model/counts/rates.h"
#include "source/proc/cgroup_tree.h"
#include "source/proc/container.h"

/* What memory.stat counts for a cgroup and all cgroups below. */
struct memory {
	uint64_t id;
	uint64_t pgfault, pgmajfault;
};

struct memories {
	struct memory *of;	/* sorted by ID */
	size_t count;
};

struct stats_cgroups {
	struct flt_cgroup_tree *tree;
	struct memories before, now;
	uint64_t compared, more, fewer;	/* faults of memory.stat, and how they differ from ours */
	char name[FLT_CONTAINER_NAME];	/* of the row that is written */
};

int stats_cgroups_open(struct stats *s, struct flt_errmsg *e)
{
	if (s->by != STATS_BY_CGROUP)
		return 0;
	s->cgroups = calloc(1, sizeof(*s->cgroups));
	return s->cgroups ? flt_cgroup_tree_new(&s->cgroups->tree, e) : -ENOMEM;
}

void stats_cgroups_close(struct stats *s)
{
	struct stats_cgroups *c = s->cgroups;

	if (!c)
		return;
	flt_cgroup_tree_free(c->tree);
	free(c->before.of);
	free(c->now.of);
	free(c);
}

static int by_cgroup(const void *a, const void *b)
{
	const struct flt_row *x = a, *y = b;

	return (x->cgroup > y->cgroup) - (x->cgroup < y->cgroup);
}

int stats_cgroups_join(struct stats *s, struct flt_rows *rows)
{
	size_t i, n = 0;

	(void)s;
	qsort(rows->row, rows->count, sizeof(*rows->row), by_cgroup);
	for (i = 0; i < rows->count; i++) {
		struct flt_row *sum = &rows->row[n ? n - 1 : 0];

		if (!n || sum->cgroup != rows->row[i].cgroup) {
			rows->row[n] = (struct flt_row){ .id = rows->row[i].cgroup,
							 .cgroup = rows->row[i].cgroup,
							 .start = rows->row[i].start,
							 .processes = 1,
							 .account = rows->row[i].account };
			n++;
			continue;
		}
		flt_rates_add(&sum->account, &rows->row[i].account);
		sum->processes++;
	}
	rows->count = n;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct memory *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static const struct memory *memory_of(const struct memories *m, uint64_t id)
{
	const struct memory key = { .id = id };

	return m->count ? bsearch(&key, m->of, m->count, sizeof(key), by_id) : NULL;
}

static int read_memories(struct stats_cgroups *c)
{
	struct memory *more;
	const char *path;
	uint64_t id;
	size_t i;

	c->now.count = 0;
	for (i = 0; (path = flt_cgroup_tree_at(c->tree, i, &id)); i++) {
		more = reallocarray(c->now.of, i + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->now.of = more;
		more[c->now.count].id = id;
		if (!flt_cgroup_tree_faults(c->tree, path, &more[c->now.count].pgfault,
					    &more[c->now.count].pgmajfault))
			c->now.count++;
	}
	return 0;
}

/* Find by how much memory.stat and the rows of the cgroup and of those below differ. */
static void compare_cgroup(struct stats_cgroups *c, const struct flt_rows *rows, uint64_t id)
{
	const struct memory *now = memory_of(&c->now, id), *before = memory_of(&c->before, id);
	const char *known = flt_cgroup_tree_path(c->tree, id), *other;
	char *path = known ? strdup(known) : NULL;
	uint64_t theirs, ours = 0;
	size_t i;

	for (i = 0; i < rows->count && path; i++) {
		other = flt_cgroup_tree_path(c->tree, rows->row[i].cgroup);
		if (other && flt_cgroup_tree_holds(path, other))
			ours += flt_rates_ended(&rows->row[i].account);
	}
	free(path);
	theirs = now->pgfault - before->pgfault;
	c->compared += theirs;
	c->more += theirs > ours ? theirs - ours : 0;
	c->fewer += ours > theirs ? ours - theirs : 0;
}

int stats_cgroups_count(struct stats *s, const struct flt_rows *rows)
{
	struct stats_cgroups *c = s->cgroups;
	const struct memories old = c->before;
	size_t i;
	int ret;

	/* Look up new cgroups first, because a lookup may read the tree again. */
	flt_cgroup_tree_round(c->tree);
	for (i = 0; i < rows->count; i++)
		flt_cgroup_tree_path(c->tree, rows->row[i].cgroup);
	c->before = c->now;
	c->now = old;
	ret = read_memories(c);
	for (i = 0; i < rows->count && !ret; i++)
		if (memory_of(&c->now, rows->row[i].cgroup) &&
		    memory_of(&c->before, rows->row[i].cgroup))
			compare_cgroup(c, rows, rows->row[i].cgroup);
	return ret;
}

void stats_cgroups_compare(struct stats *s)
{
	const struct stats_cgroups *c = s->cgroups;

	if (s->by != STATS_BY_CGROUP || !c->compared)
		return;
	fprintf(s->out, "memory.stat  %" PRIu64 " faults in the intervals, ", c->compared);
	if (!c->more && !c->fewer)
		fputs("equal\n", s->out);
	else
		fprintf(s->out, "%" PRIu64 " more and %" PRIu64 " fewer than the rows: the kernel "
			"adds up to 64 per CPU later, counts retries before 6.4, and charges the "
			"owner of the memory\n", c->more, c->fewer);
}

void stats_row_cgroup(const struct stats *s, struct stats_row *row, const struct flt_row *from)
{
	struct stats_cgroups *c = s->cgroups;
	const struct memory *now = memory_of(&c->now, from->cgroup);
	const struct memory *before = memory_of(&c->before, from->cgroup);

	if (!from->cgroup) {
		/* The row "(other)" or "(others)". */
		row->container = from->comm;
		return;
	}
	row->comm = NULL;
	row->cgroup = flt_cgroup_tree_path(c->tree, from->cgroup);
	row->container = row->cgroup ? row->cgroup : "(removed)";
	if (row->cgroup && flt_container_name(row->cgroup, c->name))
		row->container = c->name;
	if (!now || !before)
		return;
	row->pgfault = now->pgfault - before->pgfault;
	row->pgmajfault = now->pgmajfault - before->pgmajfault;
	stats_row_memory(row);
}
