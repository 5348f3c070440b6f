// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroups.c - trace --by=cgroup: the faults of each cgroup, added up. */
#include <errno.h>
#include <stdlib.h>

#include "account/account.h"
#include "cmd/trace/trace.h"
#include "index/index.h"
#include "observe/cgroups.h"

/* Failed faults are one result, whatever the failure. */
#define RESULTS (FLT_RESULT_FAILED + 1)

/* Faults of a process, or of all processes of a cgroup. */
struct sum {
	uint64_t id;			/* PID, or ID of the cgroup */
	uint64_t count[RESULTS];
	uint64_t latency, slowest;	/* ns */
};

struct sums {
	struct sum *sum;
	size_t count, room;
	struct flt_index index;
};

struct trace_cgroups {
	struct flt_cgroups *all;
	struct sums processes;
};

struct row {
	const char *record, *cgroup, *container;
	uint64_t faults, minor, major, failed, latency, slowest;
};

#define AT(member) FLT_AT(struct row, member)

static const struct flt_column columns[] = {
	{ "record", NULL, 0, FLT_COLUMN_STRING, AT(record) },
	{ "cgroup", NULL, 0, FLT_COLUMN_STRING, AT(cgroup) },
	{ "container", "CGROUP", -20, FLT_COLUMN_STRING, AT(container) },
	{ "faults", "FAULTS", 9, FLT_COLUMN_COUNT, AT(faults) },
	{ "minor", "MINOR", 9, FLT_COLUMN_COUNT, AT(minor) },
	{ "major", "MAJOR", 7, FLT_COLUMN_COUNT, AT(major) },
	{ "failed", "FAILED", 6, FLT_COLUMN_COUNT, AT(failed) },
	{ "latency_ns", "TIME", 8, FLT_COLUMN_NS, AT(latency) },
	{ "slowest_ns", "SLOWEST", 8, FLT_COLUMN_NS, AT(slowest) },
	{ 0 },
};

int trace_cgroups_open(struct trace *t, struct flt_errmsg *e)
{
	int ret;

	t->cgroups = calloc(1, sizeof(*t->cgroups));
	if (!t->cgroups)
		return -ENOMEM;
	ret = flt_cgroups_open(&t->cgroups->all, t->control, e);
	return ret ? ret : flt_table_new(&t->table, t->out, &t->args->style, columns, 0);
}

static void free_sums(struct sums *s)
{
	free(s->sum);
	flt_index_free(&s->index);
}

void trace_cgroups_close(struct trace *t)
{
	struct trace_cgroups *c = t->cgroups;

	if (!c)
		return;
	flt_cgroups_close(c->all);
	free_sums(&c->processes);
	free(c);
}

static struct sum *sum_of(struct sums *s, uint64_t id)
{
	const uint32_t hash = flt_index_hash(id, 0);
	struct flt_index_search search = flt_index_search(hash);
	struct sum *more;
	uint32_t n;

	while (flt_index_next(&s->index, &search, &n))
		if (s->sum[n].id == id)
			return &s->sum[n];
	if (s->count == s->room) {
		more = reallocarray(s->sum, s->room ? 2 * s->room : 64, sizeof(*more));
		if (!more)
			return NULL;
		s->sum = more;
		s->room = s->room ? 2 * s->room : 64;
	}
	if (flt_index_add(&s->index, hash, (uint32_t)s->count))
		return NULL;
	s->sum[s->count] = (struct sum){ .id = id };
	return &s->sum[s->count++];
}

int trace_cgroups_fault(struct trace *t, const struct flt_fault *f)
{
	struct sum *sum = sum_of(&t->cgroups->processes, f->pid);
	const uint32_t result = flt_fault_result(f);

	if (!sum)
		return -ENOMEM;
	sum->count[result < RESULTS ? result : FLT_RESULT_FAILED] += f->weight;
	sum->latency += f->latency * f->weight;
	if (f->latency > sum->slowest)
		sum->slowest = f->latency;
	if (++t->lines == t->args->count)
		t->full = true;
	return 0;
}

/* Add up the processes of each cgroup. A process is where it is now, or where it was last. */
static int join(struct trace_cgroups *c, struct sums *groups)
{
	const struct sum *from;
	struct sum *to;
	size_t i, k;

	for (i = 0; i < c->processes.count; i++) {
		from = &c->processes.sum[i];
		to = sum_of(groups, flt_cgroups_of(c->all, (uint32_t)from->id));
		if (!to)
			return -ENOMEM;
		for (k = 0; k < RESULTS; k++)
			to->count[k] += from->count[k];
		to->latency += from->latency;
		if (from->slowest > to->slowest)
			to->slowest = from->slowest;
	}
	return 0;
}

static uint64_t faults_of(const struct sum *s)
{
	uint64_t faults = 0;
	size_t i;

	for (i = 0; i < RESULTS; i++)
		faults += s->count[i];
	return faults;
}

static int by_faults(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (faults_of(x) != faults_of(y))
		return faults_of(x) > faults_of(y) ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

int trace_cgroups_write(struct trace *t)
{
	struct trace_cgroups *c = t->cgroups;
	struct flt_cgroup_name name;
	struct sums groups = { 0 };
	size_t i;
	int ret;

	flt_cgroups_round(c->all);
	ret = join(c, &groups);
	if (!ret && groups.count)
		qsort(groups.sum, groups.count, sizeof(*groups.sum), by_faults);
	for (i = 0; !ret && i < groups.count; i++) {
		const struct sum *s = &groups.sum[i];

		flt_cgroups_name(c->all, s->id, &name);
		ret = flt_table_row(t->table, &(struct row){
			.record = "cgroup", .cgroup = name.path, .container = name.name,
			.faults = faults_of(s), .minor = s->count[FLT_RESULT_MINOR],
			.major = s->count[FLT_RESULT_MAJOR], .failed = s->count[FLT_RESULT_FAILED],
			.latency = s->latency, .slowest = s->slowest }, 0);
	}
	free_sums(&groups);
	return ret;
}
