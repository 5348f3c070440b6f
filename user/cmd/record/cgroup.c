// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/cgroup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/capture.h"
#include "cmd/record/child.h"
#include "limit/guard.h"
#include "limit/swap.h"
#include "source/proc/cgroup.h"

/* Polls of capture.c between two samples of the memory. */
#define SAMPLE_EVERY 4
/* Pages that the kernel charges in advance on each CPU (MEMCG_CHARGE_BATCH). */
#define CHARGE_BATCH 64

struct limited {
	struct flt_run *run;
	const struct flt_record_args *args;
	struct flt_journal *journal;
	struct flt_guard guard;
	struct flt_group group;
	struct flt_group_usage base;	/* what a cgroup that existed had before */
	uint64_t peak;			/* of memory that was sampled */
	char device[FLT_SWAP_NAME];	/* the swap that was created, or "" */
	struct flt_ids pids;		/* of --cgroup */
	struct flt_record_cgroup_result result;
	uint64_t polls;
	bool reported;
};

static uint64_t sum_of(const struct flt_group_usage *u)
{
	uint64_t sum = u->anon == FLT_GROUP_UNKNOWN ? 0 : u->anon;

	sum += u->file == FLT_GROUP_UNKNOWN ? 0 : u->file;
	return sum + (u->kernel == FLT_GROUP_UNKNOWN ? 0 : u->kernel);
}

static void since(uint64_t *now, uint64_t before)
{
	if (*now != FLT_GROUP_UNKNOWN && before != FLT_GROUP_UNKNOWN)
		*now -= *now < before ? *now : before;
}

/* Read the memory, and the events since the recording began. */
static void usage_read(const struct limited *l, struct flt_group_usage *u)
{
	flt_group_read(&l->group, u);
	if (l->group.made)
		return;
	since(&u->faults, l->base.faults);
	since(&u->majors, l->base.majors);
	since(&u->refaults, l->base.refaults);
	since(&u->evicted, l->base.evicted);
	since(&u->killed, l->base.killed);
	/* memory.peak is that of the whole life of the cgroup. */
	u->peak = l->peak;
	if (u->current != FLT_GROUP_UNKNOWN && u->current > u->peak)
		u->peak = u->current;
}

/* The parts come from memory.stat, which lags behind the charge by up to two seconds. */
static void sample(struct limited *l)
{
	struct flt_record_cgroup_result *r = &l->result;

	usage_read(l, &r->usage);
	l->peak = r->usage.peak;
	if (!r->sampled || sum_of(&r->usage) >= sum_of(&r->most))
		r->most = r->usage;
	r->sampled = true;
}

static bool on_poll(void *arg)
{
	struct limited *l = arg;

	if (!(l->polls++ % SAMPLE_EVERY))
		sample(l);
	return flt_group_populated(&l->group);
}

static void on_sample(void *arg, struct flt_record_stats *stats)
{
	const struct limited *l = arg;
	struct flt_group_usage u;

	usage_read(l, &u);
	stats->evictions = u.evicted;
	stats->resident = u.current;
	stats->evicted = u.swapped;
	stats->limit = l->args->limit;
	stats->unlimited = 0;
}

static void on_describe(void *arg, struct flt_file_writer *file)
{
	const struct limited *l = arg;
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, l->args->limit);
	flt_file_info(file, "limit", text);
	flt_file_info(file, "limited_by", l->group.v2 ? "cgroup v2" : "cgroup v1");
	flt_file_info(file, "swap", l->device[0] ? l->device : "of the machine");
}

/* The cgroup is read before the guard removes it. */
static void on_report(void *arg, const struct flt_capture_result *faults)
{
	struct limited *l = arg;

	sample(l);
	l->result.faults = *faults;
	l->result.device = l->device;
	l->result.limit = l->args->limit;
	l->reported = true;
	if (!l->args->quiet)
		flt_record_cgroup_summary(&l->result, l->args->cgroup);
}

/* In the child, before exec: everything that the command allocates is charged. */
static int in_child(void *arg)
{
	const struct limited *l = arg;
	int err = l->args->cgroup ? 0 : flt_group_join(&l->group);

	return err ? err : flt_record_in_child((void *)l->args);
}

