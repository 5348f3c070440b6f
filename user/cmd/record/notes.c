// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/notes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/mapping.h"
#include "timeline/unwinders.h"
#include "model/process/images.h"
#include "model/process/paths.h"
#include "source/file/build_ids.h"
#include "source/proc/maps.h"
#include "source/proc/procfs.h"

struct known {
	uint32_t id;		/* in the file; 0: not in it */
	uint32_t pid;		/* 0: it is over */
};

struct record_told {
	struct flt_file_writer *writer;
	uint32_t command;	/* 0: there is none, or it has begun */
	struct flt_images *images;
	struct flt_paths *paths;
	struct flt_build_ids ids;
	struct known *known;	/* of image i + 1 */
	size_t count, room;
	/* For stacks that are unwound here, else NULL. */
	struct flt_recording *rec;
	struct flt_unwinders *unwinders;
};

static struct known *known_of(const struct record_told *t, uint32_t image)
{
	return image && image <= t->count ? &t->known[image - 1] : NULL;
}

static int known_add(struct record_told *t, uint32_t id, uint32_t pid)
{
	struct known *more;
	size_t room;

	if (t->count == t->room) {
		room = t->room ? t->room * 2 : 64;
		more = reallocarray(t->known, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		t->known = more;
		t->room = room;
	}
	t->known[t->count++] = (struct known){ id, pid };
	return 0;
}

static void known_end(struct record_told *t, uint32_t image)
{
	struct known *k = known_of(t, image);

	if (!k)
		return;
	k->pid = 0;
	if (k->id)
		flt_file_image_done(t->writer, k->id);
}

static int on_image(struct record_told *t, struct flt_record_image *r)
{
	const struct known *parent = known_of(t, r->parent);
	char name[32] = "", *comm = (char *)(r + 1);
	uint32_t id = 0;
	int ret;

	/* The command's process is fltctl's own until it executes. */
	if (r->cause == FLT_IMAGE_FOUND && r->pid == t->command)
		return known_add(t, 0, 0);
	if (r->cause == FLT_IMAGE_START)
		t->command = 0;
	if (r->cause == FLT_IMAGE_FOUND)
		flt_maps_comm(r->pid, comm = name, sizeof(name));
	ret = flt_file_image(t->writer, r->head.time, r->pid, r->ppid, parent ? parent->id : 0,
			     (enum flt_image_cause)r->cause, comm, &id);
	if (ret && ret != -ENOSPC)
		return ret;
	if (ret)
		flt_file_lost(t->writer, FLT_LOSS_RECORD, 1);
	if (r->cause == FLT_IMAGE_EXEC)
		known_end(t, r->parent);
	ret = known_add(t, id, r->pid);
	if (ret || !t->rec || !id)
		return ret;
	r->head.image = id;
	r->parent = parent ? known_of(t, r->parent)->id : 0;
	return flt_recording_record(t->rec, &r->head);
}

static int on_map(struct record_told *t, uint32_t pid, struct flt_record_map *map)
{
	const char *name = (const char *)(map + 1);
	int ret;

	if (map->flags & FLT_MAP_EXEC)
		flt_build_ids_set(&t->ids, pid, map, name);
	ret = flt_file_map(t->writer, map, name);
	return ret || !t->rec ? ret : flt_recording_record(t->rec, &map->head);
}

/* Of flt_images: its numbers are not the file's. */
static int on_told(void *arg, struct flt_record *r)
{
	char name[32];
	const char *comm = (const char *)(r + 1);
	struct record_told *t = arg;
	uint32_t image = r->image;
	struct known *k;
	int ret;

	if (r->type == FLT_RECORD_IMAGE)
		return on_image(t, (struct flt_record_image *)r);
	k = known_of(t, image);
	if (!k || !k->id)
		return 0;
	r->image = k->id;
	switch (r->type) {
	case FLT_RECORD_MAP:
		return on_map(t, k->pid, (struct flt_record_map *)r);
	case FLT_RECORD_THREAD:
		if (!*comm)	/* of a process that was found */
			flt_maps_comm(r->tid, name, sizeof(name));
		comm = *comm ? comm : name;
		return flt_file_thread(t->writer, r->time, r->image, r->tid, comm);
	case FLT_RECORD_COMM:
		return flt_file_comm(t->writer, r->time, r->image, r->tid, comm);
	case FLT_RECORD_EXIT:
		ret = flt_file_exit(t->writer, r->time, r->image, r->tid, ((struct flt_record_exit *)r)->status);
		if (!r->tid)
			known_end(t, image);
		return ret;
	default:
		return 0;
	}
}

struct found {
	struct record_told *t;
	uint64_t time;
	uint32_t id, pid;
};

static int on_mapped(void *arg, const struct flt_maps_entry *e)
{
	const struct found *f = arg;
	struct mapped m;

	return mapped_fill(&m, e, f->time, f->id) ? on_map(f->t, f->pid, &m.map) : 0;
}

static int on_found(void *arg, uint64_t time, uint32_t image, uint32_t tgid, uint32_t *threads)
{
	struct record_told *t = arg;
	const struct known *k = known_of(t, image);
	struct found found = { t, time, k ? k->id : 0, tgid };
	int ret;

	*threads = 1;
	if (!found.id)
		return 0;
	ret = flt_file_threads_read(t->writer, time, found.id, tgid, threads);
	if (!ret)
		ret = flt_maps_read(tgid, on_mapped, &found);
	/* It is gone, or a thread of the kernel: its addresses have no names. */
	return ret == -ESRCH || ret == -EACCES || ret == -ENOENT ? 0 : ret;
}

int record_told_new(struct record_told **out, struct flt_file_writer *w, uint32_t command, bool unwind)
{
	struct record_told *t = calloc(1, sizeof(*t));
	const struct flt_images_sink sink = { .record = on_told, .found = on_found, .arg = t };
	int ret;

	*out = t;
	if (!t)
		return -ENOMEM;
	t->writer = w;
	t->command = command;
	ret = flt_images_new(&t->images, &sink, command);
	if (!ret)
		ret = flt_paths_new(&t->paths);
	if (!ret && unwind)
		ret = flt_recording_new(&t->rec);
	if (!ret && unwind)
		ret = flt_unwinders_new(&t->unwinders, t->rec);
	return ret;
}

void record_told_free(struct record_told *t)
{
	if (!t)
		return;
	flt_images_free(t->images);
	flt_paths_free(t->paths);
	flt_unwinders_free(t->unwinders);
	flt_recording_free(t->rec);
	flt_build_ids_free(&t->ids);
	free(t->known);
	free(t);
}

int record_told_found(struct record_told *t, uint64_t time, uint32_t tgid)
{
	uint32_t image;

	return flt_images_of(t->images, time, tgid, &image);
}

/* As /proc/PID/maps would say it. */
static const char *area_name(const struct record_told *t, const struct flt_event_area *a, const char *bytes,
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
		path = a->inode ? flt_paths_get(t->paths, a->dev, a->inode) : NULL;
		if (path || !a->length)
			return path ? path : "";
		snprintf(room, 256, "[anon:%.*s]", (int)(a->length < 240 ? a->length : 240), bytes);
		return room;
	}
}

