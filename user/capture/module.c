// SPDX-License-Identifier: GPL-2.0-or-later
/* module.c - capture faults by the stream of the flt module, with kind, latency and result. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "text/clock.h"
#include "capture/engine.h"
#include "observe/loss.h"
#include "source/stream/stream.h"
#include "text/units.h"

#define ROUND_NS (50 * FLT_NSEC_PER_MSEC)
/* Per CPU: room for 64,000 faults, or for 1,900 with slices of their stacks. */
#define SUBBUF_SIZE (512u << 10)
#define SUBBUFS 8
#define SLICE_SUBBUF_SIZE (1u << 20)
#define SLICE_SUBBUFS 16
#define SLICE 8192
/* Limit of the module: the faulting instruction and its callers. */
#define DEPTH_MAX 127

struct module {
	struct capture *r;
	struct flt_stream *stream;
	uint32_t session;
	uint32_t child;		/* PID of the command, also after it ended; 0: none */
	enum flt_timeline_stacks stacks;
	uint32_t depth;
	uint64_t counted;	/* faults of the accounts when the stream began */
	uint64_t before;	/* faults of the child before it executed the command */
};

static int on_fault(void *arg, struct flt_fault *f)
{
	struct module *m = arg;
	struct flt_timeline_stack stack;
	int ret = flt_timeline_fault(m->r->timeline, f, &stack);

	if (ret && ret != -E2BIG)
		return ret;
	if (!f->image && m->child == f->pid) {
		m->before += f->weight;
		return 0;
	}
	return capture_fault(m->r, f, &stack);
}

static int on_note(void *arg, const union flt_stream_note *n, const void *bytes)
{
	const struct module *m = arg;

	return flt_timeline_note(m->r->timeline, n, bytes);
}

static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	const struct module *m = arg;

	(void)cpu;
	(void)from;
	(void)to;
	flt_file_lost(m->r->writer, FLT_LOSS_BUFFER, count);
	return 0;
}

static struct flt_stream_sink sink_of(struct module *m)
{
	return (struct flt_stream_sink){
		.fault = on_fault, .note = on_note, .gap = on_gap, .arg = m,
	};
}

static int on_round(void *arg)
{
	struct module *m = arg;
	const struct flt_stream_sink sink = sink_of(m);
	int err = flt_stream_read(m->stream, &sink, &m->r->o.e);

	if (err && !m->r->o.e.text[0])
		flt_errmsg_errno(&m->r->o.e, err, "cannot record");
	return err;
}

/* Return the number of faults that an account counted, failed ones included. */
static uint64_t count_of(const struct flt_account *a)
{
	return a->minor + a->major + a->failed;
}

/* Say what recordings lack because this kernel has no such hook. */
static int say_absent(const struct capture *r, struct flt_errmsg *e)
{
	static const struct {
		uint32_t feature;
		const char *unknown, *symbol, *hook;
	} part[] = {
		{ FLT_FEATURE_NOTES, "functions in code that is mapped later", "perf_event_mmap",
		  "map" },
		{ FLT_FEATURE_MOVES, "owners of pages that are moved (mremap)",
		  "mremap_userfaultfd_complete", "move" },
	};
	struct flt_info info;
	int ret = flt_control_info(r->run->control, &info, e);
	size_t i;

	for (i = 0; !ret && i < sizeof(part) / sizeof(part[0]); i++)
		if (!(info.features & part[i].feature))
			flt_loss_say_absent(r->run->command, part[i].unknown, part[i].symbol,
					    part[i].hook);
	return ret;
}

