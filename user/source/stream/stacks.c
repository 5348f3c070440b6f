// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 16384u
/* Limit of FLT_STACK_ONCE stacks that wait. Their faults are pending or were lost. */
#define ONCE 4096u

struct flt_stream_stacks {
	struct flt_stream_stack *last_once;	/* FLT_STACK_ONCE stack returned last */
	uint32_t once[ONCE];			/* ring of the latest FLT_STACK_ONCE IDs */
	uint32_t next_once;
	struct flt_stream_stack *chain[CHAINS];
};

int flt_stream_stacks_new(struct flt_stream_stacks **stacks)
{
	*stacks = calloc(1, sizeof(**stacks));
	return *stacks ? 0 : -ENOMEM;
}

void flt_stream_stacks_free(struct flt_stream_stacks *s)
{
	struct flt_stream_stack *stack;
	size_t i;

	if (!s)
		return;
	for (i = 0; i < CHAINS; i++)
		while ((stack = s->chain[i])) {
			s->chain[i] = stack->next;
			free(stack);
		}
	free(s->last_once);
	free(s);
}

static struct flt_stream_stack **find(struct flt_stream_stacks *s, uint32_t id)
{
	struct flt_stream_stack **at = &s->chain[id % CHAINS];

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

/* Add an ID to the ring. Free the stack whose ID is replaced. */
static void once_add(struct flt_stream_stacks *s, uint32_t id)
{
	uint32_t *place = &s->once[s->next_once++ % ONCE];
	struct flt_stream_stack **at, *old;

	at = find(s, *place);
	old = *at;
	if (old && old->flags & FLT_STACK_ONCE) {
		*at = old->next;
		free(old);
	}
	*place = id;
}

int flt_stream_stacks_add(struct flt_stream_stacks *s, const struct flt_event_stack *note,
			  const void *bytes)
{
	struct flt_stream_stack **at, *stack;

	if (!note->stack || !note->depth)
		return -EBADMSG;
	stack = malloc(sizeof(*stack) + note->depth * sizeof(uint64_t));
	if (!stack)
		return -ENOMEM;
	stack->id = note->stack;
	stack->flags = note->flags;
	stack->cut = note->cut;
	stack->depth = note->depth;
	memcpy(stack->frame, bytes, note->depth * sizeof(uint64_t));
	stack->sound = (uint32_t)flt_stream_stack_sound(stack->frame, stack->depth);
	if (stack->flags & FLT_STACK_ONCE)
		once_add(s, stack->id);
	at = find(s, stack->id);
	stack->next = *at ? (*at)->next : NULL;
	free(*at);
	*at = stack;
	return 0;
}

/* Remove a stack that is used once, and keep it until the next one. */
static __attribute__((noinline)) const struct flt_stream_stack *
take_once(struct flt_stream_stacks *s, struct flt_stream_stack **at)
{
	struct flt_stream_stack *stack = *at;

	free(s->last_once);
	s->last_once = stack;
	*at = stack->next;
	return stack;
}

const struct flt_stream_stack *flt_stream_stacks_of(struct flt_stream_stacks *s, uint32_t id)
{
	struct flt_stream_stack **at;

	if (!id)
		return NULL;
	at = find(s, id);
	return *at && (*at)->flags & FLT_STACK_ONCE ? take_once(s, at) : *at;
}
