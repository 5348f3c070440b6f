// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "cmd/wss/wss.h"
#include "observe/cgroups.h"

/* Values that flt_wset_total() adds up. */
#define SUMS (FLT_SAMPLE_RSS | FLT_SAMPLE_PSS | FLT_SAMPLE_REFERENCED | FLT_SAMPLE_KINDS |         \
	      FLT_SAMPLE_FAULTS)

/* Samples of a cgroup whose windows are not written yet. */
struct group {
	uint64_t id;
	struct flt_samples pending;
};

struct wss_cgroups {
	struct flt_cgroups *all;
	struct group *group;
	size_t count;
};

int wss_cgroups_open(struct wss *w, struct flt_errmsg *e)
{
	if (w->args->by != WSS_BY_CGROUP)
		return 0;
	w->cgroups = calloc(1, sizeof(*w->cgroups));
	return w->cgroups ? flt_cgroups_open(&w->cgroups->all, w->control, e) : -ENOMEM;
}

void wss_cgroups_close(struct wss *w)
{
	struct wss_cgroups *c = w->cgroups;
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->count; i++)
		flt_samples_free(&c->group[i].pending);
	flt_cgroups_close(c->all);
	free(c->group);
	free(c);
}

int wss_cgroups_add(struct wss *w, const struct flt_sample *s)
{
	struct wss_cgroups *c = w->cgroups;
	const uint64_t id = flt_cgroups_of(c->all, s->tgid);
	struct group *more;
	size_t i;

	for (i = 0; i < c->count; i++)
		if (c->group[i].id == id)
			return flt_samples_add(&c->group[i].pending, s);
	more = reallocarray(c->group, c->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	c->group = more;
	more[c->count] = (struct group){ .id = id };
	return flt_samples_add(&more[c->count++].pending, s);
}

/* Return the values that all samples of the window have. */
static uint32_t known_in(const struct flt_samples *samples, uint64_t window)
{
	uint32_t has = SUMS;
	size_t i;

	for (i = 0; i < samples->count; i++)
		if (samples->sample[i].nth == window)
			has &= samples->sample[i].has;
	return has;
}

static int write_group(struct wss *w, struct group *g, uint64_t until)
{
	struct flt_samples *pending = &g->pending, total = { 0 };
	struct flt_cgroup_name name;
	size_t i, kept = 0;
	int ret;

	if (!pending->count)
		return 0;
	flt_cgroups_name(w->cgroups->all, g->id, &name);
	ret = flt_wset_total(pending, &total);
	for (i = 0; !ret && i < total.count && total.sample[i].nth <= until; i++) {
		total.sample[i].has = known_in(pending, total.sample[i].nth);
		ret = wss_rows_cgroup(w, &total.sample[i], name.path, name.name);
	}
	flt_samples_free(&total);
	for (i = 0; i < pending->count; i++)
		if (pending->sample[i].nth > until)
			pending->sample[kept++] = pending->sample[i];
	pending->count = kept;
	return ret;
}

int wss_cgroups_write(struct wss *w, uint64_t until)
{
	struct wss_cgroups *c = w->cgroups;
	size_t i;
	int ret = 0;

	if (!c)
		return 0;
	flt_cgroups_round(c->all);
	for (i = 0; i < c->count && !ret; i++)
		ret = write_group(w, &c->group[i], until);
	return ret;
}
