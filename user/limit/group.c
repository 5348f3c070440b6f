// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit/group.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limit/file.h"
#include "limit/hierarchy.h"
#include "source/proc/cgroup.h"
#include "source/proc/machine.h"

#define LIMIT_TRIES 64	/* refusals in a row */
#define LIMIT_STEP (1u << 20)	/* bytes */

static const char *limit_name(const struct flt_group *g)
{
	return g->v2 ? "memory.max" : "memory.limit_in_bytes";
}

static const char *current_name(const struct flt_group *g)
{
	return g->v2 ? "memory.current" : "memory.usage_in_bytes";
}

static int enable_controller(const char *parent, struct flt_journal *journal, struct flt_errmsg *e)
{
	const char *words[] = { "controller", parent, NULL };
	int err = flt_journal_note(journal, words, e);

	if (err)
		return err;
	err = limit_file_write_in(parent, "cgroup.subtree_control", "+memory");
	return err ? flt_errmsg_errno(e, err, "cannot enable the memory controller in %s", parent) :
	       0;
}

/*
 * Return 0, or -EOPNOTSUPP if a v2 cgroup or one above it forbids swap: the kernel would kill the
 * processes instead of evicting their memory. The root has no such file.
 */
static int check_swap(const char *directory, struct flt_errmsg *e)
{
	char path[PATH_MAX + 32], at[PATH_MAX];
	int64_t most;

	snprintf(at, sizeof(at), "%s", directory);
	for (; strrchr(at, '/'); *strrchr(at, '/') = '\0') {
		snprintf(path, sizeof(path), "%s/memory.swap.max", at);
		if (!flt_machine_number(path, &most) && !most)
			return flt_errmsg_set(e, -EOPNOTSUPP, "cannot swap: %s is 0 (raise it)",
					      path);
	}
	return 0;
}

int flt_group_may(struct flt_errmsg *e)
{
	struct limit_hierarchy h;
	int err = limit_hierarchy_find(&h, e);

	if (!err && access(h.parent, W_OK))
		err = flt_errmsg_set(e, -EACCES, "cannot create a cgroup in %s: run as root",
				     h.parent);
	return err || !h.v2 ? err : check_swap(h.parent, e);
}

int flt_group_make(struct flt_group *g, struct flt_journal *journal, struct flt_errmsg *e)
{
	const char *words[] = { "group", g->directory, NULL, NULL };
	struct limit_hierarchy h;
	int err = limit_hierarchy_find(&h, e);

	*g = (struct flt_group){ .v2 = h.v2, .made = true };
	if (!err && h.v2)
		err = check_swap(h.parent, e);
	if (err)
		return err;
	if (snprintf(g->directory, sizeof(g->directory), "%s/flt-%d", h.parent, (int)getpid()) >=
	    (int)sizeof(g->directory))
		return -ENAMETOOLONG;
	if (h.v2 && !h.enabled) {
		err = enable_controller(h.parent, journal, e);
		if (err)
			return err;
	}
	words[2] = h.own;
	err = flt_journal_note(journal, words, e);
	if (err)
		return err;
	return mkdir(g->directory, 0755) ? flt_errmsg_errno(e, -errno, "cannot create %s",
							    g->directory) : 0;
}

int flt_group_open(struct flt_group *g, const char *directory, struct flt_errmsg *e)
{
	char path[PATH_MAX + 32], real[PATH_MAX];

	*g = (struct flt_group){ .v2 = true };
	if (!realpath(directory, real))
		return flt_errmsg_errno(e, -errno, "cannot use cgroup %s", directory);
	memcpy(g->directory, real, strlen(real) + 1);
	snprintf(path, sizeof(path), "%s/memory.max", real);
	if (!access(path, F_OK))
		return check_swap(real, e);
	snprintf(path, sizeof(path), "%s/memory.limit_in_bytes", real);
	g->v2 = false;
	return !access(path, F_OK) ? 0 :
	       flt_errmsg_set(e, -EINVAL, "invalid cgroup '%s': it has no memory limit (give a "
			      "directory below the root, with the memory controller enabled)",
			      directory);
}

/* Note the limit that somebody set. */
static int keep_limit(const struct flt_group *g, struct flt_journal *journal, struct flt_errmsg *e)
{
	char path[PATH_MAX + 32], old[64];
	const char *words[] = { "file", path, old, NULL };
	int err;

	snprintf(path, sizeof(path), "%s/%s", g->directory, limit_name(g));
	err = flt_machine_line(path, old, sizeof(old));
	if (err)
		return flt_errmsg_errno(e, err, "cannot read %s", path);
	return flt_journal_note(journal, words, e);
}

static uint64_t read_number(const struct flt_group *g, const char *name)
{
	char path[PATH_MAX + 64];
	int64_t value;

	snprintf(path, sizeof(path), "%s/%s", g->directory, name);
	return flt_machine_number(path, &value) || value < 0 ? FLT_GROUP_UNKNOWN : (uint64_t)value;
}

static int write_limit(const struct flt_group *g, uint64_t bytes)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	return limit_file_write_in(g->directory, limit_name(g), text);
}

/*
 * Lower the limit in steps. The processes run on and bring evicted pages back. A limit just below
 * the memory in use keeps what was evicted. A limit far below would be refused (v1), or would have
 * processes killed (v2: memory.reclaim, of Linux 5.19, evicts first).
 */
