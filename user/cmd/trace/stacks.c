// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - print the stack below a line, as functions and source lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/trace/trace.h"
#include "model/code/symbols.h"
#include "timeline/timeline.h"

/* A larger timeline is replaced by an empty one, because it keeps data of ended processes. */
#define MAPS_MAX (1u << 20)
#define PLACES_MAX (4u << 20)

struct trace_stacks {
	struct flt_timeline_setup setup;
	struct flt_timeline *timeline;	/* NULL with --input */
	struct flt_recording *rec;	/* of the timeline, or of --input */
	struct flt_symbols *symbols;
	char *text;			/* the last stack */
	size_t size;
};

static void drop(struct trace_stacks *s)
{
	flt_symbols_free(s->symbols);
	flt_timeline_free(s->timeline);
	s->symbols = NULL;
	s->timeline = NULL;
	s->rec = NULL;
}

static int begin(struct trace_stacks *s)
{
	static const struct flt_symbols_setup setup;
	int ret = flt_timeline_new(&s->timeline, &s->setup);

	if (ret)
		return ret;
	s->rec = flt_timeline_recording(s->timeline);
	return flt_symbols_new(&s->symbols, s->rec, &setup);
}

int trace_stacks_open(struct trace *t)
{
	struct trace_stacks *s = calloc(1, sizeof(*s));

	t->stacks = s;
	if (!s)
		return -ENOMEM;
	s->setup = (struct flt_timeline_setup){
		.in_memory = true, .code_only = true, .depth = (uint32_t)t->args->max_stack,
		.stacks = t->wish.slice ? FLT_TIMELINE_SLICES : FLT_TIMELINE_FRAMES,
		.unwind = (enum flt_unwind_by)t->args->unwind,
	};
	return begin(s);
}

int trace_stacks_open_file(struct trace *t, struct flt_recording *rec)
{
	static const struct flt_symbols_setup setup;

	t->stacks = calloc(1, sizeof(*t->stacks));
	if (!t->stacks)
		return -ENOMEM;
	t->stacks->rec = rec;
	return flt_symbols_new(&t->stacks->symbols, rec, &setup);
}

void trace_stacks_close(struct trace *t)
{
	struct trace_stacks *s = t->stacks;

	if (!s)
		return;
	drop(s);
	free(s->text);
	free(s);
	t->stacks = NULL;
}

int trace_stacks_add_processes(struct trace *t, const uint32_t *tgids, size_t count)
{
	size_t i;
	int ret = 0;

	for (i = 0; t->stacks && !ret && i < count; i++)
		ret = flt_timeline_found(t->stacks->timeline, 0, tgids[i]);
	return ret;
}

int trace_stacks_round(struct trace *t)
{
	struct trace_stacks *s = t->stacks;

	if (!s || (s->rec->map_count < MAPS_MAX && s->rec->place_count < PLACES_MAX))
		return 0;
	drop(s);
	return begin(s);
}

int trace_stacks_note(struct trace *t, const union flt_stream_note *n, const void *bytes)
{
	return t->stacks ? flt_timeline_note(t->stacks->timeline, n, bytes) : 0;
}

static int write_frame(struct trace_stacks *s, FILE *out, uint64_t address, uint32_t place)
{
	const struct flt_frames *at;
	size_t i;

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

	if (cut == FLT_TIMELINE_CUT_UNWIND)
		return "unwind";
	return cut < sizeof(name) / sizeof(name[0]) ? name[cut] : "unknown";
}

static int open_text(struct trace_stacks *s, FILE **out)
{
	free(s->text);
	s->text = NULL;
	*out = open_memstream(&s->text, &s->size);
	return *out ? 0 : -ENOMEM;
}

static int close_text(struct trace_stacks *s, FILE *out, int ret, const char **lines)
{
	if (fclose(out) && !ret)
		ret = -ENOMEM;
	*lines = s->text;
	return ret == -E2BIG ? 0 : ret;
}

int trace_stacks_live(struct trace *t, struct flt_fault *f, struct trace_fault *k)
{
	struct trace_stacks *s = t->stacks;
	struct flt_timeline_stack stack;
	uint32_t place;
	FILE *out;
	size_t i;
	int ret = flt_timeline_fault(s->timeline, f, &stack);

	if (ret && ret != -E2BIG)
		return ret;
	k->cut = stack.lost ? "lost" : stack.count ? cut_name(stack.cut) : NULL;
	if (!stack.count)
		return 0;
	ret = open_text(s, &out);
	if (ret)
		return ret;
	for (i = 0; !ret && i < stack.count; i++) {
		/* A return address is after the call, so look up the byte before. */
		ret = flt_recording_place(s->rec, f->image, stack.address[i] - !!i, &place);
		if (!ret)
			ret = write_frame(s, out, stack.address[i], place);
	}
	return close_text(s, out, ret, &k->stack);
}

static const char *recorded_cut_name(uint32_t flags)
{
	if (flags & FLT_FAULT_CUT_DEPTH)
		return "depth";
	if (flags & FLT_FAULT_CUT_MEMORY)
		return "memory";
	return flags & FLT_FAULT_CUT_UNWIND ? "unwind" : NULL;
}

int trace_stacks_recorded(struct trace *t, struct trace_fault *k)
{
	uint32_t places[FLT_STACK_DEPTH_MAX + 1];
	uint64_t addresses[FLT_STACK_DEPTH_MAX + 1];
	struct trace_stacks *s = t->stacks;
	const struct flt_fault *f = k->fault;
	size_t n, i;
	FILE *out;
	int ret;

	k->cut = recorded_cut_name(f->flags);
	if (!f->ip && !f->stack)
		return 0;
	ret = flt_recording_place(s->rec, f->image, f->ip, &places[0]);
	addresses[0] = f->ip;
	if (!ret)
		ret = open_text(s, &out);
	if (ret)
		return ret;
	n = 1 + flt_recording_stack(s->rec, f->image, f->stack, places + 1, addresses + 1,
				    FLT_STACK_DEPTH_MAX);
	for (i = 0; !ret && i < n && i < t->args->max_stack; i++)
		ret = write_frame(s, out, addresses[i], places[i]);
	if (i < n)
		k->cut = "depth";
	return close_text(s, out, ret, &k->stack);
}
