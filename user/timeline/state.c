// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/proc/maps.h"
#include "source/proc/procfs.h"
#include "timeline/map_record.h"

/* Bytes for the name of a thread after the records that flt_images makes. */
#define COMM_ROOM 24

struct timeline_image *timeline_image(const struct flt_timeline *t, uint32_t image)
{
	return image && image <= t->count ? &t->image[image - 1] : NULL;
}

static uint32_t pid_of(const struct flt_timeline *t, uint32_t image)
{
	const struct timeline_image *i = timeline_image(t, image);

	return i ? i->pid : 0;
}

static int image_add(struct flt_timeline *t, const struct flt_record_image *r)
{
	const struct timeline_image *parent = timeline_image(t, r->parent);
	struct timeline_image *more;
	bool forked = r->cause == FLT_IMAGE_FORK, lacks_stack;
	size_t room;

	if (t->count == t->room) {
		room = t->room ? t->room * 2 : 64;
		more = reallocarray(t->image, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		t->image = more;
		t->room = room;
		parent = timeline_image(t, r->parent);
	}
	/* perf does not report the main stack. A process that was found has it from /proc. */
	lacks_stack = t->setup.perf && r->cause != FLT_IMAGE_FOUND;
	if (forked && parent)
		lacks_stack = parent->lacks_stack;
	t->image[t->count++] = (struct timeline_image){
		.pid = r->pid, .lacks_stack = lacks_stack,
		.bare = t->setup.perf && !forked && r->cause != FLT_IMAGE_FOUND,
	};
	if (!t->touches)
		return 0;
	return flt_touches_image(t->touches, r->head.image, forked ? r->parent : 0);
}

static void image_ended(struct flt_timeline *t, uint32_t image)
{
	if (!pid_of(t, image))
		return;
	t->image[image - 1].pid = 0;
	if (t->touches)
		flt_touches_end(t->touches, image);
	if (t->setup.writer)
		flt_file_image_done(t->setup.writer, image);
}

static int keep(struct flt_timeline *t, const struct flt_record *r)
{
	return t->rec ? flt_recording_record(t->rec, r) : 0;
}

/* Regions alone need neither build-ids nor mappings without faults. */
static bool needs_all_maps(const struct flt_timeline *t)
{
	return t->setup.writer || t->rec;
}

/* Fill in the name of a process that ran before its first note: flt_images does not know it. */
static void comm_complete(char *comm, uint32_t tid)
{
	if (!*comm)
		flt_maps_comm(tid, comm, COMM_ROOM);
}

static int on_image(struct flt_timeline *t, struct flt_record_image *r)
{
	char *comm = (char *)(r + 1);
	uint32_t id = r->head.image;
	int ret = 0;

	comm_complete(comm, r->pid);
	if (t->setup.writer)
		ret = flt_file_image(t->setup.writer, r->head.time, r->pid, r->ppid, r->parent,
				     (enum flt_image_cause)r->cause, comm, &id);
	/* The writer numbers images from 1, too, and gets all of them from here. */
	if (!ret && id != r->head.image)
		ret = -EINVAL;
	/* The parent of the command alone has no image: it is this program. */
	if (!ret && t->setup.writer)
		ret = flt_file_cgroup_read(t->setup.writer, r->head.time, id, r->pid,
					   r->pid == t->setup.command ? (uint32_t)getpid() : 0);
	/*
	 * In regions, the image of an exec inherits mappings, too: the module does not repeat the
	 * note of a mapping that the new program has at the same place.
	 */
	if (!ret && t->setup.regions)
		ret = flt_regions_image(t->setup.regions, id, r->parent, r->pid, comm);
	if (!ret && r->cause == FLT_IMAGE_EXEC)
		image_ended(t, r->parent);
	if (!ret)
		ret = image_add(t, r);
	return ret ? ret : keep(t, &r->head);
}

int timeline_map(struct flt_timeline *t, struct flt_record_map *map)
{
	struct timeline_image *image = timeline_image(t, map->head.image);
	const char *name = (const char *)(map + 1);
	int ret = 0;

	if (image)
		image->bare = false;
	if (t->setup.code_only && !(map->flags & FLT_MAP_EXEC))
		return 0;
	if (map->flags & FLT_MAP_EXEC && needs_all_maps(t))
		flt_build_ids_set(&t->ids, pid_of(t, map->head.image), map, name);
	if (t->setup.writer)
		ret = flt_file_map(t->setup.writer, map, name);
	if (!ret && t->setup.regions)
		ret = flt_timeline_region_map(t->setup.regions, map, name);
	/* The heap is reported each time it grows. */
	if (t->touches && strcmp(name, "[heap]"))
		flt_touches_map(t->touches, map->head.image, map->start, map->end, !map->inode);
	/* A recording that only serves to unwind needs code alone. */
	if (!t->setup.in_memory && !(map->flags & FLT_MAP_EXEC))
		return ret;
	return ret ? ret : keep(t, &map->head);
}

/*
 * The kernel takes perf's events from a thread that executes a program with other rights
 * (begin_new_exec()): after the exec, the thread seems to exit, before it mapped the program.
 */
static void note_rights(struct flt_timeline *t, uint32_t number)
{
	const struct timeline_image *image = timeline_image(t, number);

	if (image && image->bare && t->setup.writer)
		flt_file_lost(t->setup.writer, FLT_LOSS_RIGHTS, 1);
}

static int on_exit_of(struct flt_timeline *t, const struct flt_record_exit *r)
{
	int ret = 0;

	note_rights(t, r->head.image);
	if (t->setup.writer)
		ret = flt_file_exit(t->setup.writer, r->head.time, r->head.image, r->head.tid,
				    r->status);
	if (!r->head.tid)
		image_ended(t, r->head.image);
	return ret ? ret : keep(t, &r->head);
}

static int on_thread(struct flt_timeline *t, struct flt_record *r)
{
	char *comm = (char *)(r + 1);
	int ret = 0;

	comm_complete(comm, r->tid);
	if (t->setup.writer && r->type == FLT_RECORD_THREAD)
		ret = flt_file_thread(t->setup.writer, r->time, r->image, r->tid, comm);
	else if (t->setup.writer)
		ret = flt_file_comm(t->setup.writer, r->time, r->image, r->tid, comm);
	return ret ? ret : keep(t, r);
}

static int on_move(struct flt_timeline *t, const struct flt_record_move *r)
{
	int ret = t->setup.writer ? flt_file_move(t->setup.writer, r) : 0;

	return ret ? ret : keep(t, &r->head);
}

static int on_image_record(void *arg, struct flt_record *r)
{
	switch (r->type) {
	case FLT_RECORD_IMAGE:
		return on_image(arg, (struct flt_record_image *)r);
	case FLT_RECORD_MAP:
		return timeline_map(arg, (struct flt_record_map *)r);
	case FLT_RECORD_MOVE:
		return on_move(arg, (const struct flt_record_move *)r);
	case FLT_RECORD_EXIT:
		return on_exit_of(arg, (const struct flt_record_exit *)r);
	default:
		return on_thread(arg, r);
	}
}

struct found {
	struct flt_timeline *t;
	uint64_t time;
	uint32_t image;
};

static int on_mapped(void *arg, const struct flt_maps_entry *e)
{
	const struct found *f = arg;
	struct map_record m;

	return map_record_fill(&m, e, f->time, f->image) ? timeline_map(f->t, &m.map) : 0;
}

static int count_one(void *arg, uint32_t tid)
{
	(void)tid;
	++*(uint32_t *)arg;
	return 0;
}

static int on_found(void *arg, uint64_t time, uint32_t image, uint32_t pid, uint32_t *threads)
{
	struct flt_timeline *t = arg;
	struct found found = { t, time, image };
	int ret;

	*threads = 0;
	ret = t->setup.writer ? flt_file_threads_read(t->setup.writer, time, image, pid, threads) :
	      flt_procfs_each(pid, count_one, threads);
	if (!ret && needs_all_maps(t))
		ret = flt_maps_read(pid, on_mapped, &found);
	/* Kernel threads and processes that have ended have no mappings. */
	return ret == -ESRCH || ret == -EACCES || ret == -ENOENT ? 0 : ret;
}

int timeline_images_new(struct flt_timeline *t)
{
	const struct flt_images_sink sink = {
		.record = on_image_record, .found = on_found, .arg = t,
	};

	return flt_images_new(&t->images, &sink, t->setup.command, t->page);
}

int timeline_result(struct flt_timeline *t, int ret)
{
	if (ret == -E2BIG && t->setup.writer)
		flt_file_lost(t->setup.writer, FLT_LOSS_RECORD, 1);
	return ret == -E2BIG ? 0 : ret;
}

void timeline_stack_end(struct flt_timeline_stack *s, size_t n)
{
	s->count = flt_stream_stack_sound(s->address, n);
	s->astray = s->count < n;
}
