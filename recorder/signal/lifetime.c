// SPDX-License-Identifier: GPL-2.0-or-later
/* lifetime.c - register a thread, open its perf ring and arm path A; undo that at its end. */
#include "lifetime.h"

#include "handler.h"
#include "image/image.h"
#include "pager/grant.h"
#include "region/region.h"
#include "thread/perf_sample.h"
#include "thread/solo.h"
#include "thread/thread.h"

#include <limits.h>
#include <pthread.h>

#define MAIN_STACK_BYTES (64UL << 20)

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void under_lock(void (*change)(struct rec_thread *t), struct rec_thread *t)
{
	uint64_t signals = rec_block_signals();

	rec_lock_take(&rec_pager_lock, t->tid);
	change(t);
	rec_lock_release(&rec_pager_lock);
	rec_restore_signals(signals);
}

/* Let the thread resolve its own faults. If that is impossible, the server does. */
static void arm(struct rec_thread *t)
{
	if (rec_handler_prepare(t) && rec_handler_arm(t))
		return;
	rec_thread_watch(t);
	rec_image_wake_server();
}

/* solo: the calling thread is the only one. */
static void begin(uintptr_t stack_lo, uintptr_t stack_hi, bool solo)
{
	struct rec_thread *t;

	/* The server serves a thread that is not in the table. */
	if (rec_image.filtered)
		return;
	rec_image_tid = rec_tid();
	t = rec_thread_add(rec_image_tid);
	if (!t)
		return;
	if (rec_grant_is_possible())
		under_lock(rec_grant_expect, t);
	/* Of an earlier thread of this number, which ended without a word. */
	rec_perf_sample_close_older(t);
	rec_perf_sample_close(t->perf);
	t->perf = NULL;
	t->stack = (struct rec_stack){ stack_lo, stack_hi };
	solo &= !(rec_image.config.flags & FLT_REC_INLINE);
	if (rec_threads.inlined)
		arm(t);
	if (!t->perf)
		rec_perf_sample_renew(t);
	if (rec_grant_is_possible())
		under_lock(rec_grant_join, t);
	if (solo)
		rec_solo_begin(t);
	rec_threads.begun = true;
}

bool rec_lifetime_arm_solo(struct rec_thread *t)
{
	/* From here on this process grants pages, not the server, or the reverse. */
	rec_grant_restart();
	return rec_handler_arm(t);
}

void rec_lifetime_disarm_solo(struct rec_thread *t)
{
	rec_grant_restart();
	rec_handler_close(t);
}

void rec_lifetime_expect(void)
{
	uint64_t signals;

	if (!rec_threads.solo)
		return;
	signals = rec_block_signals();
	rec_solo_end();
	rec_restore_signals(signals);
}

void rec_lifetime_disarm(void)
{
	struct rec_thread *t = NULL;

	if (rec_threads.inlined && rec_image_is_ready() && !rec_image.filtered)
		t = rec_thread_find(rec_tid());
	if (!t)
		return;
	under_lock(rec_handler_disarm, t);
	if (t->watched)
		return;
	rec_thread_watch(t);
	rec_image_wake_server();
}

static void end(void)
{
	struct rec_thread *t = rec_thread_find(rec_tid());
	void *perf;

	if (!t)
		return;
	/* What is mapped for the thread stays mapped. */
	if (rec_image.filtered) {
		rec_thread_remove(t);
		return;
	}
	if (t->touches)
		under_lock(rec_grant_leave, t);
	under_lock(rec_handler_disarm, t);
	rec_thread_unwatch(t);
	rec_perf_sample_close_older(t);
	perf = t->perf;
	t->perf = NULL;
	rec_thread_remove(t);
	rec_perf_sample_close(perf);
}

/* Run in the last round of destructors, because the heap's destructor faults as well. */
static void end_last(void *round)
{
	uintptr_t n = (uintptr_t)round;

	/* A child of a raw fork has another thread of this number, or none. */
	if (!rec_image_is_ready())
		return;
	if (n < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(key, (void *)(n + 1)))
		return;
	end();
}

static void make_key(void)
{
	if (pthread_key_create(&key, end_last))
		key = (pthread_key_t)-1;
}

void rec_lifetime_begin(void)
{
	struct rec_thread *t;
	pthread_attr_t a;
	void *lo = NULL;
	size_t size = 0;

	/* The calls below make system calls that the filter may forbid. */
	if (rec_image.filtered)
		return;
	/* First, because the calls below may allocate. */
	begin(0, 0, false);
	if (!pthread_getattr_np(pthread_self(), &a)) {
		pthread_attr_getstack(&a, &lo, &size);
		pthread_attr_destroy(&a);
	}
	t = rec_thread_find(rec_tid());
	/* A stack in the region may be evicted, so it must not be read directly. */
	if (t && size && !rec_region_contains((uintptr_t)lo))
		t->stack = (struct rec_stack){ (uintptr_t)lo, (uintptr_t)lo + size };
	pthread_once(&key_once, make_key);
	if (key != (pthread_key_t)-1)
		pthread_setspecific(key, (void *)1);
}

extern void *__libc_stack_end;

void rec_lifetime_begin_main(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t hi = (uintptr_t)__libc_stack_end;

	/* The main stack grows down from there. A fork may run on another stack. */
	if (here < hi && hi - here < MAIN_STACK_BYTES)
		begin(hi - MAIN_STACK_BYTES, hi, true);
	else
		begin(0, 0, true);
}
