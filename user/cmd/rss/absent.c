// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * absent.c - processes that were recorded, but that a moment lacks: descendants are found from
 * parent to child, so a process whose parent ended is not.
 *
 * A process that a moment lacks may have been ending, without memory. One that has a fault or an
 * exec later, that ends a second later, or that has memory now, had memory then.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd/rss/rss.h"
#include "source/proc/procfs.h"
#include "text/units.h"

void rss_absent_fault(struct rss_joined *j, const struct flt_fault *f)
{
	if (f->image < j->alive_count && j->alive[f->image] < f->time)
		j->alive[f->image] = f->time;
}

static bool has_memory(uint32_t pid)
{
	uint64_t rss, read;

	return !flt_procfs_memory(pid, 0, &rss, &read) && rss;
}

int rss_absent_begin(struct rss_joined *j, const struct flt_recording *rec)
{
	const struct flt_image *image, *before;
	uint32_t id;

	j->alive = calloc(rec->image_room + 1, sizeof(*j->alive));
	if (!j->alive)
		return -ENOMEM;
	j->alive_count = rec->image_room;
	for (id = 1; id < rec->image_room; id++) {
		image = flt_recording_image(rec, id);
		if (!image)
			continue;
		if (!image->end && has_memory(image->pid))
			j->alive[id] = UINT64_MAX;
		else if (image->end > FLT_NSEC_PER_SEC)
			j->alive[id] = image->end - FLT_NSEC_PER_SEC;
		before = flt_recording_image(rec, image->parent);
		if (image->cause == FLT_IMAGE_EXEC && before && j->alive[before->id] < image->begin)
			j->alive[before->id] = image->begin;
	}
	return 0;
}

static bool has_process(const struct flt_moment *m, uint32_t pid)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (m->processes[i].pid == pid)
			return true;
	return false;
}

/* Report the processes that a moment lacks. Return true if there are any. */
static bool report(const struct rss_joined *j, const struct rss_moment *m)
{
	const struct flt_recording *rec = j->load.rec;
	const struct flt_image *image, *first = NULL;
	uint32_t id, n = 0;

	for (id = 1; id < j->alive_count; id++) {
		image = flt_recording_image(rec, id);
		if (!image || image->begin > m->moment.time || j->alive[id] <= m->moment.time ||
		    has_process(&m->moment, image->pid))
			continue;
		first = first ? first : image;
		n++;
	}
	if (n)
		flt_command_say(j->run->command, "%s: missing processes whose parents ended: %u, "
				"such as PID %u, %s (give their PIDs to -p, or use --cgroup)",
				m->label, n, first->pid, first->comm);
	return n;
}

int rss_absent_verdict(const struct rss_joined *j)
{
	bool any = false;
	size_t i;

	for (i = 0; i < j->count; i++)
		any |= report(j, &j->moments[i]);
	return any ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}
