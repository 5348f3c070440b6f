// SPDX-License-Identifier: GPL-2.0-or-later
/* run.c - run the command once, and read its faults from a temporary file into memory. */
#include <errno.h>
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/expect/expect.h"
#include "observe/child.h"

#define CUT (FLT_FAULT_CUT_DEPTH | FLT_FAULT_CUT_UNWIND | FLT_FAULT_CUT_MEMORY)

static uint32_t stack_hash(const struct expect_stack *s)
{
	return flt_index_hash((uint64_t)s->image << 32 | s->place,
			      (uint64_t)s->callers << 32 | s->cut | s->before_user);
}

/* Set *number to the index of a stack. Return -ENOMEM. */
static int stack_add(struct expect_run *r, const struct expect_stack *stack, uint32_t *number)
{
	const uint32_t hash = stack_hash(stack);
	struct flt_index_search search = flt_index_search(hash);
	struct expect_stack *more;
	uint32_t room;

	while (flt_index_next(&r->stack_index, &search, number)) {
		const struct expect_stack *s = &r->stacks[*number];

		if (s->image == stack->image && s->place == stack->place &&
		    s->callers == stack->callers && s->cut == stack->cut &&
		    s->before_user == stack->before_user)
			return 0;
	}
	if (r->stack_count == r->stack_room) {
		room = r->stack_room ? r->stack_room * 2 : 1024;
		more = reallocarray(r->stacks, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->stacks = more;
		r->stack_room = room;
	}
	*number = r->stack_count;
	r->stacks[r->stack_count] = *stack;
	return flt_index_add(&r->stack_index, hash, r->stack_count++);
}

/* Return true if the fault precedes all faults of its image in user mode. */
static int note_user(struct expect_run *r, const struct flt_fault *f, bool *before)
{
	uint32_t room = r->image_room;
	bool *more;

	while (f->image >= room)
		room = room ? room * 2 : 64;
	if (room > r->image_room) {
		more = realloc(r->user_seen, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		memset(more + r->image_room, 0, (room - r->image_room) * sizeof(*more));
		r->user_seen = more;
		r->image_room = room;
	}
	if (!(f->flags & FLT_FAULT_KERNEL))
		r->user_seen[f->image] = true;
	*before = !r->user_seen[f->image];
	return 0;
}

static int fault_add(struct expect_run *r, const struct flt_fault *f)
{
	struct expect_stack stack = {
		.image = f->image, .callers = f->stack, .cut = f->flags & CUT,
	};
	struct expect_fault *more;
	uint32_t number;
	size_t room;
	int err = note_user(r, f, &stack.before_user);

	if (!err)
		err = flt_recording_place(r->load.rec, f->image, f->ip, &stack.place);
	if (!err)
		err = stack_add(r, &stack, &number);
	if (err)
		return err;
	if (r->count == r->room) {
		room = r->room ? r->room * 2 : 4096;
		more = reallocarray(r->faults, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->faults = more;
		r->room = room;
	}
	r->faults[r->count++] = (struct expect_fault){
		.time = f->time, .address = f->address, .image = f->image, .tid = f->tid,
		.stack = number, .flags = f->flags, .kind = f->kind,
	};
	return 0;
}

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct expect_run *r = arg;
	size_t i;
	int err = 0;

	(void)load;
	for (i = 0; !err && i < n; i++)
		if (!r->args->user || !(faults[i].flags & FLT_FAULT_KERNEL))
			err = fault_add(r, &faults[i]);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct expect_fault *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* Return what helps against a loss. perf has no -b and -B. */
static const char *remedy(const struct expect_run *r, unsigned int cause)
{
	if (cause == FLT_LOSS_PROBE)
		return "; load flt with a larger maxactive";
	if (cause == FLT_LOSS_STACK)
		return "; load flt with a larger max_stacks";
	if (cause == FLT_LOSS_RIGHTS)
		return "; load flt, which follows them";
	return cause == FLT_LOSS_BUFFER && !strcmp(r->engine, "module") ?
	       "; use larger buffers, -b and -B" : "";
}

/* Describe why the faults are incomplete, if they are. */
static void note_losses(struct expect_run *r, int status)
{
	const struct flt_load *load = &r->load;
	unsigned int i;

	for (i = 0; i < __FLT_LOSS_LAST && !r->lost[0]; i++)
		if (load->lost[i])
			snprintf(r->lost, sizeof(r->lost), "lost %" PRIu64 " (%s)%s", load->lost[i],
				 flt_load_loss_name(i), remedy(r, i));
	if (!r->lost[0] && (load->damaged || !load->rec->end.head.type))
		snprintf(r->lost, sizeof(r->lost), "the temporary file is incomplete; free space "
			 "in $TMPDIR");
	/* The status of the command hides that of the capture. */
	if (!r->lost[0] && !r->command_status && status)
		snprintf(r->lost, sizeof(r->lost), "the faults were not recorded to the end");
}

static int read_file(struct expect_run *r, int fd, int captured)
{
	const char *value;
	char path[32];
	int status, err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = flt_load_file(&r->load, r->run->command, path, on_faults, r);
	if (status)
		return status;
	err = flt_symbols_new(&r->symbols, r->load.rec, &r->args->symbols);
	if (err)
		return flt_command_fail(r->run->command, NULL, err);
	if (r->count)
		qsort(r->faults, r->count, sizeof(*r->faults), by_time);
	value = flt_recording_info(r->load.rec, "engine");
	r->engine = value ? value : "unknown";
	value = flt_recording_info(r->load.rec, "kernel");
	r->kernel = value && !strcmp(value, "yes");
	r->command_status = flt_child_exit_status((int)r->load.rec->end.status);
	note_losses(r, captured);
	return 0;
}

/* Unwind tables find all callers. Frame pointers miss the caller of a function without a frame. */
static enum flt_unwind_by find_callers_by(const struct expect_run *r)
{
	size_t i;

	if (r->args->unwind >= 0)
		return (enum flt_unwind_by)r->args->unwind;
	for (i = 0; i < r->budget->count; i++)
		if (r->budget->rules[i].function)
			return FLT_UNWIND_BY_TABLES;
	return FLT_UNWIND_BY_FRAME_POINTERS;
}

int expect_run(struct expect_run *r, struct flt_run *run, const struct expect_args *args,
	       const struct flt_budget *budget)
{
	struct flt_capture_setup setup = {
		.engine = (enum flt_capture_engine)args->engine, .max_stack = args->max_stack,
		.subbuf_size = args->subbuf_size, .subbufs = args->subbufs, .quiet = true,
		.prepare = expect_marks_prepare, .prepare_arg = &r->marks, .watch = &r->marks.watch,
	};
	int err, status, fd;

	*r = (struct expect_run){ .run = run, .args = args, .budget = budget };
	setup.unwind = find_callers_by(r);
	err = expect_marks_new(&r->marks, budget);
	if (err)
		return flt_command_fail(run->command, NULL, err);
	status = flt_capture(run, &setup, &fd);
	expect_marks_finish(&r->marks);
	if (r->marks.invalid)
		flt_command_say(run->command, "ignored %" PRIu64 " invalid messages of FLT_MARK_FD "
				"(use flt_mark.h)", r->marks.invalid);
	if (r->marks.relay.err)
		flt_command_say(run->command, "cannot write the output of the command: %s",
				strerror(-r->marks.relay.err));
	if (fd < 0) {
		/* Without permission for perf events, nothing can be measured here. */
		if (status == FLT_EXIT_PERMISSION || status == FLT_EXIT_INCOMPLETE)
			return FLT_EXIT_UNSUPPORTED;
		return status ? status : FLT_EXIT_FAILED;
	}
	status = read_file(r, fd, status);
	close(fd);
	return status;
}

void expect_run_free(struct expect_run *r)
{
	expect_marks_free(&r->marks);
	flt_symbols_free(r->symbols);
	flt_load_free(&r->load);
	flt_index_free(&r->stack_index);
	free(r->stacks);
	free(r->faults);
	free(r->user_seen);
}
