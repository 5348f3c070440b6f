// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text/clock.h"
#include "cmd/map/map.h"
#include "cmd/map/mappings.h"
#include "observe/job.h"
#include "source/netlink/control.h"
#include "source/proc/maps.h"
#include "source/stream/stream.h"
#include "text/units.h"

#define ROUND_NS (100 * FLT_NSEC_PER_MSEC)
#define PROGRESS_NS (500 * FLT_NSEC_PER_MSEC)
#define PROGRESS_LINE_NS (10 * FLT_NSEC_PER_SEC)

struct live {
	struct map *m;
	struct flt_loop *loop;
	struct flt_stream *stream;
	struct map_told told;
	struct flt_job job;
	struct flt_errmsg e;
	uint64_t begin, next_line, faults;
	bool terminal, progress_shown;
};

static int on_record(void *arg, const struct flt_event_record *r)
{
	struct live *l = arg;
	uint64_t latency = flt_event_latency(r);
	struct flt_file_fault f = {
		.time = r->time, .address = r->address, .ip = r->ip, .tid = r->tid, .weight = r->weight, .kind = r->kind,
		.latency = latency < UINT32_MAX ? (uint32_t)latency : UINT32_MAX,
	};
	int ret = map_told_image(&l->told, r->tgid, &f.image);

	if (ret)
		return ret;
	if (r->result == FLT_RESULT_MAJOR)
		f.flags |= FLT_FAULT_MAJOR;
	else if (r->result >= FLT_RESULT_FAILED)
		f.flags |= FLT_FAULT_FAILED;
	if (r->flags & FLT_EVENT_REMOTE)
		f.flags |= FLT_FAULT_REMOTE;
	else
		ret = map_told_fault(&l->told, f.image, r);
	l->faults += f.weight;
	return ret ? ret : flt_regions_fault(l->m->regions, &f);
}

static int on_records(void *arg, const struct flt_event_record *const *r, size_t count)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < count; i++)
		ret = on_record(arg, r[i]);
	return ret;
}

/* The figure is in the session's; the place does not matter here. */
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
	struct live *l = arg;

	return map_told_note(&l->told, note, bytes);
}

static struct flt_stream_sink begin_round(struct live *l)
{
	l->told.snapshots = MAP_TOLD_SNAPSHOTS;
	l->told.missed_image = 0;
	return (struct flt_stream_sink){ .records = on_records, .note = on_note, .gap = on_gap, .arg = l };
}

static void progress(struct live *l, uint64_t elapsed)
{
	if (!l->terminal && elapsed < l->next_line)
		return;
	fprintf(stderr, "%s%.1f s: %" PRIu64 " faults in %u regions%s", l->terminal ? "\r" : "fltctl map: ",
		(double)elapsed / 1e9, l->faults, l->m->regions->count - 1, l->terminal ? "    " : "\n");
	l->progress_shown = true;
	l->next_line = elapsed + PROGRESS_LINE_NS;
}

static bool all_gone(const struct map_args *args)
{
	char comm[32];
	size_t i;

	for (i = 0; i < args->pids.count; i++) {
		flt_maps_comm(args->pids.id[i], comm, sizeof(comm));
		if (comm[0])
			return false;
	}
	return true;
}

static int on_round(void *arg)
{
	struct live *l = arg;
	uint64_t elapsed = flt_clock_ns(CLOCK_MONOTONIC) - l->begin;
	const struct flt_stream_sink sink = begin_round(l);
	int ret = flt_stream_read(l->stream, &sink, &l->e);

	if (elapsed / PROGRESS_NS != (elapsed - ROUND_NS) / PROGRESS_NS)
		progress(l, elapsed);
	if (l->m->args->duration && elapsed >= l->m->args->duration)
		flt_loop_stop(l->loop);
	else if (!l->job.child.pid && !l->m->args->follow && all_gone(l->m->args))
		flt_loop_stop(l->loop);
	return ret;
}

static int on_look(void *arg)
{
	struct flt_session session;
	struct live *l = arg;

	if (!flt_control_session(l->m->control, flt_stream_session(l->stream), false, &session, NULL))
		flt_correlation_add(l->m->with, flt_clock_ns(CLOCK_MONOTONIC), &(struct flt_correlation_counts){
			.faults = session.account.minor + session.account.major,
			.latency = session.account.latency_sum });
	return 0;
}

