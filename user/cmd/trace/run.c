// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "cli/output.h"
#include "cmd/trace/trace.h"
#include "observe/loss.h"
#include "observe/observe.h"
#include "text/units.h"

/* Maximum delay of a line, in addition to the window of the stream. */
#define ROUND_NS (100 * FLT_NSEC_PER_MSEC)

struct run {
	struct trace *t;
	struct flt_observe o;
	struct flt_stream *stream;
	struct flt_stream_end end;
};

static int on_fault(void *arg, struct flt_fault *fault)
{
	struct trace *t = arg;
	struct trace_fault k = { .fault = fault, .timed = true, .in_file = fault->inode };
	int ret = 0;

	if (t->full)
		return 0;
	if (t->cgroups)
		return trace_cgroups_fault(t, fault);
	if (t->pending)
		k.causes = flt_stream_causes_of(t->pending, fault);
	if (t->stacks)
		ret = trace_stacks_live(t, fault, &k);
	k.comm = names_comm(&t->names, fault);
	k.path = names_path(&t->names, fault);
	return ret ? ret : trace_line_fault(t, &k);
}

/* Handle notes: names, mappings, causes, and threads that start or execute a program. */
static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	struct trace *t = arg;
	int ret = names_note(&t->names, head, bytes);

	if (!ret && t->pending && head->record.type == FLT_EVENT_CAUSES)
		return flt_stream_causes_add(t->pending, &head->causes);
	return ret ? ret : trace_stacks_note(t, head, bytes);
}

static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	return trace_line_gap(arg, cpu, count, from, to);
}

static struct flt_stream_sink sink_of(struct run *r)
{
	return (struct flt_stream_sink){
		.fault = on_fault, .note = on_note, .gap = on_gap, .arg = r->t,
	};
}

void trace_flush(struct trace *t)
{
	if (t->ctf)
		return;
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
		ret = flt_stream_read(r->stream, &sink, &r->o.e);
	if (r->t->lines != before && !r->t->cgroups)
		trace_flush(r->t);
	if (r->t->full || r->t->unwritten)
		flt_loop_stop(r->o.loop);
	return ret;
}

static int arm(void *arg)
{
	struct run *r = arg;
	struct trace *t = r->t;
	const uint32_t child = (uint32_t)r->o.child.pid;
	const uint32_t *tgids = child ? &child : t->args->pids.id;
	size_t count = child ? 1 : t->args->pids.count;
	int ret;

	ret = flt_stream_open(&r->stream, t->control, tgids, count, child || t->args->follow,
			      &t->wish, &r->o.e);
	if (ret)
		return ret;
	names_look(&t->names, tgids, count);
	return trace_stacks_add_processes(t, tgids, count);
}

/*
 * Read the rest of the stream and close it, because the command may run on. After the last
 * line of --count, the rest is not needed and not a loss.
 */
static int stop(void *arg, int err)
{
	struct run *r = arg;
	const struct flt_stream_sink sink = sink_of(r);

	if (!err && !r->t->full)
		err = flt_stream_end(r->stream, &sink, &r->end, &r->o.e);
	if (!err && r->t->cgroups)
		err = trace_cgroups_write(r->t);
	trace_flush(r->t);
	flt_stream_close(r->stream);
	r->stream = NULL;
	return err;
}

static int finish(void *arg)
{
	const struct run *r = arg;
	const struct flt_stream_end *end = &r->end;
	const struct flt_command *command = r->t->command;
	const uint64_t lost = r->t->lost + end->lost_last;
	const struct flt_loss loss = {
		.faults = lost,
		/* After the last line of --count, nobody knows how many more faults there were. */
		.of = lost + (r->t->full ? r->t->lines : end->delivered),
		.unseen = end->missed, .notes = end->session.lost_notes,
		.untracked = end->session.untracked,
	};

	if (end->lost_last)
		flt_command_say(command, "lost %" PRIu64 " faults at the end", end->lost_last);
	if (loss.faults && r->t->args->sample > 1)
		flt_command_say(command, "each lost line stands for %" PRIu64 " faults (--sample)",
				r->t->args->sample);
	if (end->session.stacks_once)
		flt_command_say(command, "%" PRIu64 " stacks were sent with their faults, because "
				"the module's table of stacks had no room (max_stacks sets "
				"its size)",
				end->session.stacks_once);
	return flt_loss_say(&loss, command);
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_round,
	.stop = stop,
	.finish = finish,
};

static int causes_start(struct trace *t, struct flt_errmsg *e)
{
	int ret = flt_causes_start(&t->causes, t->command, t->control, e);

	if (!ret && t->causes.switched && t->args->pids.count)
		flt_command_say(t->command, FLT_CAUSES_SWITCHED);
	return ret ? ret : flt_stream_pending_new(&t->pending);
}

/* Return status, or that of an error, which is printed. */
static int causes_end(struct trace *t, int status)
{
	struct flt_errmsg e = { "" };
	int ret = flt_causes_end(&t->causes, &e);

	flt_stream_pending_free(t->pending);
	return ret ? flt_command_fail(t->command, &e, ret) : status;
}

int trace_run(struct trace *t, char **command)
{
	struct run r = {
		.t = t,
		.o = {
			.command = t->command, .ops = &ops, .arg = &r, .setup.argv = command,
			.period = ROUND_NS,
		},
	};
	struct flt_errmsg e = { "" };
	int ret, status;

	if (!t->control)
		return flt_command_fail(t->command, &t->control_message, t->control_error);
	ret = names_open(&t->names);
	if (!ret && t->args->why)
		ret = causes_start(t, &e);
	if (!ret)
		ret = trace_line_open(t, &e);
	if (!ret && (t->wish.stacks || t->wish.slice))
		ret = trace_stacks_open(t);
	status = ret ? flt_command_fail(t->command, &e, ret) : flt_observe_run(&r.o);
	trace_stacks_close(t);
	status = trace_line_close(t, status);
	status = causes_end(t, status);
	names_close(&t->names);
	return status;
}
