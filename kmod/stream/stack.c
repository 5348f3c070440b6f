// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "arch/frame.h"
#include "stream/budget.h"
#include "stream/record.h"
#include "stream/relay.h"
#include "stream/stack.h"
#include "stream/stacktable.h"

#define CACHED_STACKS 4		/* per CPU; a power of two */
#define CACHED_FRAMES 64

/*
 * A stack that was sent before, as it lies in user memory. If memory still has the same
 * frames, the thread has the same stack, and no hash and no table lookup are needed.
 */
struct cached_stack {
	unsigned long ip, fp;
	u32 id;			/* 0: unused entry */
	u32 count;
	struct frame {
		unsigned long next;
		u64 caller;
	} frame[CACHED_FRAMES];
};

struct scratch {
	struct flt_stack stack;
	unsigned long next[FLT_STACK_FRAMES_MAX];	/* frame pointers read with frames[] */
	u64 once;
	struct cached_stack cached[CACHED_STACKS];
};

struct flt_stacks {
	struct flt_stack_config config;
	u32 bit;
	/* Handlers are not preempted, so a CPU handles one fault at a time. */
	struct scratch __percpu *scratch;
};

static u64 scratch_bytes(void)
{
	return (u64)num_possible_cpus() * sizeof(struct scratch);
}

struct flt_stacks *flt_stack_open(u32 bit, const struct flt_stack_config *config)
{
	struct flt_stacks *s;
	int err = -ENOMEM;

	BUILD_BUG_ON(sizeof(struct flt_event_stack) != 64 || sizeof(struct flt_event_slice) != 64);
	if (!config->depth && !config->slice)
		return NULL;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->config = *config;
	s->bit = bit;
	s->scratch = alloc_percpu(struct scratch);
	if (!s->scratch)
		goto err_scratch;
	err = config->depth ? flt_stacktable_get(bit) : 0;
	if (err)
		goto err_table;
	flt_budget_take(scratch_bytes());
	return s;

err_table:
	free_percpu(s->scratch);
err_scratch:
	kfree(s);
	return ERR_PTR(err);
}

void flt_stack_close(struct flt_stacks *s)
{
	if (!s)
		return;
	if (s->config.depth)
		flt_stacktable_put();
	free_percpu(s->scratch);
	flt_budget_give(scratch_bytes());
	kfree(s);
}

u64 flt_stack_once(const struct flt_stacks *s)
{
	u64 sum = 0;
	int cpu;

	if (s)
		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu_ptr(s->scratch, cpu)->once);
	return sum;
}

/*
 * The functions below read user memory between user_access_begin() and user_access_end(),
 * where no function may be called. So they are inlined.
 */

/*
 * Return true if user memory has the same frames as the cached stack. All addresses come
 * from the cache and none from user memory, so the loop can read all frames before it
 * tests for a difference.
 */
static __always_inline bool memory_matches(const struct cached_stack *r)
{
	const struct frame *f = r->frame, *end = f + r->count;
	unsigned long at = r->fp;
	u64 word, differ = 0;

	if (!user_access_begin((void __user *)at, sizeof(u64)))
		return false;
#pragma GCC unroll 4
	for (; f != end; f++) {
		unsafe_get_user(word, (u64 __user *)(at + sizeof(u64)), missing);
		differ |= flt_frame_address(word) ^ f->caller;
		unsafe_get_user(word, (u64 __user *)at, missing);
		at = f->next;
		differ |= word ^ at;
	}
	user_access_end();
	return !differ;
missing:
	user_access_end();
	return false;
}

/* Return true if the thread, which faulted at @address, has the cached stack. */
static __always_inline bool is_cached(const struct cached_stack *r, struct pt_regs *regs,
				      unsigned long address)
{
	return r->ip == instruction_pointer(regs) && r->fp == frame_pointer(regs) &&
	       r->fp >= user_stack_pointer(regs) && !flt_frame_may_be_none(regs, address) &&
	       memory_matches(r);
}

