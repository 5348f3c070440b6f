// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "text/clock.h"
#include "cmd/wss/wss.h"
#include "source/proc/cgroup.h"
#include "source/proc/procfs.h"
#include "source/proc/softdirty.h"
#include "text/units.h"

/* Error of the start time in /proc, which is in ticks of 10 ms. */
#define BEGUN_WITHIN (10 * FLT_NSEC_PER_MSEC)

static struct wss_target *find(struct wss *w, uint32_t tgid)
{
	size_t i;

	for (i = 0; i < w->targets; i++)
		if (w->target[i].tgid == tgid && !w->target[i].ended)
			return &w->target[i];
	return NULL;
}

/* Add a target. This invalidates pointers to other targets. */
static int add(struct wss *w, uint32_t tgid, struct wss_target **out)
{
	struct wss_target *more = reallocarray(w->target, w->targets + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	w->target = more;
	*out = &more[w->targets++];
	**out = (struct wss_target){ .tgid = tgid };
	return 0;
}

/* Add the new processes of the cgroup. Set .listed of all targets that are in the cgroup. */
static int list_cgroup(struct wss *w)
{
	struct wss_target *t;
	uint32_t *tgids;
	size_t count, i;
	int ret = flt_cgroup_processes(w->args->cgroup, &tgids, &count, &w->o.e);

	if (ret == -ENOENT) {
		w->cgroup_gone = true;
		return 0;
	}
	if (ret)
		return ret;
	for (i = 0; i < w->targets; i++)
		w->target[i].listed = false;
	for (i = 0; i < count && !ret; i++) {
		t = find(w, tgids[i]);
		if (!t)
			ret = add(w, tgids[i], &t);
		if (!ret)
			t->listed = true;
	}
	free(tgids);
	return ret;
}

/* Add a child that began after the run did. */
static int add_child(void *arg, uint32_t tgid)
{
	struct wss *w = arg;
	struct wss_target *t;
	struct flt_row row;

	if (find(w, tgid) || flt_procfs_row(tgid, 0, &row) || row.ended ||
	    row.start + BEGUN_WITHIN < w->since)
		return 0;
	return add(w, tgid, &t);
}

/* Add all descendants of the targets. The loop also visits the targets that it adds. */
static int add_descendants(struct wss *w)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < w->targets && !ret; i++) {
		if (!w->target[i].ended)
			ret = flt_procfs_children(w->target[i].tgid, add_child, w);
		if (ret == -ESRCH)
			ret = 0;
	}
	w->childless = ret == -EOPNOTSUPP;
	return w->childless ? 0 : ret;
}

static bool follows(const struct wss *w)
{
	return w->o.child.pid || w->args->follow;
}

int wss_targets_bind(struct wss *w)
{
	const uint32_t child = (uint32_t)w->o.child.pid;
	struct wss_target *t;
	struct flt_row row;
	size_t i, count = child ? 1 : w->args->pids.count;
	int ret = 0;

	w->since = flt_clock_ns(CLOCK_BOOTTIME);
	if (w->args->cgroup)
		return list_cgroup(w);
	for (i = 0; i < count && !ret; i++) {
		ret = add(w, child ? child : w->args->pids.id[i], &t);
		if (!ret) {
			t->asked = true;
			ret = flt_procfs_row(t->tgid, 0, &row);
		}
		if (ret)
			flt_errmsg_set(&w->o.e, ret, "invalid PID %" PRIu32 ": no such process",
				       child ? child : w->args->pids.id[i]);
	}
	return ret;
}

/*
 * Handle the error of joining a target. A child may have changed its user, so that it is not
 * readable: count it and continue with the other targets. Return 0 or the error.
 */
static int handle_join_error(struct wss *w, struct wss_target *t, int err)
{
	if (t->asked || (err != -EACCES && err != -EPERM))
		return err;
	t->refused = true;
	w->refused++;
	return 0;
}

/*
 * Begin the first window of a target. @born: start (CLOCK_MONOTONIC ns) of a child that began
 * during the last window, else 0.
 */