static int module_open(struct capture *r)
{
	const struct flt_capture_setup *args = r->setup;
	struct flt_stream_wish wish = {
		.subbuf_size = args->subbuf_size ? (uint32_t)args->subbuf_size :
			       args->unwind ? SLICE_SUBBUF_SIZE : SUBBUF_SIZE,
		.subbufs = args->subbufs ? (uint32_t)args->subbufs :
			   args->unwind ? SLICE_SUBBUFS : SUBBUFS,
		.notes = true, .areas = true,
	};
	struct module *m = calloc(1, sizeof(*m));
	struct flt_session session = { 0 };
	int err;

	r->own = m;
	if (!m)
		return -ENOMEM;
	m->r = r;
	m->child = r->has_child ? (uint32_t)r->o.child.pid : 0;
	/* one more for the faulting instruction */
	m->depth = (uint32_t)args->max_stack + 1;
	if (!args->unwind && m->depth > DEPTH_MAX)
		m->depth = DEPTH_MAX;
	if (m->depth > FLT_TIMELINE_DEPTH)
		m->depth = FLT_TIMELINE_DEPTH;
	if (!args->no_stack && args->unwind) {
		wish.slice = SLICE;
		m->stacks = FLT_TIMELINE_SLICES;
	} else if (!args->no_stack) {
		wish.stacks = m->depth;
		m->stacks = FLT_TIMELINE_FRAMES;
	}
	err = flt_stream_open(&m->stream, r->run->control, r->has_child ? &m->child : args->pids.id,
			      r->has_child ? 1 : args->pids.count, !args->all, &wish, &r->o.e);
	if (err)
		return err;
	err = say_absent(r, &r->o.e);
	if (err)
		return err;
	m->session = flt_stream_session(m->stream);
	err = flt_control_session(r->run->control, m->session, false, &session, &r->o.e);
	m->counted = count_of(&session.account);
	return err;
}

static int module_begin(struct capture *r)
{
	struct module *m = r->own;
	const struct flt_timeline_setup setup = {
		.writer = r->writer, .command = m->child, .stacks = m->stacks, .depth = m->depth,
	};
	char number[24];
	int err;

	snprintf(number, sizeof(number), "%" PRIu32, m->depth);
	flt_file_info(r->writer, "max_stack", number);
	flt_file_info(r->writer, "kernel", "yes");
	err = flt_timeline_new(&r->timeline, &setup);
	return err ? err : flt_loop_every(r->o.loop, ROUND_NS, on_round, m);
}

static void module_stop(struct capture *r)
{
	struct module *m = r->own;

	flt_stream_close(m->stream);
	m->stream = NULL;
}

/* Write the losses that the stream did not report as gaps. */
static void write_losses(struct module *m, const struct flt_stream_end *end)
{
	const struct flt_session *s = &end->session;
	uint64_t streamed = end->delivered + end->lost, counted;
	struct capture *r = m->r;

	if (end->lost_last)
		flt_file_lost(r->writer, FLT_LOSS_BUFFER, end->lost_last);
	flt_file_lost(r->writer, FLT_LOSS_RECORD, s->lost_notes);
	if (s->untracked)
		flt_file_lost(r->writer, FLT_LOSS_RECORD, s->untracked);
	flt_loss_say(&(struct flt_loss){ .untracked = s->untracked }, r->run->command);
	/* The accounts are final if all processes ended. They count every fault. */
	counted = count_of(&s->account) - m->counted;
	if (r->has_child && !s->live && counted > streamed)
		flt_file_lost(r->writer, FLT_LOSS_PROBE, counted - streamed);
	else if (end->missed)
		flt_file_lost(r->writer, FLT_LOSS_PROBE, end->missed);
}

static int module_end(struct capture *r, uint64_t *produced)
{
	struct module *m = r->own;
	const struct flt_stream_sink sink = sink_of(m);
	struct flt_stream_end end;
	int err;

	*produced = r->faults + flt_file_lost_sum(r->writer);
	if (!m->stream)
		return 0;
	err = flt_stream_end(m->stream, &sink, &end, &r->o.e);
	if (err)
		return err;
	write_losses(m, &end);
	*produced = end.delivered - m->before + end.lost;
	return 0;
}

static void module_close(struct capture *r)
{
	struct module *m = r->own;

	if (!m)
		return;
	flt_stream_close(m->stream);
	free(m);
	r->own = NULL;
}

const struct capture_engine capture_engine_module = {
	.name = "module",
	.refaults = true,
	.open = module_open,
	.begin = module_begin,
	.stop = module_stop,
	.end = module_end,
	.close = module_close,
};
