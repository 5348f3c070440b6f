// SPDX-License-Identifier: GPL-2.0-or-later
/* record through perf's page-fault events: neither module nor preloading. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "cmd/record.h"
#include "job.h"
#include "source/perf_stream.h"
#include "source/perf_trace.h"
#include "source/stream_file.h"
#include "units.h"

#define DEFAULT_OUTPUT "flt.data"
#define DRAIN_NS (50 * FLT_NSEC_PER_MSEC)
#define STATS_NS FLT_NSEC_PER_SEC
/* For each CPU, when faults carry 8 KiB of stack: about 8,000 of them. */
#define DWARF_RING (64u << 20)
#define DWARF_DEPTH 127
/* More CPUs than this are drained by the timer alone. */
#define POLLED_MAX 48

struct recording {
	struct flt_run *run;
	const struct flt_record_args *args;
	const char *output;
	struct flt_loop *loop;
	struct flt_sampler *sampler;
	struct flt_file_writer *writer;
	struct flt_perf_trace *trace;
	struct flt_job job;
	bool has_child;
	bool terminal, shown;
	uint64_t begin, drained;
	struct flt_errmsg e;
};

static int drain(struct recording *r, bool all)
{
	int err = flt_sampler_drain(r->sampler, all, flt_perf_trace_event, r->trace);

	r->drained = flt_clock_ns(CLOCK_MONOTONIC);
	if (err)
		flt_errmsg_errno(&r->e, err, "recording to %s failed", r->output);
	return err;
}

static int on_data(void *arg, int fd, short events)
{
	struct recording *r = arg;

	/* The events' threads have all ended: the ring stays, the descriptor has no more news. */
	if (events & (POLLHUP | POLLERR))
		flt_loop_remove(r->loop, fd);
	return drain(r, false);
}

static int on_drain(void *arg, uint64_t expired)
{
	struct recording *r = arg;

	(void)expired;
	return flt_clock_ns(CLOCK_MONOTONIC) - r->drained < DRAIN_NS / 2 ? 0 : drain(r, false);
}

static void progress(struct recording *r, uint64_t now)
{
	double elapsed = (double)(now - r->begin) / 1e9;
	uint64_t faults = flt_perf_trace_faults(r->trace);
	char size[FLT_UNITS_TEXT];

	if (r->args->quiet || !r->terminal)
		return;
	fprintf(stderr, "\r%.0f s: %" PRIu64 " faults (%.0f/s), %" PRIu64 " major, file %s   ", elapsed, faults,
		(double)faults / elapsed, flt_perf_trace_majors(r->trace),
		flt_units_write_size(size, flt_file_written(r->writer)));
	r->shown = true;
}

static int on_second(void *arg, uint64_t expired)
{
	struct recording *r = arg;
	uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	int err;

	(void)expired;
	err = flt_perf_trace_stats(r->trace, now);
	if (!err)
		err = flt_file_flush(r->writer);
	if (err)
		return flt_errmsg_errno(&r->e, err, "cannot write to %s", r->output);
	progress(r, now);
	return 0;
}

static int watch(struct recording *r)
{
	const int *fds;
	size_t n = flt_sampler_fds(r->sampler, &fds), i;
	int err = 0;

	for (i = 0; !err && i < n && i < POLLED_MAX; i++)
		if (fds[i] >= 0)
			err = flt_loop_add(r->loop, fds[i], POLLIN, on_data, r);
	if (!err)
		err = flt_loop_every(r->loop, DRAIN_NS, on_drain, r);
	if (!err)
		err = flt_loop_every(r->loop, STATS_NS, on_second, r);
	return err;
}

static int open_file(struct recording *r)
{
	char kept[PATH_MAX], number[24];
	int err = flt_file_create(&r->writer, r->output, kept);

	if (err == -EINVAL)
		return flt_errmsg_set(&r->e, err, "%s is there and is no regular file; name another with -o", r->output);
	if (err)
		return flt_errmsg_errno(&r->e, err, "cannot create %s", r->output);
	if (kept[0] && !r->args->quiet)
		flt_command_say(r->run->command, "the earlier recording is now %s", kept);
	flt_file_host(r->writer, "perf", r->run->words.command);
	flt_file_info(r->writer, "period", "1");
	flt_file_info(r->writer, "stacks", r->args->no_stack ? "none" : r->args->unwind ? "dwarf" : "fp");
	snprintf(number, sizeof(number), "%u", flt_sampler_max_stack(r->sampler));
	flt_file_info(r->writer, "max_stack", number);
	flt_file_info(r->writer, "kernel", flt_sampler_kernel_mode(r->sampler) ? "yes" : "no");
	if (!flt_sampler_kernel_mode(r->sampler))
		flt_command_say(r->run->command, "faults inside system calls are not seen: that needs root or CAP_PERFMON");
	return flt_perf_trace_new(&r->trace, r->writer, r->has_child ? (uint32_t)r->job.child.pid : 0,
				  !r->args->unwind ? 0 : r->args->max_stack ? (uint32_t)r->args->max_stack + 1 : DWARF_DEPTH);
}

static int open_events(struct recording *r)
{
	uint32_t pid = (uint32_t)r->job.child.pid;
	struct flt_sampler_setup setup = {
		.pids = r->has_child ? &pid : r->args->pids.id,
		.pid_count = r->has_child ? 1 : r->args->pids.count,
		.all = r->args->all,
		.on_exec = r->has_child,
		.stacks = !r->args->no_stack,
		.dwarf = r->args->unwind,
		.ring_bytes = r->args->unwind ? DWARF_RING : 0,
		/* the instruction itself is one more */
		.max_stack = r->args->max_stack ? (uint32_t)r->args->max_stack + 1 : 0,
	};

	return flt_sampler_open(&r->sampler, &setup, &r->e);
}

