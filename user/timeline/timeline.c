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
#include "timeline/unwind.h"

/* Nothing is mapped in the first page: an address there is no frame. */
#define FIRST_PAGE 4096u
/* Of the name of a thread that flt_images leaves to us; its record has room for this. */
#define COMM_ROOM 24

struct flt_timeline {
	struct flt_timeline_setup setup;
	struct flt_images *images;
	struct flt_paths *paths;
	struct flt_build_ids ids;
	uint32_t *pid;		/* of image i + 1; 0: it is over */
	size_t count, room;
	struct flt_recording *rec;		/* NULL: not kept */
	struct flt_stream_stacks *stacks;	/* NULL: not asked for; likewise: */
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

static void image_over(struct flt_timeline *t, uint32_t image)
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

/* flt_images does not know what a process that was found is called. */
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
	/* Both count from 1, and nobody else gives images to this writer. */
	if (!ret && id != r->head.image)
		ret = -EINVAL;
	if (!ret && r->cause == FLT_IMAGE_EXEC)
		image_over(t, r->parent);
	if (!ret)
		ret = pid_add(t, r->pid);
	return ret ? ret : keep(t, &r->head);
}

static int on_map(struct flt_timeline *t, struct flt_record_map *map)
{
	const char *name = (const char *)(map + 1);
	int ret = 0;

	if (map->flags & FLT_MAP_EXEC)
		flt_build_ids_set(&t->ids, pid_of(t, map->head.image), map, name);
	else if (t->setup.code_only)
		return 0;
	if (t->setup.writer)
		ret = flt_file_map(t->setup.writer, map, name);
	return ret ? ret : keep(t, &map->head);
}

static int on_exit_of(struct flt_timeline *t, const struct flt_record_exit *r)
{
	int ret = 0;

	if (t->setup.writer)
		ret = flt_file_exit(t->setup.writer, r->head.time, r->head.image, r->head.tid, r->status);
	if (!r->head.tid)
		image_over(t, r->head.image);
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

static int on_process(void *arg, struct flt_record *r)
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
	if (!ret)
		ret = flt_maps_read(pid, on_mapped, &found);
	/* Kernel threads and processes that have gone have nothing mapped. */
	return ret == -ESRCH || ret == -EACCES || ret == -ENOENT ? 0 : ret;
}

int flt_timeline_new(struct flt_timeline **out, const struct flt_timeline_setup *setup)
{
	struct flt_timeline *t = calloc(1, sizeof(*t));
	const struct flt_images_sink sink = { .record = on_process, .found = on_found, .arg = t };
	int ret;

	*out = t;
	if (!t)
		return -ENOMEM;
	t->setup = *setup;
	if (t->setup.depth > FLT_TIMELINE_DEPTH)
		t->setup.depth = FLT_TIMELINE_DEPTH;
	ret = flt_images_new(&t->images, &sink, setup->command);
	if (!ret)
		ret = flt_paths_new(&t->paths);
	if (!ret && (setup->in_memory || setup->stacks == FLT_TIMELINE_SLICES))
		ret = flt_recording_new(&t->rec);
	if (!ret && setup->stacks == FLT_TIMELINE_FRAMES)
		ret = flt_stream_stacks_new(&t->stacks);
	if (!ret && setup->stacks == FLT_TIMELINE_SLICES)
		ret = flt_stream_slices_new(&t->slices);
	if (!ret && setup->stacks == FLT_TIMELINE_SLICES)
		ret = flt_unwind_cache_new(&t->unwind, t->rec);
	return ret;
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

/* The name that /proc/PID/maps would show. */
static const char *area_name(const struct flt_timeline *t, const struct flt_event_area *a, const char *bytes,
			     char room[256])
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
		path = a->inode ? flt_paths_get(t->paths, flt_device_of_kernel(a->dev), a->inode) : NULL;
		if (path || !a->length)
			return path ? path : "";
		snprintf(room, 256, "[anon:%.*s]", (int)(a->length < 240 ? a->length : 240), bytes);
		return room;
	}
}

int flt_timeline_note(struct flt_timeline *t, const union flt_stream_note *n, const void *bytes)
{
	char room[256];
	int ret = 0;

	switch (n->record.type) {
	case FLT_EVENT_PATH:
		return flt_paths_put(t->paths, &n->path, bytes);
	case FLT_EVENT_STACK:
		return t->stacks ? flt_stream_stacks_add(t->stacks, &n->stack, bytes) : 0;
	case FLT_EVENT_SLICE:
		return t->slices ? flt_stream_slices_add(t->slices, &n->slice, bytes) : 0;
	case FLT_EVENT_AREA:
		if (!t->setup.code_only || n->area.protection & FLT_MAP_EXEC)
			ret = flt_images_area(t->images, &n->area, area_name(t, &n->area, bytes, room));
		break;
	case FLT_EVENT_LIFE:
		ret = flt_images_life(t->images, &n->life, bytes);
		break;
	}
	/* More processes than a recording can hold: what comes now stays unknown. */
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
		/* Every fault of a thread with a user side has one. */
		s->lost = r->ip && !slice;
		s->address = t->address;
		if (slice)
			n = flt_unwind_cache_run(t->unwind, image, slice, t->address, t->setup.depth, &s->cut);
	} else {
		frames = t->stacks ? flt_stream_stacks_of(t->stacks, r) : NULL;
		s->lost = r->stack && !frames;
		if (frames) {
			s->address = frames->frame;
			s->cut = frames->cut;
			n = frames->depth;
		}
	}
	/* Code without frame pointers leads anywhere. */
	for (s->count = n ? 1 : 0; s->count < n && s->address[s->count] >= FIRST_PAGE; s->count++)
		;
	s->astray = s->count < n;
}

int flt_timeline_fault(struct flt_timeline *t, const struct flt_event_record *r, struct flt_fault *f,
		       struct flt_timeline_stack *s)
{
	uint32_t image;
	int ret = flt_images_fault(t->images, r, &image);

	flt_event_fault(f, r);
	f->image = image;
	*s = (struct flt_timeline_stack){ .cut = FLT_CUT_NONE };
	stack_find(t, r, image, s);
	return ret;
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
