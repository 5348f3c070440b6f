// SPDX-License-Identifier: GPL-2.0-or-later
/* Working sets of the cgroups of --wss: the module scans them all the time, round by round. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "account/sample.h"
#include "cmd/export/export.h"
#include "source/netlink/control_wss.h"
#include "source/proc/cgroup.h"
#include "source/proc/cgroup_tree.h"
#include "source/proc/container.h"

/* Samples per process that the module keeps. The last complete round is enough. */
#define HISTORY 4

/* What is known about a cgroup. All sizes are of the last complete round. */
struct export_wset {
	const char *directory;
	bool told;		/* the user knows that the cgroup cannot be measured */
	char *path;		/* below the mount point of cgroup2; NULL: the cgroup is missing */
	uint64_t id;		/* of the cgroup, 0: missing */
	uint32_t tracker;	/* 0: none */
	uint64_t round, key;	/* last complete round, and its last sample */
	bool measured;
	uint64_t referenced, resident;	/* bytes */
	uint64_t window;	/* ns, longest window of a process */
	uint64_t processes, untracked;
};

struct export_wsets {
	size_t count;
	struct export_wset set[];
};

int export_wsets_new(struct export *x)
{
	const size_t count = x->args->wss.count;
	size_t i;

	x->wsets = calloc(1, sizeof(*x->wsets) + count * sizeof(x->wsets->set[0]));
	if (!x->wsets)
		return -ENOMEM;
	x->wsets->count = count;
	for (i = 0; i < count; i++)
		x->wsets->set[i].directory = x->args->wss.text[i];
	return 0;
}

static void forget(struct export_wset *w)
{
	free(w->path);
	*w = (struct export_wset){ .directory = w->directory, .told = w->told };
}

void export_wsets_free(struct export *x)
{
	size_t i;

	for (i = 0; x->wsets && i < x->wsets->count; i++)
		forget(&x->wsets->set[i]);
	free(x->wsets);
	x->wsets = NULL;
}

/* Ask the module to scan the cgroup, which has the given ID. */
static int track(struct export *x, struct export_wset *w, uint64_t id, struct flt_errmsg *e)
{
	const struct flt_wss_wish wish = {
		.interval = x->args->window,
		.history = HISTORY,
		.cgroup = id,
	};
	const char *path = flt_cgroup_tree_path(x->cgroups, id);
	int ret;

	/* The cgroup was made after the last walk of the tree. Try again in the next round. */
	if (!path)
		return 0;
	w->path = strdup(path);
	if (!w->path)
		return -ENOMEM;
	ret = flt_control_wss_track(x->control, NULL, 0, &wish, &w->tracker, e);
	if (ret) {
		forget(w);
		return ret;
	}
	w->id = id;
	return 0;
}

/*
 * Follow the directory: a service that is started again has a cgroup of the same name with another
 * ID. A missing directory is no error, because the service may be started later.
 */
static int follow(struct export *x, struct export_wset *w, struct flt_errmsg *e)
{
	struct flt_errmsg why = { "" };
	uint64_t id = 0;
	int ret = flt_cgroup_id(w->directory, &id, &why);

	if (ret && ret != -ENOENT) {
		*e = why;
		return ret;
	}
	if (id == w->id)
		return 0;
	if (w->tracker)
		flt_control_wss_untrack(x->control, w->tracker, NULL);
	forget(w);
	return id ? track(x, w, id, e) : 0;
}

int export_wsets_open(struct export *x, struct flt_errmsg *e)
{
	size_t i;
	int ret = 0;

	flt_cgroup_tree_round(x->cgroups);
	for (i = 0; i < x->wsets->count && !ret; i++) {
		/* Trackers of an earlier connection ended with it. */
		forget(&x->wsets->set[i]);
		ret = follow(x, &x->wsets->set[i], e);
	}
	return ret;
}

/* Add up the samples of the round. Earlier samples are not needed any more. */
static void take_round(struct export_wset *w, const struct flt_samples *samples, uint64_t round)
{
	size_t i;

	w->measured = true;
	w->round = round;
	w->referenced = w->resident = w->window = w->processes = 0;
	for (i = 0; i < samples->count; i++) {
		const struct flt_sample *s = &samples->sample[i];

		if (s->round > round)
			continue;
		if (s->key > w->key)
			w->key = s->key;
		if (s->round < round)
			continue;
		w->referenced += s->referenced;
		w->resident += s->rss;
		if (s->window > w->window)
			w->window = s->window;
		w->processes++;
	}
}

static int measure(struct export *x, struct export_wset *w)
{
	struct flt_samples samples = { 0 };
	struct flt_wss_tracker tracker;
	struct flt_errmsg why = { "" };
	int ret = follow(x, w, &why);

	/* All trackers of the module may be in use. Try again in the next round. */
	if (ret && !w->told)
		flt_command_say(x->command, "cannot measure %s: %s; trying again", w->directory,
				why.text[0] ? why.text : strerror(-ret));
	w->told = ret != 0;
	if (ret || !w->tracker)
		return 0;
	/* Read the number of rounds first, so that all samples of these rounds can be read. */
	ret = flt_control_wss_tracker(x->control, w->tracker, &tracker, &x->error);
	if (ret)
		return ret;
	w->untracked = tracker.untracked;
	if (tracker.rounds <= w->round)
		return 0;
	ret = flt_control_wss_samples(x->control, w->tracker, w->key, &samples, &x->error);
	/* The first round begins the first window and makes no samples. */
	if (!ret && tracker.rounds > 1)
		take_round(w, &samples, tracker.rounds);
	flt_samples_free(&samples);
	return ret;
}

int export_wsets_measure(struct export *x)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < x->wsets->count && !ret; i++)
		ret = measure(x, &x->wsets->set[i]);
	return ret;
}

static const struct family {
	const char *name, *help;
	size_t offset;
	bool is_time;
} families[] = {
#define FAMILY(name, member, is_time, help) \
	{ "flt_working_set_" name, help, offsetof(struct export_wset, member), is_time },
	FAMILY("bytes", referenced, false,
	       "memory that the processes of the cgroup used in their last window")
	FAMILY("resident_bytes", resident, false, "mapped memory of these processes")
	FAMILY("window_seconds", window, true, "the longest of these windows")
	FAMILY("processes", processes, false, "processes that were measured")
	FAMILY("untracked_processes", untracked, false,
	       "processes for which the module had no place")
#undef FAMILY
};

uint32_t export_wsets_series(const struct export_args *args)
{
	return (uint32_t)(args->wss.count * sizeof(families) / sizeof(families[0]));
}

void export_wsets_write(struct export *x, struct flt_metrics *m)
{
	const struct family *f;
	char name[FLT_CONTAINER_NAME];
	size_t i;

	for (f = families; f < families + sizeof(families) / sizeof(families[0]); f++) {
		flt_metrics_family(m, FLT_METRIC_GAUGE, f->name, f->help);
		for (i = 0; i < x->wsets->count; i++) {
			const struct export_wset *w = &x->wsets->set[i];
			struct flt_metric_label labels[3] = { { "cgroup", w->path }, { 0 } };
			uint64_t value;

			if (!w->measured)
				continue;
			if (flt_container_name(w->path, name))
				labels[1] = (struct flt_metric_label){ "container", name };
			memcpy(&value, (const char *)w + f->offset, sizeof(value));
			if (f->is_time)
				flt_metrics_seconds(m, labels, value);
			else
				flt_metrics_count(m, labels, value);
		}
	}
}
