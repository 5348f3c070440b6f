// SPDX-License-Identifier: GPL-2.0-or-later
/* ancestors.c - images whose faults and moves explain the pages of a process. */
#include <string.h>

#include "cmd/rss/rss.h"

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

/*
 * Say where an image replaced mappings. The module's stream reports a mapping at its first fault,
 * and maybe after the beginning of this fault. But with the module all faults are seen.
 */
static int add_replaced(struct flt_moment *m, const struct flt_recording *rec, uint32_t process,
			uint32_t image, uint64_t until)
{
	const char *engine = flt_recording_info(rec, "engine");
	const struct flt_record_unmap *r;
	struct flt_resident_move move;
	uint32_t i;
	int ret = 0;

	if (!engine || strcmp(engine, "perf"))
		return 0;
	for (i = 0; !ret && i < rec->replaced_count; i++) {
		r = &rec->replaced[i];
		move = flt_resident_replaced(r->head.time, r->start, r->end);
		if (r->head.image == image && r->head.time < until)
			ret = flt_moment_move(m, process, &move);
	}
	return ret;
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

int rss_ancestors_add(struct rss_joined *j, const struct flt_recording *rec, struct flt_moment *m,
		      uint32_t process)
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
		if (!ret)
			ret = add_replaced(m, rec, process, id, until);
		if (image->cause == FLT_IMAGE_FOUND)
			p->late = j->late = true;
		if (image->cause != FLT_IMAGE_FORK || image->parent >= id)
			break;
		until = image->begin;
		id = image->parent;
	}
	return ret;
}
