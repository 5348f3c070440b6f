// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "capture/engine.h"
#include "cli/output.h"
#include "observe/loss.h"
#include "observe/target.h"
#include "source/proc/procfs.h"
#include "text/clock.h"
#include "text/terminal.h"
#include "text/units.h"
#include "timeline/load.h"

/* Used without the module, and what it does not know. */
#define OTHER "perf events"
#define OTHER_LACKS "kinds and latency"

#define POLL_NS (50 * FLT_NSEC_PER_MSEC)

static const char *output_name(const struct capture *r)
{
	return r->setup->output ? r->setup->output : "a temporary file";
}

static int progress(void *arg)
{
	struct capture *r = arg;
	double elapsed = (double)(flt_clock_ns(CLOCK_MONOTONIC) - r->begin) / 1e9;
	char size[FLT_UNITS_TEXT];

	flt_observe_show(&r->o, "%" PRIu64 " faults (%.0f/s), %" PRIu64 " major, file %s",
			 r->faults, (double)r->faults / elapsed, r->majors,
			 flt_units_write_size(size, flt_file_written(r->writer)));
	return 0;
}

static uint32_t cut_flag(const struct flt_timeline_stack *stack)
{
	if (!stack->count)
		return 0;
	if (stack->astray)
		return FLT_FAULT_CUT_UNWIND;
	switch (stack->cut) {
	case FLT_CUT_NONE:
		return 0;
	case FLT_CUT_DEPTH:
		return FLT_FAULT_CUT_DEPTH;
	case FLT_CUT_MEMORY:
		return FLT_FAULT_CUT_MEMORY;
	default:
		return FLT_FAULT_CUT_UNWIND;
	}
}

int capture_fault(struct capture *r, struct flt_fault *f, const struct flt_timeline_stack *stack)
{
	int err = 0;

	if (stack->lost)
		flt_file_lost(r->writer, FLT_LOSS_STACK, 1);
	if (!f->image) {
		flt_file_lost(r->writer, FLT_LOSS_UNKNOWN, f->weight);
		return 0;
	}
	f->flags |= cut_flag(stack);
	if (stack->count > 1)
		err = flt_file_stack_again(r->writer, f->image, stack->id, stack->address + 1,
					   stack->count - 1, &f->stack);
	if (!err)
		err = flt_file_fault(r->writer, f);
	r->faults++;
	r->majors += f->flags & FLT_FAULT_MAJOR ? 1 : 0;
	r->weight += f->weight;
	r->allocs += f->flags & FLT_FAULT_ALLOC ? f->weight : 0;
	r->refaults += f->flags & FLT_FAULT_REFAULT ? f->weight : 0;
	return err;
}

static int write_stats(struct capture *r)
{
	const struct flt_capture_limit *limit = r->setup->limit;
	struct flt_record_stats stats = {
		.head = { .time = flt_clock_ns(CLOCK_MONOTONIC) },
		.faults = r->weight, .majors = r->majors, .allocs = r->allocs,
		.refaults = r->engine->refaults || r->setup->limit ? r->refaults : ~0ull,
		.evictions = ~0ull, .resident = ~0ull, .evicted = ~0ull, .limit = ~0ull,
		.rss = flt_timeline_rss(r->timeline), .unlimited = ~0ull,
	};

	if (limit)
		limit->sample(limit->arg, &stats);
	return flt_file_stats(r->writer, &stats);
}

static int on_second(void *arg)
{
	struct capture *r = arg;
	int err = write_stats(r);

	if (!err)
		err = flt_file_flush(r->writer);
	if (err)
		flt_errmsg_errno(&r->o.e, err, "cannot write to %s", output_name(r));
	return err;
}

static int on_alive(void *arg)
{
	struct capture *r = arg;

	if (r->members.cgroup)
		capture_members_look(&r->members, r->timeline);
	if (flt_target_ended(&r->setup->pids))
		flt_loop_stop(r->o.loop);
	return 0;
}

/* Children of the command may run longer than the command. */
static int on_poll(void *arg)
{
	struct capture *r = arg;
	const struct flt_capture_limit *limit = r->setup->limit;

	if (r->members.cgroup)
		capture_members_look(&r->members, r->timeline);
	if (!limit->poll(limit->arg) && r->o.child.pid <= 0)
		flt_loop_stop(r->o.loop);
	return 0;
}

/* The command ended. */
static int on_ended(void *arg)
{
	struct capture *r = arg;

	if (!r->setup->limit)
		flt_loop_stop(r->o.loop);
	return r->setup->limit ? on_poll(r) : 0;
}

static int on_time_over(void *arg)
{
	struct capture *r = arg;

	flt_loop_stop(r->o.loop);
	return 0;
}

