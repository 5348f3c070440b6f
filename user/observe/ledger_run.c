// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/ledger_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/clock.h"
#include "model/counts/rates.h"
#include "observe/ledger_loss.h"
#include "observe/loss.h"
#include "observe/observe.h"
#include "observe/target.h"
#include "source/netlink/control.h"
#include "text/units.h"

#define SAMPLE_NS (500 * FLT_NSEC_PER_MSEC)

static const char *const by_names[] = { "process", "cgroup", NULL };

const struct flt_opt flt_ledger_run_opts[] = {
	{ .name = "pid", .letter = 'p', .type = FLT_OPT_IDS,
	  .offset = offsetof(struct flt_ledger_run_args, pids), .arg = "PID,...",
	  .help = "Show only these processes. End when all of them have ended." },
	FLT_MEMBERS_OPT(struct flt_ledger_run_args, cgroup),
	{ .name = "all", .letter = 'a', .type = FLT_OPT_FLAG,
	  .offset = offsetof(struct flt_ledger_run_args, all),
	  .help = "Show the whole machine in one row." },
	{ .name = "by", .type = FLT_OPT_CHOICE,
	  .offset = offsetof(struct flt_ledger_run_args, by), .choices = by_names,
	  .help = "Select the rows: one per process, or one per cgroup with the name of its "
		  "container or service." },
	FLT_CORRELATION_OPTS(struct flt_ledger_run_args, with, "plot"),
	OUTPUT_OPT(struct flt_ledger_run_args, output),
	FLT_TABLE_OPTS(struct flt_ledger_run_args, style),
	{ 0 },
};

struct watch {
	struct flt_ledger_run *r;
	struct flt_observe o;
	uint32_t session;
	struct flt_ledger first, last, now;	/* snapshots */
	struct flt_ledger members;	/* of .now, those of --cgroup */
	struct flt_ledger events;	/* of the session, for --with */
	uint64_t began, reported, sampled;	/* CLOCK_MONOTONIC ns */
	uint64_t reports;
	struct flt_ledger_losses losses;
	bool torn;		/* rows were retired while the last snapshot was read */
};

/*
 * Copy the lines of the processes of --cgroup. The others are kept in the snapshots, as a base for
 * processes that join later.
 */
static int pick_members(struct watch *w)
{
	struct flt_ledger *members = &w->members;
	struct flt_rows rows = { 0 };
	size_t i;
	int ret = flt_control_procs(w->r->control, 0, false, &rows, &w->o.e);

	w->torn |= ret == -EINTR;
	if (!ret || ret == -EINTR)
		ret = flt_members_pick(w->r->members, &rows, ret);
	members->machine = w->now.machine;
	members->nobody = w->now.nobody;
	members->count = 0;
	for (i = 0; !ret && i < w->now.count; i++)
		if (flt_rates_find(&rows, w->now.line[i].id))
			ret = flt_ledger_add(members, &w->now.line[i]);
	flt_rows_free(&rows);
	return ret;
}

static int take_snapshot(struct watch *w, struct flt_ledger *out)
{
	int ret = flt_ledger_ask(w->r->control, w->r->which, w->r->filtered ? w->session : 0, out,
				 &w->o.e);

	w->torn |= ret == -EINTR;
	if (ret && ret != -EINTR)
		return ret;
	return w->r->members && out == &w->now ? pick_members(w) : 0;
}

/* Return the lines to show. */
static const struct flt_ledger *shown(const struct watch *w)
{
	return w->r->members ? &w->members : &w->now;
}

static int report(struct watch *w, const struct flt_ledger *before, uint64_t since, bool last)
{
	uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	struct flt_ledger_run_span span = {
		.before = before, .after = shown(w), .ns = now - since, .number = w->reports,
		.last = last,
	};

	w->reported = now;
	w->reports++;
	if (w->r->cgroups)
		flt_cgroups_round(w->r->cgroups);
	return w->r->report(w->r->arg, &span);
}

/* Return true if every process of -p has ended. */
static bool has_ended(struct watch *w)
{
	struct flt_session session;

	if (!w->r->args->pids.count)
		return false;
	return !flt_control_session(w->r->control, w->session, false, &session, NULL) &&
	       !session.live;
}

/* Sample /proc, at most every SAMPLE_NS because that is slow. last: in any case. */
static void sample(struct watch *w, bool last)
{
	uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);

	if (!w->r->sample || (!last && now - w->sampled < SAMPLE_NS))
		return;
	w->r->sample(w->r->arg, shown(w));
	w->sampled = flt_clock_ns(CLOCK_MONOTONIC);
}

