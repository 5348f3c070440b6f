// SPDX-License-Identifier: GPL-2.0-or-later
/* stack.c - functions in the stack of a fault, and the stack as text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/expect/expect.h"

struct places {
	uint32_t at[FLT_STACK_DEPTH_MAX + 1];
	size_t count;
};

static void list_places(const struct expect_run *r, const struct expect_stack *s, struct places *p)
{
	p->at[0] = s->place;
	p->count = 1 + flt_recording_stack(r->load.rec, s->image, s->callers, p->at + 1, NULL,
					   FLT_STACK_DEPTH_MAX);
}

/*
 * Return true if a function is where a thread begins, so it has no caller. The unwind tables of
 * some of them say otherwise, or say nothing.
 */
static bool is_outermost(const char *function)
{
	static const char *const names[] = {
		"_start", "_dl_start", "_dl_start_user", "clone", "__clone", "clone3", "__clone3",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(function, names[i]))
			return true;
	return false;
}

int expect_stack_has(struct expect_run *r, const struct expect_stack *s, const char *pattern)
{
	const struct flt_frames *frames = NULL;
	struct places p;
	size_t i, k;

	list_places(r, s, &p);
	for (i = 0; i < p.count; i++) {
		frames = flt_symbols_at(r->symbols, p.at[i]);
		if (!frames)
			return -ENOMEM;
		for (k = 0; k < frames->count; k++)
			if (frames->frame[k].named &&
			    flt_rule_names(pattern, frames->frame[k].function))
				return EXPECT_PRESENT;
	}
	if (s->before_user || !s->cut || is_outermost(frames->frame[frames->count - 1].function))
		return EXPECT_ABSENT;
	return EXPECT_UNDECIDED;
}

char *expect_stack_lines(struct expect_run *r, const struct expect_stack *s)
{
	const struct flt_frames *frames;
	const struct flt_frame *f;
	char *text = NULL;
	struct places p;
	size_t i, k, size;
	FILE *out = open_memstream(&text, &size);

	list_places(r, s, &p);
	for (i = 0; out && i < p.count; i++) {
		frames = flt_symbols_at(r->symbols, p.at[i]);
		for (k = 0; frames && k < frames->count; k++) {
			f = &frames->frame[k];
			if (f->file)
				fprintf(out, "%s (%s:%u)\n", f->function, f->file, f->line);
			else if (f->named)
				fprintf(out, "%s (%s)\n", f->function, frames->object);
			else
				fprintf(out, "%s\n", f->function);
		}
	}
	if (!out || fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