static int open_file(struct capture *r)
{
	const char *output = output_name(r);
	char kept[PATH_MAX] = "";
	int err = r->setup->output ? flt_file_create(&r->writer, output, kept) :
		  flt_file_create_temporary(&r->writer, r->fd);

	if (err == -EINVAL)
		return flt_errmsg_set(&r->o.e, err, "cannot replace %s: not a regular file (name "
				      "another with -o)", output);
	if (err && !r->setup->output)
		return flt_errmsg_errno(&r->o.e, err, "cannot create a file in %s (set TMPDIR to "
					"another folder)", flt_file_temporary_folder());
	if (err)
		return flt_errmsg_set(&r->o.e, err, "cannot create %s: %s%s", output,
				      strerror(-err), output_hint(-err));
	if (kept[0] && !r->setup->quiet)
		flt_command_say(r->run->command, "kept the earlier recording as %s", kept);
	flt_file_host(r->writer, r->engine->name, r->run->words.command);
	flt_file_info(r->writer, "period", "1");
	flt_file_info(r->writer, "stacks", r->setup->no_stack ? "none" :
		      r->setup->unwind ? "dwarf" : "fp");
	if (r->setup->limit)
		r->setup->limit->describe(r->setup->limit->arg, r->writer);
	return 0;
}

/* Open the engine of the setup, or the module and else perf. */
static int open_engine(struct capture *r)
{
	int err;

	r->engine = &capture_engine_perf;
	if (r->setup->engine == FLT_CAPTURE_AUTO && !r->run->control && r->setup->explain)
		flt_command_fall_back(r->run->command, flt_errmsg_text(&r->run->control_message,
				      r->run->control_error), OTHER, OTHER_LACKS);
	if (r->setup->engine == FLT_CAPTURE_PERF ||
	    (r->setup->engine == FLT_CAPTURE_AUTO && !r->run->control))
		return r->engine->open(r);
	r->engine = &capture_engine_module;
	err = r->engine->open(r);
	if (!err || r->setup->engine == FLT_CAPTURE_MODULE)
		return err;
	flt_command_fall_back(r->run->command, flt_errmsg_text(&r->o.e, err), OTHER, OTHER_LACKS);
	r->engine->close(r);
	r->o.e = (struct flt_errmsg){ 0 };
	r->engine = &capture_engine_perf;
	return r->engine->open(r);
}

static int on_process(void *arg, uint32_t pid)
{
	const struct capture *r = arg;

	return flt_timeline_found(r->timeline, r->begin, pid);
}

/* Add the processes that run already. */
static int add_processes(struct capture *r)
{
	size_t i;
	int err = 0;

	if (r->setup->all)
		return flt_procfs_each(0, on_process, r);
	for (i = 0; !err && i < r->setup->pids.count; i++)
		err = on_process(r, r->setup->pids.id[i]);
	return err;
}

static int begin_watch(struct capture *r)
{
	const struct flt_capture_watch *watch = r->setup->watch;

	if (!watch || !watch->begin)
		return 0;
	r->watched = true;
	return watch->begin(watch->arg, r->o.loop, r->has_child ? &r->o.child : NULL, &r->o.e);
}

static int arm(void *arg)
{
	struct capture *r = arg;
	int err = open_engine(r);

	if (!err)
		err = open_file(r);
	if (!err && r->setup->pids.count && !r->setup->limit)
		err = flt_loop_every(r->o.loop, 200 * FLT_NSEC_PER_MSEC, on_alive, r);
	if (!err && r->setup->limit)
		err = flt_loop_every(r->o.loop, POLL_NS, on_poll, r);
	if (!err && r->setup->watch && r->setup->watch->arm)
		err = r->setup->watch->arm(r->setup->watch->arg, r->o.loop);
	if (!err && r->setup->duration)
		err = flt_loop_every(r->o.loop, r->setup->duration, on_time_over, r);
	r->begin = flt_clock_ns(CLOCK_MONOTONIC);
	if (!err)
		err = r->engine->begin(r);
	if (!err)
		err = add_processes(r);
	return err ? err : begin_watch(r);
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	const struct capture *r = arg;
	const struct flt_capture_watch *watch = r->setup->watch;

	return watch && watch->signal ? watch->signal(watch->arg, info) : 0;
}

/* Stop recording after an error, such as a full disk. The command runs on. */
static int stop(void *arg, int err)
{
	struct capture *r = arg;

	if (r->watched && r->setup->watch->end)
		r->setup->watch->end(r->setup->watch->arg);
	r->watched = false;
	if (err && r->o.began && r->o.child.pid > 0) {
		r->engine->stop(r);
		if (r->setup->watch && r->setup->watch->abandon)
			r->setup->watch->abandon(r->setup->watch->arg);
	}
	return err;
}

/* Write the remaining faults and all losses to the file, and close it. */
static int close_file(struct capture *r, uint64_t *lost)
{
	uint64_t produced = 0;
	int err, first = r->engine->end(r, &produced);

	if (!first)
		first = write_stats(r);
	*lost = flt_file_lost_sum(r->writer);
	r->unfollowed = flt_file_lost_by(r->writer, FLT_LOSS_RIGHTS);
	err = flt_file_close(r->writer, produced, r->has_child ? (uint32_t)r->o.wait_status : ~0u);
	r->writer = NULL;
	if (err && !first) {
		flt_errmsg_errno(&r->o.e, err, "cannot write to %s", output_name(r));
		first = err;
	}
	return first;
}

