// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.c - capture faults by perf's page-fault events, without the module. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "text/clock.h"
#include "capture/engine.h"
#include "source/perf/stream.h"
#include "text/units.h"

#define DRAIN_NS (50 * FLT_NSEC_PER_MSEC)
/* Per CPU, if faults have 8 KiB of stack: room for about 8,000 faults. */
#define DWARF_RING (64u << 20)
#define DWARF_DEPTH 127
/* The rings of further CPUs are read by the timer only. */
#define POLLED_MAX 48

struct perf {
	struct capture *r;
	struct flt_sampler *sampler;
	uint64_t drained;
};

/*
 * Events have no kind. Under a limit, a page that was touched before and is read from swap or a
 * file came back. What a process touched before it was recorded is not known, so there every such
 * read counts.
 */
static void mark_refault(const struct capture *r, struct flt_fault *f)
{
	if (!(f->flags & FLT_FAULT_MAJOR) || (r->has_child && f->flags & FLT_FAULT_ALLOC))
		return;
	f->flags &= ~FLT_FAULT_ALLOC;
	f->flags |= FLT_FAULT_REFAULT;
}

static int on_event(void *arg, const struct flt_perf_event *e)
{
	struct capture *r = arg;
	struct flt_timeline_stack stack;
	struct flt_fault fault;
	int err;

	switch (e->type) {
	case FLT_PERF_FAULT:
		err = flt_timeline_perf_fault(r->timeline, e, &fault, &stack);
		if (err && err != -E2BIG)
			return err;
		if (r->setup->limit)
			mark_refault(r, &fault);
		return capture_fault(r, &fault, &stack);
	case FLT_PERF_LOST:
		flt_file_lost(r->writer, FLT_LOSS_BUFFER, e->lost);
		return 0;
	default:
		return flt_timeline_perf_note(r->timeline, e);
	}
}

static int drain(struct perf *p, bool all)
{
	struct capture *r = p->r;
	int err = flt_sampler_drain(p->sampler, all, on_event, r);

	p->drained = flt_clock_ns(CLOCK_MONOTONIC);
	if (err)
		flt_errmsg_errno(&r->o.e, err, "cannot record");
	return err;
}

static int on_data(void *arg, int fd, short events)
{
	struct perf *p = arg;

	/* All threads of the event ended. The timer still drains the ring. */
	if (events & (POLLHUP | POLLERR))
		flt_loop_remove(p->r->o.loop, fd);
	return drain(p, false);
}

static int on_drain(void *arg)
{
	struct perf *p = arg;

	return flt_clock_ns(CLOCK_MONOTONIC) - p->drained < DRAIN_NS / 2 ? 0 : drain(p, false);
}

static int watch(struct perf *p)
{
	const int *fds;
	size_t n = flt_sampler_fds(p->sampler, &fds), i;
	int err = 0;

	for (i = 0; !err && i < n && i < POLLED_MAX; i++)
		if (fds[i] >= 0)
			err = flt_loop_add(p->r->o.loop, fds[i], POLLIN, on_data, p);
	return err ? err : flt_loop_every(p->r->o.loop, DRAIN_NS, on_drain, p);
}

static int perf_open(struct capture *r)
{
	uint32_t pid = (uint32_t)r->o.child.pid;
	struct flt_sampler_setup setup = {
		.pids = r->has_child ? &pid : r->setup->pids.id,
		.pid_count = r->has_child ? 1 : r->setup->pids.count,
		.all = r->setup->all,
		.on_exec = r->has_child,
		.stacks = !r->setup->no_stack,
		.dwarf = r->setup->unwind,
		.ring_bytes = r->setup->unwind ? DWARF_RING : 0,
		/* one more for the faulting instruction */
		.max_stack = r->setup->max_stack ? (uint32_t)r->setup->max_stack + 1 : 0,
	};
	struct perf *p = calloc(1, sizeof(*p));

	r->own = p;
	if (!p)
		return -ENOMEM;
	p->r = r;
	return flt_sampler_open(&p->sampler, &setup, &r->o.e);
}

static int perf_begin(struct capture *r)
{
	struct perf *p = r->own;
	const uint32_t max_stack = (uint32_t)r->setup->max_stack;
	const struct flt_timeline_setup setup = {
		.writer = r->writer, .command = r->has_child ? (uint32_t)r->o.child.pid : 0,
		.perf = true, .depth = max_stack ? max_stack + 1 : DWARF_DEPTH,
		.stacks = r->setup->no_stack ? FLT_TIMELINE_NO_STACKS :
			  r->setup->unwind ? FLT_TIMELINE_SLICES : FLT_TIMELINE_FRAMES,
		.unwind = r->setup->unwind,
	};
	char number[24];
	int err;

	snprintf(number, sizeof(number), "%u", flt_sampler_max_stack(p->sampler));
	flt_file_info(r->writer, "max_stack", number);
	flt_file_info(r->writer, "kernel", flt_sampler_kernel_mode(p->sampler) ? "yes" : "no");
	if (!flt_sampler_kernel_mode(p->sampler))
		flt_command_say(r->run->command, "missing CAP_PERFMON: faults in system calls are "
				"not recorded");
	err = flt_timeline_new(&r->timeline, &setup);
	if (!err)
		err = watch(p);
	/* The events of a command begin with its exec. */
	return err || r->has_child ? err : flt_sampler_enable(p->sampler);
}

static void perf_stop(struct capture *r)
{
	const struct perf *p = r->own;

	flt_sampler_disable(p->sampler);
}

static int perf_end(struct capture *r, uint64_t *produced)
{
	struct perf *p = r->own;
	uint64_t counted = 0, lost;
	int err;

	flt_sampler_disable(p->sampler);
	err = drain(p, true);
	lost = flt_file_lost_sum(r->writer);
	/* The kernel reports losses of a full ring with the next record, if one follows. */
	if (!flt_sampler_count(p->sampler, &counted) && counted > r->faults + lost)
		flt_file_lost(r->writer, FLT_LOSS_BUFFER, counted - r->faults - lost);
	*produced = counted > r->faults ? counted : r->faults;
	return err;
}

static void perf_close(struct capture *r)
{
	struct perf *p = r->own;

	if (!p)
		return;
	flt_sampler_close(p->sampler);
	free(p);
	r->own = NULL;
}

const struct capture_engine capture_engine_perf = {
	.name = "perf",
	.open = perf_open,
	.begin = perf_begin,
	.stop = perf_stop,
	.end = perf_end,
	.close = perf_close,
};