/*
 * Follow the frame pointers of a thread that faulted at @address. The program controls
 * their values. The mask keeps the kernel from reading an address that is not a user
 * address, also under speculation.
 */
static __always_inline void walk_frames(struct scratch *scratch, struct pt_regs *regs, u32 depth,
					unsigned long address)
{
	unsigned long ip = instruction_pointer(regs), sp = user_stack_pointer(regs);
	unsigned long fp = frame_pointer(regs), mask = flt_frame_mask(), low = sp - 1, at;
	unsigned long top = TASK_SIZE_MAX - sizeof(u64);
	unsigned long *next = scratch->next;
	struct flt_stack *s = &scratch->stack;
	u64 *to = s->frames, *end = to + depth;
	u32 cut = FLT_CUT_NONE;
	u64 hash, code, caller;

	/* Keep both in registers: they do not fit into instructions as constants. */
	OPTIMIZER_HIDE_VAR(mask);
	OPTIMIZER_HIDE_VAR(top);
	*to++ = ip;
	hash = flt_stacktable_mix(flt_stacktable_seed, ip);
	s->plain = false;
	if (!user_access_begin((void __user *)(sp & mask), sizeof(u64))) {
		cut = FLT_CUT_MEMORY;
		goto out;
	}
	if (unlikely(flt_frame_may_be_none(regs, address)) && to != end) {
		unsafe_get_user(code, (u64 __user *)array_index_nospec(ip, top), no_code);
		at = flt_frame_return_slot(regs, code, mask);
		caller = flt_frame_return(regs, code);
		if (at)
			unsafe_get_user(caller, (u64 __user *)at, no_code);
		if (caller) {
			*to++ = caller;
			hash = flt_stacktable_mix(hash, caller);
		}
	} else {
		s->plain = true;
	}
no_code:
	for (;;) {
		at = fp & mask;
		if (unlikely(at != fp || at <= low)) {
			cut = fp ? FLT_CUT_ORDER : FLT_CUT_NONE;
			break;
		}
		if (to == end) {
			cut = FLT_CUT_DEPTH;
			break;
		}
		unsafe_get_user(fp, (unsigned long __user *)at, missing);
		unsafe_get_user(caller, (u64 __user *)(at + sizeof(u64)), missing);
		low = at;
		caller = flt_frame_address(caller);
		*next++ = fp;
		*to++ = caller;
		hash = flt_stacktable_mix(hash, caller);
	}
end:
	user_access_end();
out:
	s->hash = hash;
	s->depth = to - s->frames;
	s->cut = cut;
	return;
missing:
	cut = FLT_CUT_MEMORY;
	goto end;
}

/*
 * Cache a stack that was sent, for the next fault at the same instruction and frame
 * pointer. A stack that was truncated by a missing page is not cached, because the page may
 * be present next time.
 */
static void cache_stack(struct cached_stack *r, const struct scratch *scratch,
			struct pt_regs *regs, u32 id)
{
	const struct flt_stack *s = &scratch->stack;
	u32 i;

	if (!s->plain || s->cut == FLT_CUT_MEMORY || s->depth < 2 || s->depth > CACHED_FRAMES)
		return;
	r->ip = instruction_pointer(regs);
	r->fp = frame_pointer(regs);
	r->id = id;
	r->count = s->depth - 1;
	for (i = 0; i < r->count; i++) {
		r->frame[i].next = scratch->next[i];
		r->frame[i].caller = s->frames[i + 1];
	}
}

/* Copy user memory up to the first missing page. Return the number of bytes copied. */
static __always_inline u32 copy_slice(u64 *to, unsigned long from, u32 length)
{
	unsigned long top = TASK_SIZE_MAX;
	u32 i, words;
	u64 word;

	OPTIMIZER_HIDE_VAR(top);
	from = array_index_nospec(from, top);
	words = min_t(unsigned long, length, top - from) / sizeof(*to);
	if (!user_access_begin((void __user *)from, words * sizeof(*to)))
		return 0;
	for (i = 0; i < words; i++) {
		unsafe_get_user(word, (u64 __user *)(from + i * sizeof(word)), missing);
		to[i] = word;
	}
missing:
	user_access_end();
	return i * sizeof(*to);
}