/* Make swap and the cgroup, and set the limit. The guard undoes what was made. */
static int set_up(struct limited *l, struct flt_errmsg *e)
{
	const struct flt_record_args *args = l->args;
	int err = flt_journal_new(&l->journal, e);

	if (!err)
		err = flt_guard_start(&l->guard, l->journal, e);
	/* --engine=auto changes neither swap nor sysctls. */
	if (!err && args->engine == FLT_RECORD_ENGINE_CGROUP)
		err = flt_swap_make(l->journal, l->device, e);
	if (!err && args->engine == FLT_RECORD_ENGINE_CGROUP)
		err = flt_swap_single_pages(l->journal, e);
	if (!err)
		err = args->cgroup ? flt_group_open(&l->group, args->cgroup, e) :
		      flt_group_make(&l->group, l->journal, e);
	if (!err && args->cgroup)
		flt_group_read(&l->group, &l->base);
	if (!err)
		err = flt_group_limit(&l->group, l->journal, args->limit, e);
	return err;
}

static int capture(struct limited *l)
{
	const struct flt_record_args *args = l->args;
	const struct flt_capture_limit limit = {
		.poll = on_poll, .sample = on_sample, .describe = on_describe,
		.report = on_report, .arg = l,
	};
	const struct flt_capture_setup setup = {
		.pids = l->pids, .cgroup = args->cgroup, .no_stack = args->no_stack,
		.unwind = flt_record_unwind_by(args),
		.max_stack = args->max_stack, .subbuf_size = args->subbuf_size,
		.subbufs = args->subbufs, .output = args->output, .quiet = args->quiet,
		.explain = !args->quiet,
		.prepare = in_child, .prepare_arg = l, .limit = &limit,
	};

	return flt_capture(l->run, &setup, NULL);
}

static void fill_outcome(const struct limited *l, struct flt_record_outcome *out)
{
	const struct flt_record_cgroup_result *r = &l->result;
	struct flt_record_total *t = &out->total;

	*out = (struct flt_record_outcome){ .ns = r->faults.took };
	t->sum.faults.alloc = r->faults.allocs;
	t->sum.faults.refault = r->faults.refaults;
	t->sum.totals.evicted = r->usage.evicted == FLT_GROUP_UNKNOWN ? 0 : r->usage.evicted;
	if (r->usage.peak == FLT_GROUP_UNKNOWN)
		return;
	t->resident_peak = r->usage.peak / flt_machine_page();
	/* A limit of just the peak evicts if a thread changes its CPU. */
	t->used_peak = t->resident_peak + CHARGE_BATCH * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

int flt_record_by_cgroup(struct flt_run *run, const struct flt_record_args *args,
			 struct flt_record_outcome *out)
{
	struct limited l = { .run = run, .args = args, .guard.pid = -1 };
	struct flt_errmsg e = { "" };
	int err, status, undone;

	err = args->cgroup ? flt_cgroup_members(args->cgroup, &l.pids.id, &l.pids.count, &e) :
			     flt_group_may(&e);
	if (!err)
		err = set_up(&l, &e);
	status = err ? flt_command_fail(run->command, &e, err) : capture(&l);
	if (l.reported)
		fill_outcome(&l, out);
	if (l.reported && l.result.usage.killed && l.result.usage.killed != FLT_GROUP_UNKNOWN) {
		flt_command_say(run->command, "incomplete: the kernel killed %" PRIu64
				" process%s, because it found no page to evict (try a larger -L)",
				l.result.usage.killed, l.result.usage.killed == 1 ? "" : "es");
		status = status ? status : FLT_EXIT_INCOMPLETE;
	}
	e.text[0] = '\0';
	undone = flt_guard_end(&l.guard, &e);
	flt_journal_free(l.journal);
	free(l.pids.id);
	if (!undone)
		return status;
	flt_command_say(run->command, "%s", flt_errmsg_text(&e, undone));
	return status ? status : FLT_EXIT_FAILED;
}
