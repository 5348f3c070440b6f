// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/wss/wss.h"
#include "source/proc/cgroup.h"
#include "source/netlink/control.h"
#include "source/netlink/control_wss.h"
#include "source/proc/machine.h"

#define TRACK_TRIES 8

/* Return 0, or the error of opening the module, with its message unless e is NULL. */
static int require_module(struct wss *w, struct flt_errmsg *e)
{
	if (w->control)
		return 0;
	if (e)
		*e = w->control_message;
	return w->control_error;
}

/*
 * Use the same formula as the module's own samples (FLT_WSS_FIRST_TOUCH): one page per first
 * touch. Pages that the fault mapped around the address do not count.
 */
void wss_faults(struct wss *w, struct wss_target *t, struct flt_sample *s)
{
	const uint64_t page = 1ull << w->page.shift;
	uint64_t first_touch, refault, major, swap;
	const uint64_t *k;
	struct flt_row row;

	if (s->has & FLT_SAMPLE_FAULTS || require_module(w, NULL))
		return;
	if (flt_control_proc(w->control, t->tgid, true, &row, NULL)) {
		/* The process has no row, because it has not faulted since accounting began. */
		row = (struct flt_row){ 0 };
	}
	k = row.account.kinds;
	first_touch = k[FLT_KIND_ANON] + k[FLT_KIND_FILE] + k[FLT_KIND_SHARED] + k[FLT_KIND_COW];
	first_touch = (first_touch + k[FLT_KIND_HUGE] * w->page.huge) * page;
	major = row.account.major * page;
	swap = k[FLT_KIND_SWAP] * page;
	refault = swap > major ? swap : major;
	if (t->counted && first_touch >= t->first_touch) {
		s->first_touch = first_touch - t->first_touch;
		s->refault = refault - t->refault;
		s->major = major - t->major;
		s->has |= FLT_SAMPLE_FAULTS;
	}
	/* A cumulative window keeps the totals of its beginning. */
	if (t->counted && w->args->cumulative)
		return;
	t->counted = true;
	t->first_touch = first_touch;
	t->refault = refault;
	t->major = major;
}

static int has_feature(struct wss *w, uint32_t feature, const char *missing, struct flt_errmsg *e)
{
	struct flt_info info;
	int ret = require_module(w, e);

	if (!ret)
		ret = flt_control_info(w->control, &info, e);
	if (!ret && !(info.features & feature))
		ret = flt_errmsg_set(e, -EOPNOTSUPP, "%s", missing);
	return ret;
}

static int scan_available(struct wss *w, struct flt_errmsg *e)
{
	return has_feature(w, FLT_FEATURE_WSS, "the flt module cannot scan page tables on this "
					       "kernel",
			   e);
}

/* Create a tracker of all live targets. Return -ESRCH if a target has ended. */
static int track(struct wss *w, const struct flt_wss_wish *wish)
{
	uint32_t tgids[FLT_SESSION_TGIDS_MAX];
	size_t i, count = 0;

	w->unlisted = 0;
	for (i = 0; i < w->targets && !wish->cgroup; i++) {
		if (w->target[i].ended)
			continue;
		if (count < FLT_SESSION_TGIDS_MAX)
			tgids[count++] = w->target[i].tgid;
		else
			w->unlisted++;
	}
	if (!count && !wish->cgroup)
		return -ESRCH;
	return flt_control_wss_track(w->control, tgids, count, wish, &w->tracker, &w->o.e);
}

static int scan_begin(struct wss *w)
{
	struct flt_wss_wish wish = {
		.interval = wss_window(w),
		.budget = (uint32_t)w->args->budget,
		.follow = w->o.child.pid || w->args->follow,
		.inject = w->step[w->at].method == &wss_method_inject,
	};
	int ret = 0, tries = 0;

	w->key = 0;
	w->received = 0;
	w->lost_before = w->lost;
	if (w->args->cgroup)
		ret = flt_cgroup_id(w->args->cgroup, &wish.cgroup, &w->o.e);
	if (!ret)
		ret = track(w, &wish);
	/* A child may have ended after it was found: update the list and try again. */
	while (ret == -ESRCH && w->at && tries++ < TRACK_TRIES) {
		ret = wss_targets_find(w);
		if (!ret)
			ret = track(w, &wish);
	}
	return ret;
}

static int scan_collect(struct wss *w, struct flt_samples *out)
{
	struct flt_wss_tracker tracker;
	size_t i;
	int ret;

	/*
	 * Read the counters of the tracker before its samples. Every sample counted by then is
	 * either received below or lost.
	 */
	ret = flt_control_wss_tracker(w->control, w->tracker, &tracker, &w->o.e);
	if (!ret)
		ret = flt_control_wss_samples(w->control, w->tracker, w->key, out, &w->o.e);
	if (ret)
		return ret;
	for (i = 0; i < out->count; i++)
		if (out->sample[i].key > w->key)
			w->key = out->sample[i].key;
	w->received += out->count;
	if (tracker.samples > w->received &&
	    w->lost < w->lost_before + tracker.samples - w->received)
		w->lost = w->lost_before + tracker.samples - w->received;
	w->untracked = w->unlisted + tracker.untracked;
	w->rounds = tracker.rounds;
	/* New processes may still enter an empty cgroup, until the cgroup is removed. */
	if (!tracker.live && w->args->cgroup)
		w->cgroup_gone = access(w->args->cgroup, F_OK) != 0;
	if (w->args->cgroup ? w->cgroup_gone : !tracker.live && !w->o.child.pid)
		flt_loop_stop(w->o.loop);
	return 0;
}

static void scan_end(struct wss *w)
{
	struct flt_wss_tracker tracker;

	if (!flt_control_wss_tracker(w->control, w->tracker, &tracker, NULL))
		flt_hist_buckets(&w->holds, tracker.holds);
	flt_control_wss_untrack(w->control, w->tracker, NULL);
	w->tracker = 0;
}

const struct wss_method wss_method_scan = {
	.name = "scan",
	.differs = "accessed bits, at the size of the mapping; pages mapped around a fault count "
		   "once",
	.available = scan_available,
	.begin = scan_begin,
	.collect = scan_collect,
	.end = scan_end,
};

static int inject_available(struct wss *w, struct flt_errmsg *e)
{
	return has_feature(w, FLT_FEATURE_INJECT, "the flt module cannot make pages fault on this "
			   "kernel: it needs CONFIG_NUMA_BALANCING and no "
			   "CONFIG_PAGE_TABLE_CHECK (use scan)", e);
}

static int inject_begin(struct wss *w)
{
	int64_t balancing;

	w->balancing = !flt_machine_number("/proc/sys/kernel/numa_balancing", &balancing) &&
		       balancing;
	return scan_begin(w);
}

const struct wss_method wss_method_inject = {
	.name = "inject",
	.differs = "one fault per used page: exact, but slows the process; skips pages that are "
		   "shared for copy-on-write",
	.available = inject_available,
	.begin = inject_begin,
	.collect = scan_collect,
	.end = scan_end,
};

/* Do nothing: wss_faults() fills in the faults for every method. */
static int fault_sample(struct wss *w, struct wss_target *t, struct flt_sample *s)
{
	(void)w;
	(void)t;
	(void)s;
	return 0;
}

const struct wss_method wss_method_fault = {
	.name = "fault",
	.differs = "only pages that were not mapped before: a lower bound, 0 for pages that stay "
		   "mapped",
	.available = require_module,
	.sample = fault_sample,
};
