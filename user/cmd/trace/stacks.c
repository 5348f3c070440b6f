// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks beneath the lines of trace, by the names that code has while it runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/mapping.h"
#include "cmd/trace/trace.h"
#include "timeline/unwinders.h"
#include "model/process/images.h"
#include "model/code/symbols.h"
#include "source/file/build_ids.h"
#include "source/proc/maps.h"
#include "source/proc/procfs.h"
#include "source/stream/stacks.h"

/* What is known of images is begun anew when it has grown so far: processes come and go. */
#define MAPS_MAX (1u << 20)
#define PLACES_MAX (4u << 20)

struct trace_stacks {
	struct flt_stream_stacks *stacks;	/* by frame pointers, or */
	struct flt_stream_slices *slices;	/* to be unwound: the other is NULL */
	uint32_t depth;				/* frames of those at most */
	struct flt_build_ids ids;
	struct flt_recording *rec;
	struct flt_symbols *symbols;
	struct flt_images *images;
	struct flt_unwinders *unwinders;
	char *text;			/* of the last stack */
	size_t size;
};

static uint32_t image_pid(const struct trace_stacks *s, uint32_t image)
{
	const struct flt_image *i = flt_recording_image(s->rec, image);

	return i ? i->pid : 0;
}

static int on_told(void *arg, struct flt_record *r)
{
	struct trace_stacks *s = arg;
	struct flt_record_map *map = (void *)r;

	if (r->type == FLT_RECORD_MAP)
		flt_build_ids_set(&s->ids, image_pid(s, r->image), map, (const char *)(map + 1));
	return flt_recording_record(s->rec, r);
}

struct found {
	struct trace_stacks *s;
	uint64_t time;
	uint32_t image;
};

static int on_mapped(void *arg, const struct flt_maps_entry *e)
{
	const struct found *f = arg;
	struct mapped m;

	if (!(e->protection & FLT_MAP_EXEC) || !mapped_fill(&m, e, f->time, f->image))
		return 0;
	return on_told(f->s, &m.map.head);
}

static int count_one(void *arg, uint32_t tid)
{
	(void)tid;
	++*(uint32_t *)arg;
	return 0;
}

static int on_found(void *arg, uint64_t time, uint32_t image, uint32_t tgid, uint32_t *threads)
{
	struct found found = { arg, time, image };
	int ret = flt_maps_read(tgid, on_mapped, &found);

	*threads = 0;
	flt_procfs_each(tgid, count_one, threads);
	/* It is gone, or a thread of the kernel: its addresses have no names. */
	return ret == -ENOMEM || ret == -E2BIG ? ret : 0;
}

static void world_drop(struct trace_stacks *s)
{
	flt_images_free(s->images);
	flt_unwinders_free(s->unwinders);
	flt_symbols_free(s->symbols);
	flt_recording_free(s->rec);
	s->images = NULL;
	s->unwinders = NULL;
	s->symbols = NULL;
	s->rec = NULL;
}

static int world_new(struct trace_stacks *s)
{
	static const struct flt_symbols_setup setup;
	const struct flt_images_sink sink = { .record = on_told, .found = on_found, .arg = s };
	int ret = flt_recording_new(&s->rec);

	if (!ret)
		ret = flt_symbols_new(&s->symbols, s->rec, &setup);
	if (!ret && s->slices)
		ret = flt_unwinders_new(&s->unwinders, s->rec);
	return ret ? ret : flt_images_new(&s->images, &sink, 0);
}

int trace_stacks_open(struct trace *t)
{
	struct trace_stacks *s = calloc(1, sizeof(*s));
	int ret;

	t->stacks = s;
	if (!s)
		return -ENOMEM;
	s->depth = (uint32_t)t->args->max_stack;
	ret = t->wish.slice ? flt_stream_slices_new(&s->slices) : flt_stream_stacks_new(&s->stacks);
	return ret ? ret : world_new(s);
}

void trace_stacks_close(struct trace *t)
{
	struct trace_stacks *s = t->stacks;

	if (!s)
		return;
	world_drop(s);
	flt_build_ids_free(&s->ids);
	flt_stream_stacks_free(s->stacks);
	flt_stream_slices_free(s->slices);
	free(s->text);
	free(s);
}

int trace_stacks_meet(struct trace *t, const uint32_t *tgids, size_t count)
{
	uint32_t image;
	size_t i;
	int ret = 0;

	for (i = 0; t->stacks && !ret && i < count; i++)
		ret = flt_images_of(t->stacks->images, 0, tgids[i], &image);
	return ret;
}

int trace_stacks_round(struct trace *t)
{
	struct trace_stacks *s = t->stacks;

	if (!s || (s->rec->map_count < MAPS_MAX && s->rec->place_count < PLACES_MAX))
		return 0;
	world_drop(s);
	return world_new(s);
}

