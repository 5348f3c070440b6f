// SPDX-License-Identifier: GPL-2.0-or-later
/* join.c - give the pages of the moments to the faults of a recording. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/rss/rss.h"
#include "source/proc/maps.h"

static int prepare(struct rss_joined *j, const struct flt_recording *rec)
{
	size_t i;
	uint32_t k;
	int ret = 0;

	for (i = 0; !ret && i < j->count; i++) {
		for (k = 0; !ret && k < j->moments[i].moment.count; k++)
			ret = rss_ancestors_add(j, rec, &j->moments[i].moment, k);
		if (!ret)
			ret = flt_moment_begin(&j->moments[i].moment);
	}
	return ret;
}

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct rss_joined *j = arg;
	uint32_t place;
	size_t i, k;
	int ret = 0;

	for (i = 0; !ret && i < n; i++) {
		place = 0;
		rss_absent_fault(j, &faults[i]);
		for (k = 0; !ret && k < j->count; k++) {
			if (!flt_moment_needs(&j->moments[k].moment, &faults[i]))
				continue;
			if (!place)
				ret = flt_recording_place(load->rec, faults[i].image, faults[i].ip,
							  &place);
			if (!ret)
				ret = flt_moment_fault(&j->moments[k].moment, &faults[i], place);
		}
	}
	return ret;
}

static void end(struct rss_joined *j)
{
	bool complete = !j->load.damaged && !j->load.skipped;
	size_t i;

	for (i = 0; i < FLT_LOSS_MAX; i++)
		complete = complete && !j->load.lost[i];
	for (i = 0; i < j->count; i++)
		flt_moment_end(&j->moments[i].moment, complete);
}

int rss_join(struct rss_joined *j, const char *path)
{
	const struct rss_args *args = j->run->args;
	uint32_t nobody = 0;
	struct flt_load images = { .progress = NULL };
	int status, ret;

	/* A child may be younger than the faults that explain its pages: read the images first. */
	status = flt_load_file(&images, j->run->command, path, NULL, NULL);
	j->around = flt_maps_around();
	ret = status ? 0 : prepare(j, images.rec);
	if (!status && !ret)
		ret = rss_absent_begin(j, images.rec);
	flt_load_free(&images);
	if (status)
		return status;
	if (!ret) {
		status = flt_load_file(&j->load, j->run->command, path, on_faults, j);
		if (status)
			return status;
		end(j);
	}
	for (; !ret && nobody < __FLT_RESIDENT_NOBODIES; nobody++)
		ret = flt_recording_place(j->load.rec, 1, nobody, &j->nobody[nobody]);
	if (!ret)
		ret = flt_symbols_new(&j->symbols, j->load.rec, &args->symbols);
	return ret ? flt_command_fail(j->run->command, NULL, ret) : FLT_EXIT_DONE;
}

void rss_joined_free(struct rss_joined *j)
{
	flt_symbols_free(j->symbols);
	flt_load_free(&j->load);
	free(j->alive);
}