/* Copy a slice directly into the channel, because the per-CPU memory has no room for it. */
static noinline void send_slice(struct flt_stacks *s, struct flt_relay *relay,
				struct pt_regs *regs, u64 time)
{
	struct flt_event_slice *head = flt_relay_note_begin(relay,
							    FLT_STACK_SLICE_SLOTS(s->config.slice));
	struct flt_event_registers *registers = (void *)(head + 1);
	unsigned long sp = user_stack_pointer(regs) & -sizeof(u64);
	u32 length, padded;

	if (!head)
		return;
	memset(registers, 0, sizeof(*registers));
	flt_frame_registers(registers, regs);
	pagefault_disable();
	length = copy_slice((u64 *)(registers + 1), sp, s->config.slice & -sizeof(u64));
	pagefault_enable();
	padded = ALIGN(length, sizeof(*head));
	memset((void *)(registers + 1) + length, 0, padded - length);
	*head = (struct flt_event_slice) {
		.time = time,
		.sp = sp,
		.length = length,
		.tgid = flt_pidns_tgid(relay->reader, current),
		.tid = flt_pidns_tid(relay->reader, current),
		.type = FLT_EVENT_SLICE,
	};
	flt_relay_note_end(relay, FLT_STACK_SLICE_SLOTS(length));
}

/* Return false if the note was lost. */
static noinline bool send_stack(struct flt_relay *relay, const struct flt_stack *s, u32 id,
				u64 time, bool once)
{
	struct flt_event_stack head = {
		.time = time,
		.depth = s->depth,
		.tgid = flt_pidns_tgid(relay->reader, current),
		.tid = flt_pidns_tid(relay->reader, current),
		.stack = id,
		.type = FLT_EVENT_STACK,
		.cut = s->cut,
		.flags = once ? FLT_STACK_ONCE : 0,
	};

	return flt_relay_note(relay, &head, s->frames, s->depth * sizeof(s->frames[0]));
}

u32 flt_stack_take(struct flt_stacks *s, struct flt_relay *relay, struct pt_regs *regs,
		   unsigned long address, u64 time)
{
	struct scratch *scratch = this_cpu_ptr(s->scratch);
	struct flt_stack *stack = &scratch->stack;
	struct cached_stack *cached;
	u32 id;

	/* A worker of io_uring has the registers of its creator, but an instruction of 0. */
	if (!regs || !instruction_pointer(regs))
		return 0;
	if (unlikely(s->config.slice) && flt_frame_is_64bit(regs))
		send_slice(s, relay, regs, time);
	if (!s->config.depth)
		return 0;
	cached = &scratch->cached[hash_64(instruction_pointer(regs), ilog2(CACHED_STACKS))];
	if (unlikely(!flt_frame_is_64bit(regs))) {
		stack->frames[0] = instruction_pointer(regs);
		stack->hash = flt_stacktable_mix(flt_stacktable_seed, stack->frames[0]);
		stack->depth = 1;
		stack->cut = FLT_CUT_MODE;
		stack->plain = false;
	} else {
		pagefault_disable();
		if (is_cached(cached, regs, address)) {
			pagefault_enable();
			return cached->id;
		}
		walk_frames(scratch, regs, s->config.depth, address);
		pagefault_enable();
	}
	id = flt_stacktable_find(stack, s->bit);
	if (unlikely(!id)) {
		/* The table is full: send the stack with every fault, under an ID for one use. */
		id = flt_stacktable_once();
		scratch->once++;
		send_stack(relay, stack, id, time, true);
	} else if (likely(stack->sent)) {
		cache_stack(cached, scratch, regs, id);
	} else if (send_stack(relay, stack, id, time, false)) {
		flt_stacktable_mark(id, s->bit);
	}
	return id;
}
