// SPDX-License-Identifier: GPL-2.0-or-later
/* join.c - give the pages of the moments to the faults of a recording. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/rss/rss.h"
#include "source/proc/maps.h"

/* Return the image of a process at a time, or 0. */
static uint32_t image_at(const struct flt_recording *rec, uint32_t pid, uint64_t time)
{
	const struct flt_image *image;
	uint32_t id;

	for (id = rec->image_room; id-- > 1;) {
		image = flt_recording_image(rec, id);
		if (image && image->pid == pid && image->begin <= time)
			return id;
	}
	return 0;
}

/* Say where an image moved pages of a process, until the fork that made the process. */
static int add_moves(struct flt_moment *m, const struct flt_recording *rec, uint32_t process,
		     uint32_t image, uint64_t until)
{
	const struct flt_record_move *r;
	int ret = 0;

	for (r = rec->moves; !ret && r < rec->moves + rec->move_count; r++)
		if (r->head.image == image && r->head.time < until)
			ret = flt_moment_move(m, process, &(struct flt_resident_move){
				r->head.time, r->start, r->end, r->to });
	return ret;
}

/* Say which images explain the pages of a process: its own, and ancestors until the fork. */
static int add_ancestors(struct rss_joined *j, const struct flt_recording *rec,
			 struct flt_moment *m, uint32_t process)
{
	struct flt_resident_process *p = &m->processes[process];
	const struct flt_image *image;
	uint64_t until = UINT64_MAX;
	uint32_t id;
	int ret = 0;

	p->image = id = image_at(rec, p->pid, m->time);
	p->pages.around = j->around;
	while (!ret && id) {
		image = flt_recording_image(rec, id);
		ret = flt_moment_ancestor(m, id, process, until);
		if (!ret)
			ret = add_moves(m, rec, process, id, until);
		if (image->cause == FLT_IMAGE_FOUND)
			p->late = j->late = true;
		if (image->cause != FLT_IMAGE_FORK || image->parent >= id)
			break;
		until = image->begin;
		id = image->parent;
	}
	return ret;
}

static int prepare(struct rss_joined *j, const struct flt_recording *rec)
{
	size_t i;
	uint32_t k;
	int ret = 0;

	for (i = 0; !ret && i < j->count; i++) {
		for (k = 0; !ret && k < j->moments[i].moment.count; k++)
			ret = add_ancestors(j, rec, &j->moments[i].moment, k);
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