static int join(struct wss *w, struct wss_target *t, uint64_t born)
{
	const struct wss_method *m = w->step[w->at].method;
	struct flt_sample none = { 0 };
	int ret = 0;

	if (m->join)
		ret = m->join(w, t);
	t->begun = flt_clock_ns(CLOCK_MONOTONIC);
	/* The account of a new child begins with its birth, so its window does, too. */
	if (born && m == &wss_method_fault) {
		t->begun = born;
		t->counted = true;
	} else {
		wss_faults(w, t, &none);
	}
	if (!ret && w->args->written)
		ret = flt_softdirty_clear(t->tgid, &w->o.e);
	t->watched = !ret && w->args->written;
	if (ret == -ESRCH) {
		t->ended = true;
		ret = 0;
	}
	return handle_join_error(w, t, ret);
}

int wss_targets_join(struct wss *w)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < w->targets && !ret; i++)
		if (!w->target[i].ended && !w->target[i].refused)
			ret = join(w, &w->target[i], 0);
	return ret;
}

int wss_targets_find(struct wss *w)
{
	struct flt_row row;
	size_t i;
	int ret = 0;

	if (w->args->cgroup)
		ret = list_cgroup(w);
	else if (follows(w))
		ret = add_descendants(w);
	for (i = 0; i < w->targets && !ret && !w->cgroup_gone; i++) {
		struct wss_target *t = &w->target[i];

		if (w->args->cgroup)
			t->ended |= !t->listed;
		else if (!t->ended)
			t->ended = flt_procfs_row(t->tgid, 0, &row) || row.ended;
	}
	return ret;
}

/*
 * Return the start of a new target, or 0 if it is unknown or if the target may have faulted
 * outside the cgroup before.
 */
static uint64_t born_at(const struct wss *w, const struct wss_target *t)
{
	struct flt_row row;
	uint64_t age;

	if (w->args->cgroup || flt_procfs_row(t->tgid, 0, &row))
		return 0;
	age = flt_clock_ns(CLOCK_BOOTTIME) - row.start;
	return flt_clock_ns(CLOCK_MONOTONIC) - age;
}

int wss_targets_renew(struct wss *w)
{
	size_t i, known = w->targets;
	int ret = wss_targets_find(w);

	for (i = known; i < w->targets && !ret && !w->cgroup_gone; i++)
		ret = join(w, &w->target[i], born_at(w, &w->target[i]));
	return ret;
}

size_t wss_targets_live(const struct wss *w, struct wss_target **first)
{
	size_t i, live = 0;

	for (i = 0; i < w->targets; i++)
		if (!w->target[i].ended && !live++)
			*first = &w->target[i];
	return live;
}

/*
 * Return true if a target has ended. The module does not report the end of a process that the
 * tracker found by itself, so a target without a sample for two windows counts as ended. If
 * the sample was only late, the next sample adds the target again.
 */
static bool is_gone(const struct wss *w, const struct wss_target *t)
{
	return t->ended || (w->step[w->at].method->collect && !t->asked &&
			    t->seen + 2 < w->before + w->windows);
}

void wss_targets_drop(struct wss *w)
{
	size_t i, kept = 0;

	for (i = 0; i < w->targets; i++)
		if (!is_gone(w, &w->target[i]))
			w->target[kept++] = w->target[i];
	w->targets = kept;
}

int wss_targets_of(struct wss *w, uint32_t tgid, struct wss_target **out)
{
	*out = find(w, tgid);
	return *out ? 0 : add(w, tgid, out);
}

/*
 * The bits of a process that the tracker found by itself are first cleared at its first
 * sample. So written bytes are known from its second sample on.
 */
int wss_targets_written(struct wss *w, struct wss_target *t, struct flt_sample *s)
{
	int ret = 0;

	if (t->watched) {
		ret = flt_softdirty_read(s->tgid, &s->written, &w->o.e);
		if (!ret)
			s->has |= FLT_SAMPLE_WRITTEN;
	}
	if (!ret && !w->args->cumulative)
		ret = flt_softdirty_clear(s->tgid, &w->o.e);
	if (!ret)
		t->watched = true;
	return ret == -ESRCH ? 0 : ret;
}