static void report(const struct capture *r, uint64_t took, uint64_t lost)
{
	const struct flt_capture_limit *limit = r->setup->limit;
	const struct flt_capture_result result = {
		.faults = r->weight, .majors = r->majors, .allocs = r->allocs,
		.refaults = r->refaults, .took = took, .lost = lost, .unfollowed = r->unfollowed,
		.missed = r->members.missed, .engine = r->engine->name,
	};
	char elapsed[FLT_UNITS_TEXT];

	if (limit)
		limit->report(limit->arg, &result);
	else if (!r->setup->quiet)
		flt_command_say(r->run->command, "%" PRIu64 " faults (%" PRIu64 " major) in %s, "
				"in %s", r->faults, r->majors, flt_units_write_ns(elapsed, took),
				output_name(r));
}

static int sum_up(struct capture *r, int err)
{
	const struct flt_command *command = r->run->command;
	const uint64_t took = flt_clock_ns(CLOCK_MONOTONIC) - (r->o.began ? r->o.began : r->begin);
	uint64_t lost = 0;
	int end = close_file(r, &lost), status;

	report(r, took, lost);
	/* The reader of a temporary file reports its losses. */
	status = lost || r->members.missed ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
	if (r->setup->output)
		flt_loss_say(&(struct flt_loss){ .recorded = lost - r->unfollowed,
						 .unfollowed = r->unfollowed }, command);
	if (r->members.missed)
		flt_command_say(command, "incomplete: %" PRIu64 " process%s entered the cgroup "
				"after the start (record again while they run)",
				r->members.missed, r->members.missed == 1 ? "" : "es");
	if (err)
		return flt_exit_of(err);
	return end ? flt_command_fail(command, &r->o.e, end) : status;
}

static int finish(void *arg)
{
	return sum_up(arg, 0);
}

static int salvage(void *arg, int err)
{
	return sum_up(arg, err);
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_second,
	.progress = progress,
	.ended = on_ended,
	.signal = on_signal,
	.stop = stop,
	.finish = finish,
	.salvage = salvage,
};

int flt_capture(struct flt_run *run, const struct flt_capture_setup *setup, int *fd)
{
	struct capture r = {
		.run = run, .setup = setup, .fd = fd, .has_child = run->words.command,
		.members.cgroup = setup->cgroup,
		.o = {
			.command = run->command, .ops = &ops, .arg = &r,
			.setup = {
				.argv = run->words.command, .prepare = setup->prepare,
				.arg = setup->prepare_arg,
			},
			.period = FLT_NSEC_PER_SEC,
			.extra_signals = setup->watch ? setup->watch->signals : 0,
			.progress = !setup->quiet && flt_terminal_can_erase(stderr),
		},
	};
	uint64_t lost;
	int status;

	if (fd)
		*fd = -1;
	if (setup->engine == FLT_CAPTURE_MODULE && !run->control)
		return flt_command_fail(run->command, &run->control_message, run->control_error);
	status = flt_observe_run(&r.o);
	if (r.o.not_run) {
		r.has_child = false;
		close_file(&r, &lost);
		if (fd && *fd >= 0)
			close(*fd);
		if (fd)
			*fd = -1;
	}
	if (r.writer)
		flt_file_abandon(r.writer);
	if (r.engine)
		r.engine->close(&r);
	flt_timeline_free(r.timeline);
	capture_members_free(&r.members);
	return status;
}

/* Return FLT_EXIT_DONE, or report options that exclude each other. */
static int check_input(const struct flt_run *run, const struct flt_capture_input *in)
{
	if (in->file || run->words.argc)
		return flt_command_misuse(run->command, "a recording excludes --for and a command");
	if (run->words.command && (in->duration || in->pids->count))
		return flt_command_misuse(run->command, "a command excludes -p and --for");
	if (!run->words.command && !in->pids->count)
		return flt_command_misuse(run->command, "--for needs -p");
	return FLT_EXIT_DONE;
}

int flt_capture_show(struct flt_run *run, const struct flt_capture_input *in)
{
	const struct flt_capture_setup setup = {
		.pids = *in->pids, .duration = in->duration, .max_stack = 128, .quiet = true,
		.explain = true,
	};
	int status, shown, fd;
	char path[32];

	if (!run->words.command && !in->duration)
		return in->show(in->arg, flt_load_path(run, in->file));
	status = check_input(run, in);
	if (!status)
		status = flt_target_check_pids(run->command, in->pids);
	if (status)
		return status;
	status = flt_capture(run, &setup, &fd);
	if (fd < 0)
		return status;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	shown = in->show(in->arg, path);
	close(fd);
	return status ? status : shown;
}
