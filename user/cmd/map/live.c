// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/clock.h"
#include "cmd/map/map.h"
#include "observe/loss.h"
#include "observe/observe.h"
#include "observe/target.h"
#include "source/netlink/control.h"
#include "source/proc/cgroup.h"
#include "source/proc/maps.h"
#include "source/stream/stream.h"
#include "timeline/timeline.h"
#include "text/units.h"

#define ROUND_NS (100 * FLT_NSEC_PER_MSEC)

struct live {
	struct map *m;
	struct flt_observe o;
	struct flt_stream *stream;
	struct flt_stream_end end;
	struct flt_timeline *timeline;
	uint64_t faults;
	bool complete;		/* the stream was read to its end without an error */
};

static int on_fault(struct live *l, struct flt_fault *f)
{
	struct flt_timeline_stack none;
	int ret = flt_timeline_fault(l->timeline, f, &none);

	/* Past the limit on images the fault has none. Count it as unknown. */
	if (ret && ret != -E2BIG)
		return ret;
	/*
	 * Clear both flags, because flt_regions_fault() finds refaults by itself, also of pages
	 * that the process freed.
	 */
	f->flags &= ~(FLT_FAULT_ALLOC | FLT_FAULT_REFAULT);
	l->faults += f->weight;
	return flt_regions_fault(l->m->regions, f);
}

static int on_faults(void *arg, struct flt_fault *f, size_t count)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++)
		ret = on_fault(arg, &f[i]);
	return ret;
}

/* Ignore gaps: the session counts lost faults, and a map does not show where they were. */
static int on_gap(void *arg, uint32_t cpu, uint64_t count, uint64_t from, uint64_t to)
{
	(void)arg;
	(void)cpu;
	(void)count;
	(void)from;
	(void)to;
	return 0;
}

static int on_note(void *arg, const union flt_stream_note *note, const void *bytes)
{
	const struct live *l = arg;

	return flt_timeline_note(l->timeline, note, bytes);
}

/* Reset the limits of a round. Return the sink of the stream. */
static struct flt_stream_sink begin_round(struct live *l)
{
	flt_timeline_round(l->timeline);
	return (struct flt_stream_sink){
		.faults = on_faults, .note = on_note, .gap = on_gap, .arg = l,
	};
}

static int progress(void *arg)
{
	struct live *l = arg;

	flt_observe_show(&l->o, "%" PRIu64 " faults in %u regions", l->faults,
			 l->m->regions->count - 1);
	return 0;
}

static int on_round(void *arg)
{
	struct live *l = arg;
	const struct map_args *args = l->m->args;
	const struct flt_stream_sink sink = begin_round(l);

	if (args->duration && flt_clock_ns(CLOCK_MONOTONIC) - l->o.began >= args->duration)
		flt_loop_stop(l->o.loop);
	else if (!l->o.child.pid && !args->follow && !args->cgroup &&
		 flt_target_ended(&args->pids))
		flt_loop_stop(l->o.loop);
	return flt_stream_read(l->stream, &sink, &l->o.e);
}

static int count(void *arg, struct flt_correlation_counts *counts)
{
	const struct live *l = arg;
	struct flt_session session;
	int ret = flt_control_session(l->m->control, flt_stream_session(l->stream), false,
				      &session, NULL);

	if (!ret) {
		counts->faults = session.account.minor + session.account.major;
		counts->latency = session.account.latency_sum;
	}
	return ret;
}

static int arm(void *arg)
{
	struct live *l = arg;
	const struct map_args *args = l->m->args;
	struct flt_stream_wish wish = {
		.subbuf_size = (uint32_t)args->subbuf_size, .subbufs = (uint32_t)args->subbufs,
		.notes = true, .areas = true,
	};
	const uint32_t child = (uint32_t)l->o.child.pid;
	const uint32_t *tgids = child ? &child : args->pids.id;
	size_t tgid_count = child ? 1 : args->pids.count, i;
	int ret = args->cgroup ? flt_cgroup_id(args->cgroup, &wish.filter.cgroup, &l->o.e) : 0;
	uint64_t now;

	if (!ret)
		ret = flt_stream_open(&l->stream, l->m->control, tgids, tgid_count,
				      child || args->follow, &wish, &l->o.e);
	now = flt_clock_ns(CLOCK_MONOTONIC);

	flt_heat_begin(&l->m->regions->heat, now);
	/* Count the threads now: a thread that ends later has an exit note. */
	for (i = 0; !ret && !child && i < tgid_count; i++)
		ret = flt_timeline_found(l->timeline, now, tgids[i]);
	return ret;
}

static int stop(void *arg, int err)
{
	struct live *l = arg;
	const struct flt_stream_sink sink = begin_round(l);

	if (!err)
		err = flt_stream_end(l->stream, &sink, &l->end, &l->o.e);
	flt_stream_close(l->stream);
	l->stream = NULL;
	l->complete = !err;
	return err;
}

static int finish(void *arg)
{
	const struct live *l = arg;
	const struct flt_stream_end *end = &l->end;
	const struct flt_loss loss = {
		.faults = end->lost, .of = end->lost + end->delivered, .unseen = end->missed,
		.notes = end->session.lost_notes, .untracked = end->session.untracked,
	};

	l->m->lost = end->lost;
	return flt_loss_say(&loss, l->m->command);
}

static const struct flt_observe_ops ops = {
	.arm = arm,
	.round = on_round,
	.progress = progress,
	.count = count,
	.stop = stop,
	.finish = finish,
};

/* Set m->subject: the command line or the PIDs. */
static int set_subject(struct map *m, char **command)
{
	size_t length = 16, i;
	char *at;

	for (i = 0; command && command[i]; i++)
		length += strlen(command[i]) + 1;
	if (m->args->cgroup)
		length += strlen(m->args->cgroup);
	m->subject = malloc(length);
	if (!m->subject)
		return -ENOMEM;
	at = m->subject;
	if (!command && m->args->cgroup)
		strcpy(at, m->args->cgroup);
	else if (!command)
		snprintf(at, length, "PID %" PRIu32 "%s", m->args->pids.id[0],
			 m->args->pids.count > 1 ? ", ..." : "");
	for (i = 0; command && command[i]; i++)
		at += sprintf(at, "%s%s", i ? " " : "", command[i]);
	return 0;
}

int map_live(struct map *m, char **command)
{
	struct live l = {
		.m = m,
		.o = {
			.command = m->command, .ops = &ops, .arg = &l, .setup.argv = command,
			.period = ROUND_NS, .progress = true, .with = m->with,
			.stdout_of_command = m->redirect.original,
		},
	};
	struct flt_timeline_setup setup = { 0 };
	int ret, status;

	if (!m->control)
		return flt_command_fail(m->command, &m->control_message, m->control_error);
	ret = set_subject(m, command);
	if (!ret)
		ret = flt_regions_new(&m->regions, flt_timeline_page_size(),
				      flt_maps_around());
	setup.regions = m->regions;
	if (!ret)
		ret = flt_timeline_new(&l.timeline, &setup);
	status = ret ? flt_command_fail(m->command, NULL, ret) : flt_observe_run(&l.o);
	flt_timeline_free(l.timeline);
	/* Without regions, the caller shows nothing of a failed run. */
	if (!l.complete) {
		flt_regions_free(m->regions);
		m->regions = NULL;
	}
	return status;
}
