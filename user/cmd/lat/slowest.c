// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/lat/lat.h"
#include "source/proc/procfs.h"

/* Half a MiB per CPU is enough, because slow faults are rare. */
#define SUBBUF_SIZE (64u << 10)
#define SUBBUFS 8
/* The stream's time of the end of a fault may be off by as much: FLT_CLOCK_ERROR, and rounding. */
#define ROUNDING_NS 4096

static int open_list(struct lat_slowest *s, size_t room)
{
	s->slow = calloc(room, sizeof(*s->slow));
	if (!s->slow)
		return -ENOMEM;
	s->room = room;
	return 0;
}

static void close_list(struct lat_slowest *s)
{
	free(s->slow);
	*s = (struct lat_slowest){ 0 };
}

int lat_slowest_open(struct lat *l)
{
	int ret;

	if (!l->args->slowest)
		return 0;
	ret = open_list(&l->slowest, l->args->slowest);
	return ret ? ret : open_list(&l->reported, l->args->slowest);
}

void lat_slowest_close(struct lat *l)
{
	flt_stream_close(l->stream);
	names_close(&l->names);
	close_list(&l->slowest);
	close_list(&l->reported);
}

void lat_slowest_clear(struct lat *l)
{
	struct lat_slowest reported = l->slowest;

	l->slowest = l->reported;
	l->slowest.count = 0;
	l->reported = reported;
}

/*
 * Return true for the same fault from both sources. The stream rounds long latencies, and so its
 * times. The faults of a thread do not overlap, so the ends of two are further apart.
 */
static bool is_same_fault(const struct flt_slow *a, const struct flt_slow *b)
{
	const uint64_t apart = a->time > b->time ? a->time - b->time : b->time - a->time;

	return a->tid == b->tid && a->address == b->address && !((a->ns ^ b->ns) >> 10) &&
	       apart < (a->ns > ROUNDING_NS ? a->ns : ROUNDING_NS);
}

static struct flt_slow *find_slow(const struct lat_slowest *s, const struct flt_slow *slow)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (is_same_fault(&s->slow[i].slow, slow))
			return &s->slow[i].slow;
	return NULL;
}

/* Insert a fault if it is among the slowest. path may be NULL. */
static void offer(struct lat *l, const struct flt_slow *slow, const char *path)
{
	struct lat_slowest *s = &l->slowest;
	struct flt_slow *known = find_slow(s, slow);
	size_t at = s->count;

	if (known) {
		/* Only the module always has the name of the thread. */
		if (*slow->comm)
			memcpy(known->comm, slow->comm, sizeof(known->comm));
		return;
	}
	/*
	 * A fault that ends between the snapshot and the reading of the examples is in the report
	 * of this snapshot. The next one would have it again: from the stream, or from the
	 * module's list, which has all faults that ended after this snapshot.
	 */
	if (find_slow(&l->reported, slow))
		return;
	while (at && s->slow[at - 1].slow.ns < slow->ns)
		at--;
	if (at == s->room)
		return;
	if (s->count < s->room)
		s->count++;
	memmove(&s->slow[at + 1], &s->slow[at], (s->count - at - 1) * sizeof(*s->slow));
	s->slow[at].slow = *slow;
	snprintf(s->slow[at].path, sizeof(s->slow[at].path), "%s", path ? path : "");
}

int lat_slowest_stream(struct lat *l, const uint32_t *tgids, size_t count, bool follow,
		       struct flt_errmsg *e)
{
	const struct flt_stream_wish wish = { .subbuf_size = SUBBUF_SIZE, .subbufs = SUBBUFS,
					      .notes = true,
					      .filter = { .latency = l->args->slower,
							  .cgroup = l->members ?
							  flt_members_id(l->members) : 0 } };
	int ret = names_open(&l->names);

	if (ret)
		return ret;
	ret = flt_stream_open(&l->stream, l->control, tgids, count, follow, &wish, e);
	if (!ret)
		names_look(&l->names, tgids, count);
	return ret;
}

static void take_fault(struct lat *l, const struct flt_fault *f)
{
	const struct lat_slowest *s = &l->slowest;
	struct flt_slow slow = {
		.ns = f->latency,
		.time = f->time + f->latency,
		.address = f->address,
		.tgid = f->pid,
		.tid = f->tid,
		.kind = f->kind,
		.result = flt_fault_result(f),
		.attempts = f->attempts,
		.remote = f->flags & FLT_FAULT_REMOTE,
	};
	const char *comm;

	if (s->count == s->room && s->slow[s->count - 1].slow.ns >= slow.ns)
		return;
	comm = names_comm(&l->names, f);
	if (comm)
		snprintf(slow.comm, sizeof(slow.comm), "%s", comm);
	offer(l, &slow, names_path(&l->names, f));
}

static int on_fault(void *arg, struct flt_fault *fault)
{
	take_fault(arg, fault);
	return 0;
}

static int on_note(void *arg, const union flt_stream_note *head, const void *bytes)
{
	struct lat *l = arg;

	return names_note(&l->names, head, bytes);
}

int lat_slowest_read(struct lat *l, struct flt_errmsg *e)
{
	const struct flt_stream_sink sink = { .fault = on_fault, .note = on_note, .arg = l };

	return l->stream ? flt_stream_read(l->stream, &sink, e) : 0;
}

int lat_slowest_catch_up(struct lat *l, bool last, struct flt_errmsg *e)
{
	const struct flt_stream_sink sink = { .fault = on_fault, .note = on_note, .arg = l };
	struct flt_stream_end end;

	if (!l->stream)
		return 0;
	return last ? flt_stream_end(l->stream, &sink, &end, e) :
		      flt_stream_catch_up(l->stream, &sink, e);
}

int lat_slowest_lost(struct lat *l, struct flt_errmsg *e)
{
	struct flt_session session;
	int ret;

	if (!l->stream)
		return 0;
	ret = flt_control_session(l->control, flt_stream_session(l->stream), false, &session, e);
	if (ret)
		return ret;
	l->lost = session.lost;
	l->lost_notes = session.lost_notes;
	return 0;
}

static bool in_snapshot(const struct lat_snapshot *snapshot, const struct flt_slow *slow)
{
	size_t i;

	if (!snapshot->by_process)
		return true;
	for (i = 0; i < snapshot->rows.count; i++)
		if (snapshot->rows.row[i].tgid == slow->tgid &&
		    snapshot->rows.row[i].first <= slow->time)
			return true;
	return false;
}

int lat_slowest_kept(struct lat *l, const struct lat_snapshot *snapshot, uint64_t from,
		     struct flt_errmsg *e)
{
	struct flt_slows list = { 0 };
	size_t i;
	int ret;

	if (!l->slowest.room)
		return 0;
	ret = flt_control_slowest(l->control, l->why, &list, e);
	/* In a PID namespace, the list of the machine is not available. */
	if (ret == -EOPNOTSUPP)
		ret = 0;
	for (i = 0; i < list.count && !ret; i++)
		if (list.slow[i].time >= from && in_snapshot(snapshot, &list.slow[i]))
			offer(l, &list.slow[i], NULL);
	free(list.slow);
	/*
	 * Look up the files only of the faults that are in the list. The answer is best effort,
	 * because the process may have ended or mapped another file since the fault.
	 */
	for (i = 0; i < l->slowest.count && !ret; i++) {
		struct lat_slow *s = &l->slowest.slow[i];

		if (!s->slow.remote && !*s->path)
			flt_procfs_file_at(s->slow.tgid, s->slow.address, s->path, sizeof(s->path));
	}
	return ret;
}
