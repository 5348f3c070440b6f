// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/device.h"
#include "model/process/images.h"
#include "model/process/paths.h"
#include "source/file/build_ids.h"
#include "source/proc/maps.h"
#include "source/proc/procfs.h"
#include "source/stream/fault.h"
#include "source/stream/slices.h"
#include "source/stream/stacks.h"
#include "timeline/map_record.h"
#include "timeline/regions.h"
#include "timeline/unwind.h"

/* Nothing is mapped in the first page, so an address there is not a frame. */
#define FIRST_PAGE 4096u
/* Bytes for the name of a thread after the records that flt_images makes. */
#define COMM_ROOM 24

struct flt_timeline {
	struct flt_timeline_setup setup;
	struct flt_images *images;
	struct flt_paths *paths;
	struct flt_build_ids ids;
	uint32_t *pid;		/* pid[i] is the process of image i + 1; 0: the image has ended */
	size_t count, room;
	struct flt_recording *rec;		/* NULL: not kept in memory */
	struct flt_timeline_lookup lookup;	/* of mappings in setup.regions */
	/* One of the two is set if stacks are wanted; unwind only with slices. */
	struct flt_stream_stacks *stacks;
	struct flt_stream_slices *slices;
	struct flt_unwind_cache *unwind;
	uint64_t address[FLT_TIMELINE_DEPTH];
};

static uint32_t pid_of(const struct flt_timeline *t, uint32_t image)
{
	return image && image <= t->count ? t->pid[image - 1] : 0;
}