static int on_tick(void *arg)
{
	struct flt_ledger swap;
	struct watch *w = arg;
	struct flt_ledger_run *r = w->r;
	int ret = take_snapshot(w, &w->now);

	if (!ret)
		sample(w, false);
	if (!ret && r->interval) {
		ret = report(w, w->reports ? &w->last : &w->first, w->reported,
			     false);
		swap = w->last;
		w->last = w->now;
		w->now = swap;
	}
	if (ret || has_ended(w) || ferror(stdout) || (r->count && w->reports >= r->count))
		flt_loop_stop(w->o.loop);
	return ret;
}

/* Count faults and events of the session for --with. */
static int count(void *arg, struct flt_correlation_counts *counts)
{
	struct flt_session session;
	struct watch *w = arg;
	size_t i;
	int ret;

	ret = flt_control_session(w->r->control, w->session, false, &session, NULL);
	if (!ret)
		ret = flt_ledger_ask(w->r->control, w->r->which, w->session, &w->events, NULL);
	if (ret)
		return ret;
	counts->faults = session.account.minor + session.account.major;
	counts->latency = session.account.latency_sum;
	for (i = 0; i < w->events.count; i++)
		counts->events += w->events.line[i].n.count[w->r->counter];
	return 0;
}

static int finish(void *arg)
{
	struct watch *w = arg;
	const struct flt_command *command = w->r->command;
	struct flt_loss loss = { 0 };
	int ret = take_snapshot(w, &w->now), status, plotted;

	if (!ret) {
		sample(w, true);
		ret = report(w, &w->first, w->began, true);
	}
	loss.torn = w->torn;
	if (!ret)
		ret = flt_ledger_loss_since(&w->losses, w->session, &loss, &w->o.e);
	if (ret)
		return flt_command_fail(command, &w->o.e, ret);
	status = flt_loss_say(&loss, command);
	plotted = flt_correlation_report(w->r->with, stdout);
	return status ? status : plotted;
}

/*
 * Add running processes without a line to the first snapshot, so that their faults before
 * the run are not reported. The module only sends lines of processes with events.
 */
static int add_idle(struct watch *w)
{
	struct flt_rows rows = { 0 };
	size_t i;
	int ret = flt_control_procs(w->r->control, 0, false, &rows, &w->o.e);

	w->torn |= ret == -EINTR;
	if (ret == -EINTR)
		ret = 0;
	for (i = 0; !ret && i < rows.count; i++) {
		const struct flt_account *a = &rows.row[i].account;
		const struct flt_ledger_line line = {
			.id = rows.row[i].id, .tgid = rows.row[i].tgid,
			.n = { .faults = a->minor + a->major, .fault_ns = a->latency_sum },
		};

		if (!rows.row[i].ended && !flt_ledger_find(&w->first, line.id))
			ret = flt_ledger_add(&w->first, &line);
	}
	flt_rows_free(&rows);
	return ret;
}

static int arm(void *arg)
{
	struct watch *w = arg;
	struct flt_ledger_run *r = w->r;
	const uint32_t child = (uint32_t)w->o.child.pid;
	int ret;

	ret = flt_ledger_ask_session(r->control, r->which, child ? &child : r->args->pids.id,
				     child ? 1 : r->args->pids.count, child, &w->session, &w->o.e);
	if (ret)
		return ret;
	ret = flt_ledger_loss_begin(&w->losses, &w->o.e);
	if (!ret)
		ret = take_snapshot(w, &w->first);
	if (!ret && r->with && w->first.machine.unknown & FLT_LEDGER_COUNTER(r->counter))
		ret = flt_errmsg_set(&w->o.e, -EOPNOTSUPP, "cannot correlate %s: this kernel lacks "
				     "a hook (run 'fltctl check', or omit --with)", r->event);
	if (!ret && !r->filtered && !r->args->all)
		ret = add_idle(w);
	w->began = flt_clock_ns(CLOCK_MONOTONIC);
	w->reported = w->began;
	return ret;
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_tick,
	.count = count,
	.finish = finish,
};

static int read_words(struct flt_ledger_run *r, const struct flt_words *words)
{
	struct flt_target t = {
		.command = r->command, .pids = &r->args->pids, .all = r->args->all,
		.cgroup = r->args->cgroup,
		.takes_command = true, .all_with_command = true, .least = "10ms",
		.counted = "reports",
	};
	int status = flt_target_read(&t, words);

	if (!status && t.all && r->args->by == FLT_LEDGER_BY_CGROUP)
		status = flt_command_misuse(r->command, "-a and --by=cgroup exclude each other");
	r->interval = t.interval;
	r->count = t.count;
	return status;
}

