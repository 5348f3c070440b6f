// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/trace.h"
#include "job.h"
#include "units.h"

/* How late a line may be, beside the window of the stream. */
#define ROUND_NS (100 * FLT_NSEC_PER_MSEC)

struct run {
	struct trace *t;
	struct flt_loop *loop;
	struct flt_stream_relay *stream;
	struct flt_job job;
	uint32_t session;
	struct flt_errmsg e;
};

static int on_record(void *arg, const struct flt_event_record *record)
{
	return trace_line_record(arg, record);
}

static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	return trace_line_note(arg, head, bytes);
}

static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	return trace_line_gap(arg, cpu, count, from, to);
}

static int read_round(struct run *r, bool last)
{
	const struct flt_stream_sink sink = {
		.record = on_record, .note = on_note, .gap = on_gap, .arg = r->t,
	};
	uint64_t before = r->t->lines;
	int ret = flt_stream_relay_read(r->stream, last, &sink, &r->e);

	if (r->t->lines != before || last) {
		flt_table_flush(r->t->table, !r->t->headed && r->t->lines);
		r->t->headed |= r->t->lines > 0;
	}
	return ret;
}

static int on_round(void *arg, uint64_t expired)
{
	struct run *r = arg;
	int ret = read_round(r, false);

	(void)expired;
	if (r->t->full || ferror(stdout))
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

	ret = flt_control_stream_new(t->control, tgids, count, child || t->args->follow, &t->wish,
				     &r->session, &r->e);
	if (!ret)
		ret = flt_stream_relay_open(&r->stream, r->session, &r->e);
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

/*
 * What was written is asked for before the last reading: all of it is there by
 * then. Of processes that go on, the stream may hold more.
 */
static int finish(struct run *r)
{
	struct trace *t = r->t;
	struct flt_session session;
	uint64_t delivered, lost;
	int ret;

	ret = flt_control_session(t->control, r->session, false, &session, &r->e);
	if (!ret)
		ret = read_round(r, true);
	if (ret)
		return flt_command_fail(t->command, &r->e, ret);
	flt_stream_relay_count(r->stream, &delivered, &lost);
	if (delivered < session.written) {
		flt_errmsg_set(&r->e, -EBADMSG, "the stream ends %" PRIu64 " faults early",
			       session.written - delivered);
		return flt_command_fail(t->command, &r->e, -EBADMSG);
	}
	if (session.lost > lost) {
		flt_command_say(t->command, "lost %" PRIu64 " faults at the end", session.lost - lost);
		t->lost += session.lost - lost;
	}
	if (session.untracked)
		flt_command_say(t->command, "%" PRIu64 " processes of the command found the process "
				"table full; their faults are missing", session.untracked);
	if (t->lost)
		flt_command_say(t->command, "incomplete: %" PRIu64 " faults lost of %" PRIu64
				"; larger buffers (-b, -B) or a narrower filter help", t->lost,
				t->lost + delivered);
	return t->lost || session.untracked ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
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
	if (ret || r->t->full)
		flt_job_wait(&r->job);
	if (ret)
		return flt_command_fail(r->t->command, &r->e, ret);
	status = finish(r);
	if (command && r->job.wait_status)
		return flt_child_exit_status(r->job.wait_status);
	return status;
}

int trace_run(struct trace *t, char **command)
{
	struct run r = { .t = t };
	int ret, status;

	ret = trace_line_open(t);
	if (!ret)
		ret = flt_loop_new(&r.loop);
	if (!ret)
		ret = start(&r, command);
	if (ret)
		status = flt_command_fail(t->command, &r.e, ret);
	else
		status = run_loop(&r, command);
	flt_loop_free(r.loop);
	flt_stream_relay_close(r.stream);
	trace_line_close(t);
	return status;
}