static int begin(struct recording *r)
{
	uint64_t now;
	size_t i;
	int err;

	now = r->begin = flt_clock_ns(CLOCK_MONOTONIC);
	if (r->has_child)
		return 0;
	err = flt_sampler_enable(r->sampler);
	if (err)
		return err;
	if (r->args->all)
		return flt_perf_trace_found_all(r->trace, now);
	for (i = 0; i < r->args->pids.count; i++) {
		err = flt_perf_trace_found(r->trace, now, r->args->pids.id[i]);
		if (err && err != -ESRCH)
			return err;
	}
	return 0;
}

/* The process whose end ends a recording of given processes: when none is left. */
static int on_alive(void *arg, uint64_t expired)
{
	struct recording *r = arg;
	size_t i;

	(void)expired;
	for (i = 0; i < r->args->pids.count; i++)
		if (!kill((pid_t)r->args->pids.id[i], 0) || errno != ESRCH)
			return 0;
	flt_loop_stop(r->loop);
	return 0;
}

static int start(struct recording *r)
{
	int err = flt_job_start(&r->job, r->loop, r->run->words.command, &r->e);

	if (err)
		return err;
	r->has_child = r->job.child.pid > 0;
	err = open_events(r);
	if (!err)
		err = open_file(r);
	if (!err)
		err = watch(r);
	if (!err && !r->has_child && !r->args->all)
		err = flt_loop_every(r->loop, 200 * FLT_NSEC_PER_MSEC, on_alive, r);
	if (!err)
		err = begin(r);
	if (err)
		flt_job_cancel(&r->job);
	return err;
}

/* Everything the kernel counted is in the file or in its losses. */
static int finish(struct recording *r, uint64_t *lost)
{
	uint64_t counted = 0, seen;
	int err, first;

	flt_sampler_disable(r->sampler);
	first = drain(r, true);
	seen = flt_perf_trace_faults(r->trace);
	/* The kernel tells of what a full ring lost with the next record that fits, if one comes. */
	if (!flt_sampler_count(r->sampler, &counted) && counted > seen + flt_file_lost_sum(r->writer))
		flt_file_lost(r->writer, FLT_LOSS_BUFFER, counted - seen - flt_file_lost_sum(r->writer));
	if (!first)
		first = flt_perf_trace_stats(r->trace, flt_clock_ns(CLOCK_MONOTONIC));
	*lost = flt_file_lost_sum(r->writer);
	err = flt_file_close(r->writer, counted > seen ? counted : seen, r->has_child ? (uint32_t)r->job.wait_status : ~0u);
	r->writer = NULL;
	if (err && !first) {
		flt_errmsg_errno(&r->e, err, "cannot write to %s", r->output);
		first = err;
	}
	return first;
}

static void sum_up(struct recording *r, uint64_t lost)
{
	char elapsed[FLT_UNITS_TEXT];

	if (r->shown)
		fputc('\n', stderr);
	if (!r->args->quiet)
		flt_command_say(r->run->command, "%" PRIu64 " faults (%" PRIu64 " major) in %s, in %s",
				flt_perf_trace_faults(r->trace), flt_perf_trace_majors(r->trace),
				flt_units_write_ns(elapsed, flt_clock_ns(CLOCK_MONOTONIC) - r->begin), r->output);
	if (lost)
		flt_command_say(r->run->command, "%" PRIu64 " faults or stacks were lost: the recording is incomplete", lost);
}

static int record(struct recording *r)
{
	uint64_t lost = 0;
	int err = start(r), end;

	if (err)
		return flt_command_fail(r->run->command, &r->e, err);
	if (r->has_child) {
		err = flt_job_release(&r->job);
		if (err) {
			flt_command_say(r->run->command, "cannot run %s: %s", r->run->words.command[0], strerror(-err));
			r->has_child = false;
			finish(r, &lost);
			return flt_child_exec_status(err);
		}
	}
	err = flt_loop_run(r->loop);
	/* The command is not ours to stop because the disk is full: it runs to its end. */
	if (err && r->has_child) {
		flt_command_fail(r->run->command, &r->e, err);
		flt_command_say(r->run->command, "recording has ended; the command runs on");
		flt_sampler_disable(r->sampler);
		flt_job_wait(&r->job);
	}
	end = finish(r, &lost);
	sum_up(r, lost);
	if (!err && end)
		flt_command_fail(r->run->command, &r->e, end);
	err = err ? err : end;
	if (r->has_child && flt_child_exit_status(r->job.wait_status))
		return flt_child_exit_status(r->job.wait_status);
	return err ? flt_exit_of(err) : lost ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}

int flt_record_perf(struct flt_run *run, const struct flt_record_args *args)
{
	struct recording r = {
		.run = run, .args = args, .output = args->output ? args->output : DEFAULT_OUTPUT,
		.terminal = isatty(STDERR_FILENO),
	};
	int status;

	if (!run->words.command && !args->all && !args->pids.count)
		return flt_command_misuse(run->command, "nothing to record: give -p PID, -a, or a command behind --");
	if (!!run->words.command + args->all + !!args->pids.count > 1)
		return flt_command_misuse(run->command, "-p, -a and a command exclude each other");
	status = flt_loop_new(&r.loop);
	if (status)
		return flt_command_fail(run->command, NULL, status);
	status = record(&r);
	flt_perf_trace_free(r.trace);
	if (r.writer)
		flt_file_abandon(r.writer);
	flt_sampler_close(r.sampler);
	flt_loop_free(r.loop);
	return status;
}