static int lower_limit(const struct flt_group *g, uint64_t bytes)
{
	uint64_t now = read_number(g, current_name(g)), lowest = now, step;
	int err = 0, reclaimed = 0, tries = 0;
	char text[24];

	while (now != FLT_GROUP_UNKNOWN && now > bytes && tries < LIMIT_TRIES) {
		step = now - bytes < LIMIT_STEP ? now - bytes : LIMIT_STEP;
		snprintf(text, sizeof(text), "%" PRIu64, step);
		if (g->v2)
			reclaimed = limit_file_write_in(g->directory, "memory.reclaim", text);
		/* A limit below what cannot be evicted would kill processes of others. */
		err = reclaimed == -EAGAIN && !g->made ? -EBUSY : write_limit(g, now - step);
		if (err && err != -EBUSY)
			return err;
		now = read_number(g, current_name(g));
		tries = err && now >= lowest ? tries + 1 : 0;
		if (now < lowest)
			lowest = now;
	}
	return err && now != FLT_GROUP_UNKNOWN && now > bytes ? err : write_limit(g, bytes);
}

/*
 * Reclaim spares pages that are used all the time, so running processes could keep more than the
 * limit. v1 has no way to freeze them that they do not notice.
 */
static int freeze(const struct flt_group *g, struct flt_journal *journal, bool *frozen,
		  struct flt_errmsg *e)
{
	char path[PATH_MAX + 32], old[8];
	const char *words[] = { "file", path, "0", NULL };
	int err;

	if (g->made || !g->v2)
		return 0;
	snprintf(path, sizeof(path), "%s/cgroup.freeze", g->directory);
	/* Somebody else has frozen the cgroup, and will thaw it. */
	if (!flt_machine_line(path, old, sizeof(old)) && !strcmp(old, "1"))
		return 0;
	err = flt_journal_note(journal, words, e);
	if (!err)
		err = limit_file_write(path, "1");
	*frozen = !err;
	return err;
}

int flt_group_limit(const struct flt_group *g, struct flt_journal *journal, uint64_t bytes,
		    struct flt_errmsg *e)
{
	int err = g->made ? 0 : keep_limit(g, journal, e);
	bool frozen = false;

	if (!err)
		err = freeze(g, journal, &frozen, e);
	if (err)
		return err;
	err = lower_limit(g, bytes);
	if (frozen)
		limit_file_write_in(g->directory, "cgroup.freeze", "0");
	if (err == -EBUSY)
		return flt_errmsg_set(e, err, "cannot limit %s to %" PRIu64 " bytes: its processes "
				      "use more all the time (raise -L, add swap, or stop them "
				      "until fltctl has started)",
				      g->directory, bytes);
	return err ? flt_errmsg_errno(e, err, "cannot limit %s", g->directory) : 0;
}

int flt_group_join(const struct flt_group *g)
{
	return limit_file_write_in(g->directory, "cgroup.procs", "0");
}

bool flt_group_populated(const struct flt_group *g)
{
	uint32_t *pids = NULL;
	size_t count = 0;

	if (flt_cgroup_processes(g->directory, &pids, &count, NULL))
		return false;
	free(pids);
	return count;
}

/* A line "KEY VALUE" of a file, and where the sum of the values goes. */
struct field {
	const char *name;
	size_t offset;
};

#define FIELD(name, member) { name, offsetof(struct flt_group_usage, member) }

static void add(struct flt_group_usage *u, const struct field *fields, const char *name,
		uint64_t value)
{
	uint64_t *sum;

	for (; fields->name; fields++) {
		if (strcmp(fields->name, name))
			continue;
		sum = (uint64_t *)((char *)u + fields->offset);
		*sum = (*sum == FLT_GROUP_UNKNOWN ? 0 : *sum) + value;
	}
}

static void read_fields(const struct flt_group *g, const char *name, const struct field *fields,
			struct flt_group_usage *u)
{
	char path[PATH_MAX + 64], key[64];
	uint64_t value;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", g->directory, name);
	file = fopen(path, "re");
	while (file && fscanf(file, "%63s %" SCNu64, key, &value) == 2)
		add(u, fields, key, value);
	if (file)
		fclose(file);
}

static const struct field v2_stat[] = {
	FIELD("anon", anon), FIELD("file", file), FIELD("kernel", kernel),
	FIELD("pgfault", faults), FIELD("pgmajfault", majors), FIELD("pgsteal", evicted),
	FIELD("workingset_refault_anon", refaults), FIELD("workingset_refault_file", refaults),
	{ 0 },
};
static const struct field v1_stat[] = {
	FIELD("total_rss", anon), FIELD("total_cache", file), FIELD("total_swap", swapped),
	FIELD("total_pgfault", faults), FIELD("total_pgmajfault", majors),
	FIELD("total_workingset_refault_anon", refaults),
	FIELD("total_workingset_refault_file", refaults),
	{ 0 },
};
static const struct field events[] = { FIELD("oom_kill", killed), { 0 } };

void flt_group_read(const struct flt_group *g, struct flt_group_usage *u)
{
	memset(u, 0xff, sizeof(*u));
	u->current = read_number(g, current_name(g));
	if (g->v2) {
		u->peak = read_number(g, "memory.peak");
		u->swapped = read_number(g, "memory.swap.current");
		read_fields(g, "memory.stat", v2_stat, u);
		read_fields(g, "memory.events", events, u);
	} else {
		u->peak = read_number(g, "memory.max_usage_in_bytes");
		u->kernel = read_number(g, "memory.kmem.usage_in_bytes");
		read_fields(g, "memory.stat", v1_stat, u);
		read_fields(g, "memory.oom_control", events, u);
	}
}
