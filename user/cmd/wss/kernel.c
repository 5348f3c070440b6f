// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cmd/wss/wss.h"
#include "source/proc/damon.h"
#include "source/proc/idle.h"
#include "source/proc/smaps.h"

static int refs_available(struct wss *w, struct flt_errmsg *e)
{
	(void)w;
	(void)e;
	return 0;
}

static int refs_join(struct wss *w, struct wss_target *t)
{
	return flt_smaps_clear(t->tgid, FLT_CLEAR_REFERENCED, &w->o.e);
}

static int refs_sample(struct wss *w, struct wss_target *t, struct flt_sample *s)
{
	int ret = flt_smaps_read(t->tgid, s, w->args->by == WSS_BY_VMA ? &w->areas : NULL, &w->o.e);

	if (!ret && !w->args->cumulative)
		ret = refs_join(w, t);
	return ret;
}

const struct wss_method wss_method_refs = {
	.name = "refs",
	.differs = "accessed bits and reclaim's marks, also set by other processes; misses pages "
		   "whose translation is cached by the CPU (huge pages)",
	.available = refs_available,
	.join = refs_join,
	.sample = refs_sample,
};

static int idle_available(struct wss *w, struct flt_errmsg *e)
{
	struct flt_idle *idle;
	int ret = flt_idle_open(&idle, e);

	(void)w;
	if (!ret)
		flt_idle_close(idle);
	return ret;
}

static int idle_join(struct wss *w, struct wss_target *t)
{
	return flt_idle_mark(w->idle, t->tgid, &w->o.e);
}

static int idle_begin(struct wss *w)
{
	return flt_idle_open(&w->idle, &w->o.e);
}

static int idle_sample(struct wss *w, struct wss_target *t, struct flt_sample *s)
{
	int ret = flt_idle_read(w->idle, t->tgid, s, &w->o.e);

	if (!ret && !w->args->cumulative)
		ret = idle_join(w, t);
	return ret;
}

static void idle_end(struct wss *w)
{
	flt_idle_close(w->idle);
	w->idle = NULL;
}

const struct wss_method wss_method_idle = {
	.name = "idle",
	.differs = "physical pages used by any process, also by read(2)",
	.available = idle_available,
	.begin = idle_begin,
	.join = idle_join,
	.sample = idle_sample,
	.end = idle_end,
};

static int damon_available(struct wss *w, struct flt_errmsg *e)
{
	if (w->args->pids.count > 1 || w->args->cgroup)
		return flt_errmsg_set(e, -EOPNOTSUPP, "damon watches only one process at a time");
	return flt_damon_available(e);
}

static int damon_begin(struct wss *w)
{
	struct wss_target *t = NULL;
	size_t live = wss_targets_live(w, &t);

	if (!live)
		return -ESRCH;
	if (live > 1)
		return flt_errmsg_set(&w->o.e, -EOPNOTSUPP, "damon watches only one process at a "
				      "time, not %zu", live);
	return flt_damon_open(&w->damon, t->tgid, wss_window(w), &w->o.e);
}

static int damon_sample(struct wss *w, struct wss_target *t, struct flt_sample *s)
{
	(void)t;
	return flt_damon_read(w->damon, s, &w->o.e);
}

static void damon_end(struct wss *w)
{
	flt_damon_close(w->damon);
	w->damon = NULL;
}

const struct wss_method wss_method_damon = {
	.name = "damon",
	.differs = "an estimate: one page per region is checked",
	.available = damon_available,
	.begin = damon_begin,
	.sample = damon_sample,
	.alone = true,
	.end = damon_end,
};
