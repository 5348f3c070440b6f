// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "cmd/wss/wss.h"

#define SAMPLES_MAX 8192	/* some MB */

/*
 * Return true if the window of the sample is kept. All processes of a window are kept or
 * dropped together, because flt_wset_total() adds them up. The first window is always kept.
 */
static bool is_kept(const struct wss *w, const struct flt_sample *s)
{
	return !w->stride || !w->all.count || (s->nth - w->all.sample[0].nth) % w->stride == 0;
}

/* Drop every second window of those that are kept. */
static void drop_windows(struct wss *w)
{
	size_t i, kept = 0;

	w->stride = w->stride ? 2 * w->stride : 2;
	for (i = 0; i < w->all.count; i++) {
		if (!is_kept(w, &w->all.sample[i]))
			continue;
		w->all.sample[kept] = w->all.sample[i];
		w->taken[kept++] = w->taken[i];
	}
	w->all.count = kept;
}

int wss_history_add(struct wss *w, const struct flt_sample *s)
{
	const struct wss_method **taken;
	int ret;

	if (!w->room)
		w->room = SAMPLES_MAX;
	if (w->all.count >= w->room) {
		drop_windows(w);
		/* There are so many processes that a few windows fill the history. */
		if (w->all.count > w->room / 2)
			w->room *= 2;
	}
	if (!is_kept(w, s))
		return 0;
	ret = flt_samples_add(&w->all, s);
	if (ret)
		return ret;
	taken = reallocarray(w->taken, w->all.count, sizeof(*taken));
	if (!taken)
		return -ENOMEM;
	w->taken = taken;
	taken[w->all.count - 1] = w->step[w->at].method;
	return 0;
}

int wss_history_choose(const struct wss *w, uint32_t tgid, const struct wss_method *method,
	       struct flt_samples *out)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < w->all.count && !ret; i++)
		if ((!tgid || w->all.sample[i].tgid == tgid) && (!method || w->taken[i] == method))
			ret = flt_samples_add(out, &w->all.sample[i]);
	return ret;
}