static int arm(struct live *l)
{
	const struct map_args *args = l->m->args;
	const struct flt_stream_wish wish = {
		.subbuf_size = (uint32_t)args->subbuf_size, .subbufs = (uint32_t)args->subbufs,
		.notes = true, .areas = true,
	};
	const uint32_t child = (uint32_t)l->job.child.pid;
	const uint32_t *tgids = child ? &child : args->pids.id;
	size_t count = child ? 1 : args->pids.count;
	int ret;

	ret = flt_stream_open(&l->stream, l->m->control, tgids, count, child || args->follow, &wish, &l->e);
	if (!ret)
		ret = flt_loop_every(l->loop, ROUND_NS, on_round, l);
	if (!ret && l->m->with)
		ret = flt_loop_every(l->loop, FLT_CORRELATION_PERIOD_NS, on_look, l);
	l->begin = flt_clock_ns(CLOCK_MONOTONIC);
	flt_fold_begin(&l->m->regions->fold, l->begin);
	return ret;
}

static int start(struct live *l, char **command)
{
	int ret = flt_correlation_start(l->m->with, &l->job, l->loop, command, &l->e);

	if (ret)
		return ret;
	ret = arm(l);
	if (ret)
		flt_job_cancel(&l->job);
	return ret;
}

/* Nothing is shown of what failed. */
static void regions_drop(struct map *m)
{
	flt_regions_free(m->regions);
	m->regions = NULL;
}

static int finish(struct live *l)
{
	const struct flt_stream_sink sink = begin_round(l);
	struct map *m = l->m;
	struct flt_stream_end end;
	int ret = flt_stream_end(l->stream, &sink, &end, &l->e);

	if (ret) {
		regions_drop(m);
		return flt_command_fail(m->command, &l->e, ret);
	}
	m->lost = end.lost;
	if (end.lost)
		flt_command_say(m->command, "incomplete: %" PRIu64 " faults lost of %" PRIu64 "; larger buffers "
				"(-b, -B) help", end.lost, end.lost + end.delivered);
	if (end.missed)
		flt_command_say(m->command, "incomplete: %" PRIu64 " faults were missed by the probe, wherever they "
				"were; load flt with a larger maxactive", end.missed);
	if (end.session.lost_notes)
		flt_command_say(m->command, "incomplete: %" PRIu64 " notes lost: some faults may be under "
				"[unknown] or what was mapped there before", end.session.lost_notes);
	if (end.session.untracked)
		flt_command_say(m->command, "incomplete: %" PRIu64 " processes of the command found the process "
				"table full; their faults are missing", end.session.untracked);
	return end.lost || end.missed || end.session.lost_notes || end.session.untracked ?
	       FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}

static int run_loop(struct live *l, char **command)
{
	int ret, status;

	flt_correlation_add(l->m->with, l->begin, &(struct flt_correlation_counts){ 0 });
	if (command) {
		ret = flt_job_release(&l->job);
		if (ret) {
			flt_command_say(l->m->command, "cannot run %s: %s", command[0], strerror(-ret));
			regions_drop(l->m);
			return flt_child_exec_status(ret);
		}
	}
	ret = flt_loop_run(l->loop);
	if (l->terminal && l->progress_shown)
		fputs("\r                                                            \r", stderr);
	if (ret) {
		flt_job_wait(&l->job);
		regions_drop(l->m);
		return flt_command_fail(l->m->command, &l->e, ret);
	}
	status = finish(l);
	if (command && l->job.child.pid > 0)
		flt_job_wait(&l->job);
	if (command && l->job.wait_status)
		return flt_child_exit_status(l->job.wait_status);
	return status;
}

static int subject_make(struct map *m, char **command)
{
	size_t length = 16, i;
	char *at;

	for (i = 0; command && command[i]; i++)
		length += strlen(command[i]) + 1;
	m->subject = malloc(length);
	if (!m->subject)
		return -ENOMEM;
	at = m->subject;
	if (!command)
		snprintf(at, length, "PID %" PRIu32 "%s", m->args->pids.id[0], m->args->pids.count > 1 ? ", ..." : "");
	for (i = 0; command && command[i]; i++)
		at += sprintf(at, "%s%s", i ? " " : "", command[i]);
	return 0;
}

int map_live(struct map *m, char **command)
{
	struct live l = { .m = m, .terminal = isatty(STDERR_FILENO), .next_line = 2 * FLT_NSEC_PER_SEC };
	int ret, status;

	if (!m->control)
		return flt_command_fail(m->command, &m->control_message, m->control_error);
	ret = subject_make(m, command);
	if (!ret)
		ret = flt_regions_new(&m->regions, flt_maps_around());
	l.told.regions = m->regions;
	l.told.lives = ret ? NULL : flt_lives_new();
	if (!ret && !l.told.lives)
		ret = -ENOMEM;
	if (!ret)
		ret = flt_loop_new(&l.loop);
	if (!ret)
		ret = start(&l, command);
	if (ret) {
		status = flt_command_fail(m->command, &l.e, ret);
		regions_drop(m);
	} else {
		status = run_loop(&l, command);
	}
	flt_loop_free(l.loop);
	flt_stream_close(l.stream);
	flt_lives_free(l.told.lives);
	return status;
}