int flt_ledger_run_check(struct flt_ledger_run *r, const struct flt_run *run)
{
	const struct flt_words *words = &run->words;
	struct flt_errmsg e = { "" };
	int status = read_words(r, words), ret;

	if (!status)
		status = flt_correlation_new(&r->with, r->command, &r->args->with, words->command,
					     &r->args->style, r->event);
	if (status)
		return status;
	if (!run->control)
		status = flt_command_fail(r->command, &run->control_message, run->control_error);
	if (!status && r->args->cgroup) {
		ret = flt_members_open(&r->members, r->args->cgroup, &e);
		if (ret)
			status = flt_command_fail(r->command, &e, ret);
	}
	if (!status && r->args->by == FLT_LEDGER_BY_CGROUP) {
		ret = flt_cgroups_open(&r->cgroups, r->control, &e);
		if (ret)
			status = flt_command_fail(r->command, &e, ret);
	}
	r->filtered = !r->args->all && (words->command || r->args->pids.count);
	if (!status)
		status = output_redirect(&r->redirect, r->command, r->args->output);
	if (status)
		flt_correlation_free(r->with);
	return status;
}

int flt_ledger_run(struct flt_ledger_run *r, char **command)
{
	struct watch w = {
		.r = r,
		.o = {
			.command = r->command, .ops = &ops, .arg = &w, .setup.argv = command,
			.period = r->interval ? r->interval : SAMPLE_NS, .with = r->with,
			.stdout_of_command = r->redirect.original,
		},
		.losses = {
			.command = r->command, .control = r->control, .which = r->which,
			.hooks = r->hooks, .members = r->members, .filtered = r->filtered,
		},
	};
	int status = flt_observe_run(&w.o);

	flt_correlation_free(r->with);
	flt_members_close(r->members);
	flt_cgroups_close(r->cgroups);
	flt_ledger_free(&w.events);
	flt_ledger_free(&w.first);
	flt_ledger_free(&w.last);
	flt_ledger_free(&w.now);
	flt_ledger_free(&w.members);
	return status;
}

/*
 * Set the line at index @i of the span, and its name. @rest: the machine without the lines before.
 */
static void take_line(const struct flt_ledger_run *run, const struct flt_ledger_run_span *span,
		      const struct flt_ledger_line *rest, size_t i, struct flt_ledger_line *line,
		      struct flt_ledger_who *who)
{
	const struct flt_ledger *after = span->after, *before = span->before;
	const struct flt_ledger_line *old;

	*who = (struct flt_ledger_who){ .record = run->args->all ? "machine" : "other" };
	if (run->args->all) {
		*line = *rest;
		who->comm = "(all)";
	} else if (i < after->count) {
		old = flt_ledger_find(before, after->line[i].id);
		*line = flt_ledger_since(&after->line[i], old);
		who->record = "process";
		/* A new line may have faults from before the interval. */
		if (!old && !span->last && !run->filtered)
			line->n.faults = line->n.fault_ns = 0;
	} else if (i == after->count) {
		*line = flt_ledger_since(&after->nobody, &before->nobody);
		who->comm = "(nobody)";
	} else {
		/* The rest of the machine: rows that were retired. */
		*line = *rest;
		who->comm = "(retired)";
	}
	if (run->cgroups)
		who->container = who->comm;
}

int flt_ledger_run_each(const struct flt_ledger_run *run, const struct flt_ledger_run_span *span,
			flt_ledger_put_fn put, void *arg, struct flt_ledger_line *sum)
{
	const struct flt_ledger *after = span->after;
	struct flt_ledger_line line, rest = flt_ledger_since(&after->machine,
							     &span->before->machine);
	const bool all = run->args->all, named = run->args->pids.count;
	const bool some = run->filtered || run->members;
	struct flt_ledger_cgroups groups = { .cgroups = run->cgroups };
	size_t i, lines = all ? 1 : some ? after->count : after->count + 2;
	struct flt_ledger_who who;
	int ret = 0;

	/* Even a sum without lines has unknown counters. */
	if (sum)
		sum->unknown = after->machine.unknown;
	for (i = 0; !ret && i < lines; i++) {
		/* All processes come before the rest. */
		if (i == after->count && run->cgroups)
			ret = flt_ledger_cgroups_put(&groups, put, arg);
		take_line(run, span, &rest, i, &line, &who);
		if (flt_ledger_idle(&line) && !all && !named)
			continue;
		rest = flt_ledger_since(&rest, &line);
		if (sum)
			flt_ledger_sum_line(sum, &line);
		if (!ret && run->cgroups && line.id)
			ret = flt_ledger_cgroups_add(&groups, &line);
		else if (!ret)
			ret = put(arg, &line, &who);
	}
	if (!ret && run->cgroups)
		ret = flt_ledger_cgroups_put(&groups, put, arg);
	flt_ledger_free(&groups.sums);
	return ret;
}