int record_told_note(struct record_told *t, const union flt_stream_note *n, const void *bytes)
{
	char room[256];
	int ret;

	switch (n->record.type) {
	case FLT_EVENT_PATH:
		return flt_paths_put(t->paths, &n->path, bytes);
	case FLT_EVENT_AREA:
		ret = flt_images_area(t->images, &n->area, area_name(t, &n->area, bytes, room));
		break;
	case FLT_EVENT_LIFE:
		ret = flt_images_life(t->images, &n->life, bytes);
		break;
	default:
		return 0;
	}
	/* As many as a recording can hold. */
	if (ret == -E2BIG)
		flt_file_lost(t->writer, FLT_LOSS_RECORD, 1);
	return ret == -E2BIG ? 0 : ret;
}

int record_told_fault(struct record_told *t, const struct flt_event_record *r, uint32_t *image)
{
	const struct known *k;
	int ret = flt_images_fault(t->images, r, image);

	k = known_of(t, *image);
	*image = k ? k->id : 0;
	return ret;
}

size_t record_told_unwind(struct record_told *t, uint32_t image, const struct flt_stream_slice *slice,
			  uint64_t *addresses, size_t room, uint8_t *cut)
{
	return flt_unwinders_run(t->unwinders, image, slice, addresses, room, cut);
}

uint64_t record_told_rss(const struct record_told *t)
{
	uint64_t sum = 0, rss, read;
	size_t i;

	for (i = 0; i < t->count; i++)
		if (t->known[i].pid && !flt_procfs_memory(t->known[i].pid, 0, &rss, &read))
			sum += rss;
	return sum;
}
