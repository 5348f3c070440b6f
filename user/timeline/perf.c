// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of perf into a timeline. */
#include <errno.h>
#include <string.h>

#include "source/proc/maps.h"
#include "timeline/map_record.h"
#include "timeline/state.h"
#include "timeline/timeline.h"

/* The main stack grows down. Count the room below its current end as stack. */
#define STACK_GROWTH (8u << 20)

int flt_timeline_perf_note(struct flt_timeline *t, const struct flt_perf_event *e)
{
	switch (e->type) {
	case FLT_PERF_MAP:
		return timeline_result(t, flt_images_map(t->images, e->pid, &e->map, e->name));
	case FLT_PERF_COMM:
		return timeline_result(t, flt_images_comm(t->images, e->time, e->pid, e->tid,
							  e->name));
	case FLT_PERF_LIFE:
		return timeline_result(t, flt_images_life(t->images, &e->life, e->name));
	default:
		return 0;
	}
}

struct stack_search {
	struct flt_timeline *t;
	const struct flt_fault *fault;
};

static int on_entry(void *arg, const struct flt_maps_entry *entry)
{
	const struct stack_search *s = arg;
	struct flt_maps_entry stack = *entry;
	struct map_record m;

	if (strcmp(entry->name, "[stack]"))
		return 0;
	if (stack.start > STACK_GROWTH)
		stack.start -= STACK_GROWTH;
	return map_record_fill(&m, &stack, s->fault->time, s->fault->image) ?
	       timeline_map(s->t, &m.map) : 0;
}

/*
 * Look up the main stack in /proc, once, at the first fault of a program, because the kernel maps
 * the stack before perf reports mappings. Without the stack if the process has ended.
 */
static int find_main_stack(struct flt_timeline *t, const struct flt_fault *f)
{
	struct timeline_image *image = timeline_image(t, f->image);
	struct stack_search s = { t, f };
	int ret;

	if (!image || !image->lacks_stack)
		return 0;
	image->lacks_stack = false;
	ret = flt_maps_read(image->pid, on_entry, &s);
	return ret == -ESRCH || ret == -EACCES || ret == -ENOENT ? 0 : ret;
}

int flt_timeline_perf_fault(struct flt_timeline *t, const struct flt_perf_event *e,
			    struct flt_fault *f, struct flt_timeline_stack *s)
{
	bool first = false;
	int ret;

	*f = e->fault;
	*s = (struct flt_timeline_stack){ .cut = FLT_CUT_NONE };
	ret = flt_images_fault(t->images, f, &f->image);
	if (!ret)
		ret = find_main_stack(t, f);
	if (!ret)
		ret = flt_touches_add(t->touches, f->image, f->address,
				      f->flags & FLT_FAULT_MAJOR, &first);
	if (ret)
		return ret;
	if (first)
		f->flags |= FLT_FAULT_ALLOC;
	if (e->sampled && t->unwind) {
		s->address = t->address;
		timeline_stack_end(s, flt_unwind_cache_run(t->unwind, f->image, &e->sample,
							   t->address, t->setup.depth, &s->cut));
	} else if (e->frame_count) {
		s->address = e->frames;
		s->cut = e->cut ? FLT_CUT_DEPTH : FLT_CUT_NONE;
		timeline_stack_end(s, e->frame_count);
	}
	return 0;
}
