// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "text/clock.h"
#include "text/units.h"

#define STATS_NS FLT_NSEC_PER_SEC

static void progress(struct record_run *r, uint64_t now)
{
	double elapsed = (double)(now - r->begin) / 1e9;
	char size[FLT_UNITS_TEXT];

	if (r->args->quiet || !r->terminal)
		return;
	fprintf(stderr, "\r%.0f s: %" PRIu64 " faults (%.0f/s), %" PRIu64 " major, file %s   ", elapsed, r->faults,
		(double)r->faults / elapsed, r->majors, flt_units_write_size(size, flt_file_written(r->writer)));
	r->shown = true;
}

struct timed {
	struct record_run *r;
	const struct record_engine *engine;
};

static int on_second(void *arg)
{
	const struct timed *t = arg;
	struct record_run *r = t->r;
	uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	int err;

	err = t->engine->stats(r, now);
	if (!err)
		err = flt_file_flush(r->writer);
	if (err)
		return flt_errmsg_errno(&r->e, err, "cannot write to %s", r->args->output);
	progress(r, now);
	return 0;
}

/* The process whose end ends a recording of given processes: when none is left. */
static int on_alive(void *arg)
{
	struct record_run *r = arg;
	size_t i;

	for (i = 0; i < r->args->pids.count; i++)
		if (!kill((pid_t)r->args->pids.id[i], 0) || errno != ESRCH)
			return 0;
	flt_loop_stop(r->loop);
	return 0;
}

static int open_file(struct record_run *r, const struct record_engine *engine)
{
	const char *output = r->args->output;
	char kept[PATH_MAX];
	int err = flt_file_create(&r->writer, output, kept);

	if (err == -EINVAL)
		return flt_errmsg_set(&r->e, err, "%s is there and is no regular file; name another with -o", output);
	if (err)
		return flt_errmsg_errno(&r->e, err, "cannot create %s", output);
	if (kept[0] && !r->args->quiet)
		flt_command_say(r->run->command, "the earlier recording is now %s", kept);
	flt_file_host(r->writer, engine->name, r->run->words.command);
	flt_file_info(r->writer, "period", "1");
	flt_file_info(r->writer, "stacks", r->args->no_stack ? "none" : r->args->unwind ? "dwarf" : "fp");
	return 0;
}

/* What was asked for, or the best there is. */
static int open_engine(struct record_run *r, const struct record_engine **engine)
{
	int err;

	*engine = &record_engine_perf;
	if (r->args->engine == FLT_RECORD_PERF || (r->args->engine == FLT_RECORD_AUTO && !r->run->control))
		return (*engine)->open(r);
	*engine = &record_engine_module;
	err = (*engine)->open(r);
	if (!err || r->args->engine == FLT_RECORD_MODULE)
		return err;
	flt_command_say(r->run->command, "%s: perf's events instead of the module's", flt_errmsg_text(&r->e, err));
	(*engine)->close(r);
	r->e = (struct flt_errmsg){ 0 };
	*engine = &record_engine_perf;
	return (*engine)->open(r);
}

static int start(struct record_run *r, struct timed *t)
{
	int err = flt_job_start(&r->job, r->loop, r->run->words.command, &r->e);

	if (err)
		return err;
	err = open_engine(r, &t->engine);
	if (!err)
		err = open_file(r, t->engine);
	if (!err)
		err = flt_loop_every(r->loop, STATS_NS, on_second, t);
	if (!err && !r->has_child && !r->args->all)
		err = flt_loop_every(r->loop, 200 * FLT_NSEC_PER_MSEC, on_alive, r);
	r->begin = flt_clock_ns(CLOCK_MONOTONIC);
	if (!err)
		err = t->engine->begin(r);
	if (err)
		flt_job_cancel(&r->job);
	return err;
}

/* Everything the kernel counted is in the file or in its losses. */
static int finish(struct record_run *r, const struct record_engine *engine, uint64_t *lost)
{
	uint64_t produced = 0;
	int err, first = engine->end(r, &produced);

	if (!first)
		first = engine->stats(r, flt_clock_ns(CLOCK_MONOTONIC));
	*lost = flt_file_lost_sum(r->writer);
	err = flt_file_close(r->writer, produced, r->has_child ? (uint32_t)r->job.wait_status : ~0u);
	r->writer = NULL;
	if (err && !first) {
		flt_errmsg_errno(&r->e, err, "cannot write to %s", r->args->output);
		first = err;
	}
	return first;
}

static void sum_up(struct record_run *r, uint64_t lost)
{
	char elapsed[FLT_UNITS_TEXT];

	if (r->shown)
		fputc('\n', stderr);
	if (!r->args->quiet)
		flt_command_say(r->run->command, "%" PRIu64 " faults (%" PRIu64 " major) in %s, in %s", r->faults, r->majors,
				flt_units_write_ns(elapsed, flt_clock_ns(CLOCK_MONOTONIC) - r->begin), r->args->output);
	if (lost)
		flt_command_say(r->run->command, "%" PRIu64 " faults or stacks were lost: the recording is incomplete", lost);
}

static int record(struct record_run *r, struct timed *t)
{
	uint64_t lost = 0;
	int err = start(r, t), end;

	if (err)
		return flt_command_fail(r->run->command, &r->e, err);
	if (r->has_child) {
		err = flt_job_release(&r->job);
		if (err) {
			flt_command_say(r->run->command, "cannot run %s: %s", r->run->words.command[0], strerror(-err));
			r->has_child = false;
			finish(r, t->engine, &lost);
			return flt_child_exec_status(err);
		}
	}
	err = flt_loop_run(r->loop);
	/* The command is not ours to stop because the disk is full: it runs to its end. */
	if (err && r->has_child) {
		flt_command_fail(r->run->command, &r->e, err);
		flt_command_say(r->run->command, "recording has ended; the command runs on");
		t->engine->stop(r);
		flt_job_wait(&r->job);
	}
	end = finish(r, t->engine, &lost);
	sum_up(r, lost);
	if (!err && end)
		flt_command_fail(r->run->command, &r->e, end);
	err = err ? err : end;
	if (r->has_child && flt_child_exit_status(r->job.wait_status))
		return flt_child_exit_status(r->job.wait_status);
	return err ? flt_exit_of(err) : lost ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}

int flt_record_unlimited(struct flt_run *run, const struct flt_record_args *args)
{
	struct record_run r = {
		.run = run, .args = args, .has_child = run->words.command, .terminal = isatty(STDERR_FILENO),
	};
	struct timed t = { .r = &r };
	int status;

	if (!!run->words.command + args->all + !!args->pids.count > 1)
		return flt_command_misuse(run->command, "-p, -a and a command exclude each other");
	if (args->engine == FLT_RECORD_MODULE && !run->control)
		return flt_command_fail(run->command, &run->control_message, run->control_error);
	status = flt_loop_new(&r.loop);
	if (status)
		return flt_command_fail(run->command, NULL, status);
	status = record(&r, &t);
	if (r.writer)
		flt_file_abandon(r.writer);
	if (t.engine)
		t.engine->close(&r);
	flt_loop_free(r.loop);
	return status;
}