static int on_area(struct trace *t, const struct flt_event_area *a, const void *bytes)
{
	const char *path;
	char name[256];

	if (!(a->protection & FLT_MAP_EXEC))
		return 0;
	path = a->inode ? flt_paths_get(t->names.paths, a->dev, a->inode) : NULL;
	if (!path) {
		snprintf(name, sizeof(name), "%.*s", (int)(a->length < 255 ? a->length : 255),
			 a->length ? (const char *)bytes : "");
		path = a->of == FLT_AREA_VDSO ? "[vdso]" : name;
	}
	return flt_images_area(t->stacks->images, a, path);
}

int trace_stacks_note(struct trace *t, const union flt_stream_note *n, const void *bytes)
{
	int ret = 0;

	if (!t->stacks)
		return 0;
	if (n->record.type == FLT_EVENT_STACK && t->stacks->stacks)
		ret = flt_stream_stacks_add(t->stacks->stacks, &n->stack, bytes);
	else if (n->record.type == FLT_EVENT_SLICE && t->stacks->slices)
		ret = flt_stream_slices_add(t->stacks->slices, &n->slice, bytes);
	else if (n->record.type == FLT_EVENT_AREA)
		ret = on_area(t, &n->area, bytes);
	else if (n->record.type == FLT_EVENT_LIFE)
		ret = flt_images_life(t->stacks->images, &n->life, bytes);
	/* As many as it can hold: names of what comes now stay unknown. */
	return ret == -E2BIG ? 0 : ret;
}

static int frame_write(struct trace_stacks *s, FILE *out, uint32_t image, uint64_t address, bool caller)
{
	const struct flt_frames *at;
	uint32_t place;
	size_t i;
	/* A return address is behind the call. */
	int ret = flt_recording_place(s->rec, image, address - caller, &place);

	if (ret)
		return ret;
	if (!s->rec->places[place].object) {
		fprintf(out, "0x%" PRIx64 "\n", address);
		return 0;
	}
	at = flt_symbols_at(s->symbols, place);
	if (!at)
		return -ENOMEM;
	for (i = 0; i < at->count; i++) {
		const struct flt_frame *f = &at->frame[i];

		fputs(f->function, out);
		if (f->file)
			fprintf(out, " %s:%" PRIu32, flt_symbols_base(f->file), f->line);
		if (f->inlined)
			fputs(" (inlined)", out);
		else if (f->named)
			fprintf(out, " (%s)", flt_symbols_base(at->object));
		fputc('\n', out);
	}
	return 0;
}

static const char *cut_name(uint8_t cut)
{
	static const char *const name[] = {
		[FLT_CUT_DEPTH] = "depth", [FLT_CUT_MEMORY] = "memory",
		[FLT_CUT_ORDER] = "order", [FLT_CUT_MODE] = "mode",
	};

	if (cut == FLT_UNWINDERS_CUT)
		return "unwind";
	return cut < sizeof(name) / sizeof(name[0]) ? name[cut] : "unknown";
}

/* The addresses of a fault's stack; 0: there are none, and cut says why, or NULL. */
static size_t addresses_of(struct trace_stacks *s, const struct flt_event_record *r, uint32_t image,
			   uint64_t room[FLT_UNWINDERS_DEPTH], const uint64_t **addresses, const char **cut)
{
	const struct flt_stream_slice *slice;
	const struct flt_stream_stack *stack;
	uint8_t why;
	size_t n;

	*addresses = room;
	if (s->slices) {
		slice = flt_stream_slices_of(s->slices, r);
		/* Every fault of a thread with a user side has one. */
		*cut = r->ip && !slice ? "lost" : NULL;
		if (!slice)
			return 0;
		n = flt_unwinders_run(s->unwinders, image, slice, room, s->depth, &why);
	} else {
		stack = flt_stream_stacks_of(s->stacks, r);
		*cut = r->stack && !stack ? "lost" : NULL;
		if (!stack)
			return 0;
		*addresses = stack->frame;
		n = stack->depth;
		why = stack->cut;
	}
	*cut = cut_name(why);
	return n;
}

int trace_stacks_text(struct trace *t, const struct flt_event_record *r, const char **lines, const char **cut)
{
	struct trace_stacks *s = t->stacks;
	uint64_t room[FLT_UNWINDERS_DEPTH];
	const uint64_t *addresses;
	uint32_t image;
	FILE *out;
	size_t n, i;
	int ret = flt_images_fault(s->images, r, &image);

	*lines = NULL;
	*cut = NULL;
	if (ret && ret != -E2BIG)
		return ret;
	n = addresses_of(s, r, image, room, &addresses, cut);
	if (!n)
		return 0;
	free(s->text);
	s->text = NULL;
	out = open_memstream(&s->text, &s->size);
	if (!out)
		return -ENOMEM;
	/* Code without frame pointers leads anywhere: nothing is mapped in the first page. */
	for (i = 0, ret = 0; !ret && i < n && (!i || addresses[i] >= 4096); i++)
		ret = frame_write(s, out, image, addresses[i], i > 0);
	if (fclose(out) && !ret)
		ret = -ENOMEM;
	*lines = s->text;
	return ret == -E2BIG ? 0 : ret;
}
