// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/device.h"
#include "source/proc/machine.h"
#include "source/proc/procfs.h"
#include "timeline/state.h"

/* Allocate what the stacks of setup.stacks need. */
static int stacks_new(struct flt_timeline *t)
{
	int ret = 0;

	if (t->setup.stacks == FLT_TIMELINE_FRAMES && !t->setup.perf)
		ret = flt_stream_stacks_new(&t->stacks);
	if (t->setup.stacks == FLT_TIMELINE_SLICES && !t->setup.perf)
		ret = flt_stream_pending_new(&t->slices);
	if (!ret && t->setup.stacks == FLT_TIMELINE_SLICES)
		ret = flt_unwind_cache_new(&t->unwind, t->rec, t->setup.unwind);
	return ret;
}

struct flt_page_size flt_timeline_page_size(void)
{
	return flt_page_size_of(flt_machine_page(), flt_machine_huge_page());
}

int flt_timeline_new(struct flt_timeline **out, const struct flt_timeline_setup *setup)
{
	struct flt_timeline *t = calloc(1, sizeof(*t));
	int ret;

	*out = t;
	if (!t)
		return -ENOMEM;
	t->setup = *setup;
	t->page = flt_timeline_page_size();
	t->lookup.regions = setup->regions;
	flt_timeline_round(t);
	if (t->setup.depth > FLT_TIMELINE_DEPTH)
		t->setup.depth = FLT_TIMELINE_DEPTH;
	t->touches = setup->perf ? flt_touches_new(1ull << t->page.shift) : NULL;
	if (setup->perf && !t->touches)
		return -ENOMEM;
	ret = timeline_images_new(t);
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
	flt_stream_pending_free(t->slices);
	flt_unwind_cache_free(t->unwind);
	flt_recording_free(t->rec);
	flt_build_ids_free(&t->ids);
	flt_touches_free(t->touches);
	free(t->image);
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
	case FLT_EVENT_MOVE:
		ret = flt_images_move(t->images, &n->move);
		break;
	case FLT_EVENT_LIFE:
		ret = flt_images_life(t->images, &n->life, bytes);
		break;
	}
	return timeline_result(t, ret);
}

/* Unwind the copy of the stack. Out of line, so that stacks of the kernel save few registers. */
static __attribute__((noinline)) void stack_unwind(struct flt_timeline *t,
						   const struct flt_fault *f,
						   struct flt_timeline_stack *s)
{
	const struct flt_stream_slice *slice = flt_stream_slices_of(t->slices, f);
	struct flt_unwind_sample sample;
	size_t n = 0;

	/* The module sends a slice with every fault that has a user instruction. */
	s->lost = f->ip && !slice;
	s->address = t->address;
	if (slice) {
		sample.stack = slice->bytes;
		sample.size = slice->length;
		memcpy(sample.regs, slice->registers.dwarf, sizeof(sample.regs));
		n = flt_unwind_cache_run(t->unwind, f->image, &sample, t->address,
					 t->setup.depth, &s->cut);
	}
	timeline_stack_end(s, n);
}

/* Take the stack that the kernel walked. */
static void stack_take(const struct flt_timeline *t, const struct flt_fault *f,
		       struct flt_timeline_stack *s)
{
	const struct flt_stream_stack *frames = flt_stream_stacks_of(t->stacks, f->stack);

	s->lost = f->stack && !frames;
	if (frames) {
		s->address = frames->frame;
		s->cut = frames->cut;
		s->count = frames->sound;
		s->astray = frames->sound < frames->depth;
		s->id = frames->flags & FLT_STACK_ONCE ? 0 : frames->id;
	}
}

int flt_timeline_fault(struct flt_timeline *t, struct flt_fault *f, struct flt_timeline_stack *s)
{
	int ret = flt_images_fault(t->images, f, &f->image);

	*s = (struct flt_timeline_stack){ .cut = FLT_CUT_NONE };
	if (t->slices)
		stack_unwind(t, f, s);
	else if (t->stacks)
		stack_take(t, f, s);
	f->stack = 0;
	return ret || !t->setup.regions ? ret : flt_timeline_lookup(&t->lookup, f);
}

struct flt_recording *flt_timeline_recording(struct flt_timeline *t)
{
	return t->rec;
}

bool flt_timeline_knows(const struct flt_timeline *t, uint32_t pid)
{
	size_t i;

	for (i = t->count; i--; )
		if (t->image[i].pid == pid)
			return true;
	return false;
}

uint64_t flt_timeline_rss(const struct flt_timeline *t)
{
	uint64_t sum = 0, rss, read;
	size_t i;

	for (i = 0; i < t->count; i++)
		if (t->image[i].pid && !flt_procfs_memory(t->image[i].pid, 0, &rss, &read))
			sum += rss;
	return sum;
}
