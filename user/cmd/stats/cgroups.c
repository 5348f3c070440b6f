// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stats/columns.h"
#include "model/counts/rates.h"
#include "observe/cgroups.h"

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
	struct flt_cgroups *all;
	struct memories before, now;
	uint64_t compared, more, fewer;	/* faults of memory.stat, and how they differ from ours */
	struct flt_cgroup_name name;	/* of the row that is written */
};

int stats_cgroups_open(struct stats *s, struct flt_errmsg *e)
{
	if (s->by != STATS_BY_CGROUP)
		return 0;
	s->cgroups = calloc(1, sizeof(*s->cgroups));
	return s->cgroups ? flt_cgroups_open(&s->cgroups->all, s->control, e) : -ENOMEM;
}

void stats_cgroups_close(struct stats *s)
{
	struct stats_cgroups *c = s->cgroups;

	if (!c)
		return;
	flt_cgroups_close(c->all);
	free(c->before.of);
	free(c->now.of);
	free(c);
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
	const struct flt_cgroup_tree *tree = flt_cgroups_tree(c->all);
	struct memory *more;
	const char *path;
	uint64_t id;
	size_t i;

	c->now.count = 0;
	for (i = 0; (path = flt_cgroup_tree_at(tree, i, &id)); i++) {
		more = reallocarray(c->now.of, i + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->now.of = more;
		more[c->now.count].id = id;
		if (!flt_cgroup_tree_faults(tree, path, &more[c->now.count].pgfault,
					    &more[c->now.count].pgmajfault))
			c->now.count++;
	}
	return 0;
}

static bool is_compared(const struct stats_cgroups *c, uint64_t id)
{
	return memory_of(&c->now, id) && memory_of(&c->before, id);
}

/*
 * Find by how much memory.stat and the rows of the cgroup and of those below differ. memory.stat
 * counts the cgroups below as well, so a cgroup below another one of the rows is left out.
 */
static void compare_cgroup(struct stats_cgroups *c, const struct flt_rows *rows, uint64_t id)
{
	const struct memory *now = memory_of(&c->now, id), *before = memory_of(&c->before, id);
	struct flt_cgroup_tree *tree = flt_cgroups_tree(c->all);
	const char *known = flt_cgroup_tree_path(tree, id), *other;
	char *path = known ? strdup(known) : NULL;
	uint64_t theirs, ours = 0;
	bool below = false;
	size_t i;

	for (i = 0; i < rows->count && path; i++) {
		other = flt_cgroup_tree_path(tree, rows->row[i].cgroup);
		if (other && flt_cgroup_tree_holds(path, other))
			ours += flt_rates_ended(&rows->row[i].account);
		below |= other && strcmp(other, path) && flt_cgroup_tree_holds(other, path) &&
			 is_compared(c, rows->row[i].cgroup);
	}
	free(path);
	if (below)
		return;
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
	flt_cgroups_round(c->all);
	for (i = 0; i < rows->count; i++)
		flt_cgroup_tree_path(flt_cgroups_tree(c->all), rows->row[i].cgroup);
	c->before = c->now;
	c->now = old;
	ret = read_memories(c);
	for (i = 0; i < rows->count && !ret; i++)
		if (is_compared(c, rows->row[i].cgroup))
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
	flt_cgroups_name(c->all, from->cgroup, &c->name);
	row->cgroup = c->name.path;
	row->container = c->name.name;
	if (!now || !before)
		return;
	row->pgfault = now->pgfault - before->pgfault;
	row->pgmajfault = now->pgmajfault - before->pgmajfault;
	stats_row_memory(row);
}
