// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/output.h"
#include "cmd/trace/trace.h"
#include "observe/job.h"
#include "text/units.h"

/* How late a line may be, beside the window of the stream. */
#define ROUND_NS (100 * FLT_NSEC_PER_MSEC)

struct run {
	struct trace *t;
	struct flt_loop *loop;
	struct flt_stream *stream;
	struct flt_job job;
	struct flt_errmsg e;
};

static int on_record(void *arg, const struct flt_event_record *record)
{
	return trace_line_record(arg, record);
}

static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	int ret = trace_line_note(arg, head, bytes);

	return ret ? ret : trace_stacks_note(arg, head, bytes);
}

static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	return trace_line_gap(arg, cpu, count, from, to);
}

static struct flt_stream_sink sink_of(struct run *r)
{
	return (struct flt_stream_sink){
		.record = on_record, .note = on_note, .gap = on_gap, .arg = r->t,
	};
}

static void flush(struct trace *t)
{
	flt_table_flush(t->table, !t->headed && t->lines);
	t->headed |= t->lines > 0;
	output_failed(t->out, &t->unwritten);
}

static int on_round(void *arg)
{
	struct run *r = arg;
	const struct flt_stream_sink sink = sink_of(r);
	uint64_t before = r->t->lines;
	int ret = trace_stacks_round(r->t);

	if (!ret)
		ret = flt_stream_read(r->stream, &sink, &r->e);
	if (r->t->lines != before)
		flush(r->t);
	if (r->t->full || r->t->unwritten)
		flt_loop_stop(r->loop);
	return ret;
}

static int arm(struct run *r)
{
	const struct trace *t = r->t;
	const uint32_t child = (uint32_t)r->job.child.pid;
	const uint32_t *tgids = child ? &child : t->args->pids.id;
	size_t count = child ? 1 : t->args->pids.count;
	int ret;

	ret = flt_stream_open(&r->stream, t->control, tgids, count, child || t->args->follow,
			      &t->wish, &r->e);
	if (!ret)
		ret = trace_stacks_meet(r->t, tgids, count);
	if (!ret)
		ret = flt_loop_every(r->loop, ROUND_NS, on_round, r);
	return ret;
}

static int start(struct run *r, char **command)
{
	int ret = flt_job_start(&r->job, r->loop, command, &r->e);

	if (ret)
		return ret;
	ret = arm(r);
	if (ret)
		flt_job_cancel(&r->job);
	return ret;
}

static void say_lost(const struct trace *t, uint64_t delivered)
{
	const uint64_t sample = t->args->sample;

	if (sample > 1)
		flt_command_say(t->command, "incomplete: %" PRIu64 " of %" PRIu64 " lines lost, each one of %" PRIu64
				" faults; larger buffers (-b, -B) or a narrower filter help", t->lost,
				t->lost + delivered, sample);
	else
		flt_command_say(t->command, "incomplete: %" PRIu64 " faults lost of %" PRIu64
				"; larger buffers (-b, -B) or a narrower filter help", t->lost,
				t->lost + delivered);
}

/* Of processes that go on, the stream may hold more than it is asked for here. */
static int finish(struct run *r)
{
	const struct flt_stream_sink sink = sink_of(r);
	struct flt_stream_end end = { 0 };
	struct trace *t = r->t;
	int ret = 0;

	/* Of what came behind the last line asked for, nothing is wanted, and nothing missing. */
	if (!t->full)
		ret = flt_stream_end(r->stream, &sink, &end, &r->e);
	flush(t);
	if (ret)
		return flt_command_fail(t->command, &r->e, ret);
	if (end.untold) {
		flt_command_say(t->command, "lost %" PRIu64 " faults at the end", end.untold);
		t->lost += end.untold;
	}
	if (end.session.untracked)
		flt_command_say(t->command, "%" PRIu64 " processes of the command found the process "
				"table full; their faults are missing", end.session.untracked);
	if (t->lost)
		say_lost(t, end.delivered);
	if (end.missed)
		flt_command_say(t->command, "incomplete: %" PRIu64 " faults were missed by the probe and have no "
				"line, whatever they were; load flt with a larger maxactive", end.missed);
	if (end.session.stacks_once)
		flt_command_say(t->command, "%" PRIu64 " stacks found the module's table of them full, and were sent "
				"with their faults; max_stacks sets its size", end.session.stacks_once);
	if (end.session.lost_notes)
		flt_command_say(t->command, "incomplete: %" PRIu64 " notes lost: some names or stacks are missing",
				end.session.lost_notes);
	return t->lost || end.missed || end.session.lost_notes || end.session.untracked ?
	       FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}

static int run_loop(struct run *r, char **command)
{
	int ret, status;

	if (command) {
		ret = flt_job_release(&r->job);
		if (ret) {
			flt_command_say(r->t->command, "cannot run %s: %s", command[0],
					strerror(-ret));
			return flt_child_exec_status(ret);
		}
	}
	ret = flt_loop_run(r->loop);
	status = ret ? flt_command_fail(r->t->command, &r->e, ret) : finish(r);
	/* Nobody reads any more: so nothing is streamed while the command goes on by itself. */
	flt_stream_close(r->stream);
	r->stream = NULL;
	if (r->job.child.pid > 0)
		flt_job_wait(&r->job);
	if (ret)
		return status;
	if (command && r->job.wait_status)
		return flt_child_exit_status(r->job.wait_status);
	return status;
}

int trace_run(struct trace *t, char **command)
{
	struct run r = { .t = t };
	int ret, status;

	ret = trace_line_open(t);
	if (!ret && (t->wish.stacks || t->wish.slice))
		ret = trace_stacks_open(t);
	if (!ret)
		ret = flt_loop_new(&r.loop);
	if (!ret)
		ret = start(&r, command);
	if (ret)
		status = flt_command_fail(t->command, &r.e, ret);
	else
		status = run_loop(&r, command);
	flt_loop_free(r.loop);
	flt_stream_close(r.stream);
	trace_stacks_close(t);
	trace_line_close(t);
	return status;
}