static int pid_add(struct flt_timeline *t, uint32_t pid)
{
	uint32_t *more;
	size_t room;

	if (t->count == t->room) {
		room = t->room ? t->room * 2 : 64;
		more = reallocarray(t->pid, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		t->pid = more;
		t->room = room;
	}
	t->pid[t->count++] = pid;
	return 0;
}

static void image_ended(struct flt_timeline *t, uint32_t image)
{
	if (!pid_of(t, image))
		return;
	t->pid[image - 1] = 0;
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
	/*
	 * In regions, the image of an exec inherits mappings, too: the module does not repeat the
	 * note of a mapping that the new program has at the same place.
	 */
	if (!ret && t->setup.regions)
		ret = flt_regions_image(t->setup.regions, id, r->parent, r->pid, comm);
	if (!ret && r->cause == FLT_IMAGE_EXEC)
		image_ended(t, r->parent);
	if (!ret)
		ret = pid_add(t, r->pid);
	return ret ? ret : keep(t, &r->head);
}

static int on_map(struct flt_timeline *t, struct flt_record_map *map)
{
	const char *name = (const char *)(map + 1);
	int ret = 0;

	if (t->setup.code_only && !(map->flags & FLT_MAP_EXEC))
		return 0;
	if (map->flags & FLT_MAP_EXEC && needs_all_maps(t))
		flt_build_ids_set(&t->ids, pid_of(t, map->head.image), map, name);
	if (t->setup.writer)
		ret = flt_file_map(t->setup.writer, map, name);
	if (!ret && t->setup.regions)
		ret = flt_timeline_region_map(t->setup.regions, map, name);
	return ret ? ret : keep(t, &map->head);
}

static int on_exit_of(struct flt_timeline *t, const struct flt_record_exit *r)
{
	int ret = 0;

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

static int on_image_record(void *arg, struct flt_record *r)
{
	switch (r->type) {
	case FLT_RECORD_IMAGE:
		return on_image(arg, (struct flt_record_image *)r);
	case FLT_RECORD_MAP:
		return on_map(arg, (struct flt_record_map *)r);
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

	return map_record_fill(&m, e, f->time, f->image) ? on_map(f->t, &m.map) : 0;
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

/* Allocate what the stacks of setup.stacks need. */
static int stacks_new(struct flt_timeline *t)
{
	int ret = 0;

	if (t->setup.stacks == FLT_TIMELINE_FRAMES)
		ret = flt_stream_stacks_new(&t->stacks);
	if (t->setup.stacks == FLT_TIMELINE_SLICES)
		ret = flt_stream_slices_new(&t->slices);
	if (!ret && t->slices)
		ret = flt_unwind_cache_new(&t->unwind, t->rec);
	return ret;
}

int flt_timeline_new(struct flt_timeline **out, const struct flt_timeline_setup *setup)
{
	struct flt_timeline *t = calloc(1, sizeof(*t));
	const struct flt_images_sink sink = {
		.record = on_image_record, .found = on_found, .arg = t,
	};
	int ret;

	*out = t;
	if (!t)
		return -ENOMEM;
	t->setup = *setup;
	t->lookup.regions = setup->regions;
	flt_timeline_round(t);
	if (t->setup.depth > FLT_TIMELINE_DEPTH)
		t->setup.depth = FLT_TIMELINE_DEPTH;
	ret = flt_images_new(&t->images, &sink, setup->command);
	if (!ret)
		ret = flt_paths_new(&t->paths);
	if (!ret && (setup->in_memory || setup->stacks == FLT_TIMELINE_SLICES))
		ret = flt_recording_new(&t->rec);
	return ret ? ret : stacks_new(t);
}
void flt_timeline_free(struct flt_timeline *t)
{
	if (!t)
		return;
	flt_images_free(t->images);
	flt_paths_free(t->paths);
	flt_stream_stacks_free(t->stacks);
	flt_stream_slices_free(t->slices);
	flt_unwind_cache_free(t->unwind);
	flt_recording_free(t->rec);
	flt_build_ids_free(&t->ids);
	free(t->pid);
	free(t);
}

int flt_timeline_found(struct flt_timeline *t, uint64_t time, uint32_t pid)
{
	uint32_t image;

	return flt_images_of(t->images, time, pid, &image);
}

void flt_timeline_round(struct flt_timeline *t)
{
	flt_timeline_lookup_round(&t->lookup);
}

/* Return the name that /proc/PID/maps would show. The name may be stored in room. */
static const char *area_name(const struct flt_timeline *t, const struct flt_event_area *a,
			     const char *bytes, char room[256])
{
	const char *path;

	switch (a->of) {
	case FLT_AREA_HEAP:
		return "[heap]";
	case FLT_AREA_STACK:
		return "[stack]";
	case FLT_AREA_VDSO:
		return a->protection & 4 ? "[vdso]" : "[vvar]";
	default:
		path = flt_paths_get(t->paths, flt_device_of_kernel(a->dev), a->inode);
		if (path || !a->length)
			return path ? path : "";
		snprintf(room, 256, "[anon:%.*s]", (int)(a->length < 240 ? a->length : 240), bytes);
		return room;
	}
}

static int on_path(struct flt_timeline *t, const struct flt_event_path *p, const void *bytes)
{
	const uint32_t device = flt_device_of_kernel(p->dev);
	int ret = flt_paths_put(t->paths, p, bytes);
	const char *name;

	if (ret || !t->setup.regions)
		return ret;
	name = flt_paths_get(t->paths, device, p->inode);
	return name ? flt_regions_path(t->setup.regions, device, p->inode, name) : 0;
}

int flt_timeline_note(struct flt_timeline *t, const union flt_stream_note *n, const void *bytes)
{
	char room[256];
	int ret = 0;

	switch (n->record.type) {
	case FLT_EVENT_PATH:
		return on_path(t, &n->path, bytes);
	case FLT_EVENT_STACK:
		return t->stacks ? flt_stream_stacks_add(t->stacks, &n->stack, bytes) : 0;
	case FLT_EVENT_SLICE:
		return t->slices ? flt_stream_slices_add(t->slices, &n->slice, bytes) : 0;
	case FLT_EVENT_AREA:
		if (!t->setup.code_only || n->area.protection & FLT_MAP_EXEC)
			ret = flt_images_area(t->images, &n->area,
					      area_name(t, &n->area, bytes, room));
		break;
	case FLT_EVENT_LIFE:
		ret = flt_images_life(t->images, &n->life, bytes);
		break;
	}
	/* The recording cannot hold more processes. Faults of further processes have no image. */
	if (ret == -E2BIG && t->setup.writer)
		flt_file_lost(t->setup.writer, FLT_LOSS_RECORD, 1);
	return ret == -E2BIG ? 0 : ret;
}

static void stack_find(struct flt_timeline *t, const struct flt_event_record *r, uint32_t image,
		       struct flt_timeline_stack *s)
{
	const struct flt_stream_slice *slice;
	const struct flt_stream_stack *frames;
	size_t n = 0;

	if (t->slices) {
		slice = flt_stream_slices_of(t->slices, r);
		/* The module sends a slice with every fault that has a user instruction. */
		s->lost = r->ip && !slice;
		s->address = t->address;
		if (slice)
			n = flt_unwind_cache_run(t->unwind, image, slice, t->address,
						 t->setup.depth, &s->cut);
	} else {
		frames = t->stacks ? flt_stream_stacks_of(t->stacks, r) : NULL;
		s->lost = r->stack && !frames;
		if (frames) {
			s->address = frames->frame;
			s->cut = frames->cut;
			n = frames->depth;
		}
	}
	/* In code without frame pointers, the frames after the first may be arbitrary values. */
	for (s->count = n ? 1 : 0; s->count < n && s->address[s->count] >= FIRST_PAGE; s->count++)
		;
	s->astray = s->count < n;
}

int flt_timeline_fault(struct flt_timeline *t, const struct flt_event_record *r,
		       struct flt_fault *f, struct flt_timeline_stack *s)
{
	uint32_t image;
	int ret = flt_images_fault(t->images, r, &image);

	flt_event_fault(f, r);
	f->image = image;
	*s = (struct flt_timeline_stack){ .cut = FLT_CUT_NONE };
	stack_find(t, r, image, s);
	return ret || !t->setup.regions ? ret : flt_timeline_lookup(&t->lookup, f);
}

struct flt_recording *flt_timeline_recording(struct flt_timeline *t)
{
	return t->rec;
}

uint64_t flt_timeline_rss(const struct flt_timeline *t)
{
	uint64_t sum = 0, rss, read;
	size_t i;

	for (i = 0; i < t->count; i++)
		if (t->pid[i] && !flt_procfs_memory(t->pid[i], 0, &rss, &read))
			sum += rss;
	return sum;
}
