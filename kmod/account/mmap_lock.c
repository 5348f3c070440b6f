// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <trace/events/mmap_lock.h>
#include "account/mmap_lock.h"
#include "account/task.h"
#include "hook/clock.h"

#define HAVE_EVENTS (FLT_HAVE_MMAP_LOCK_PATH || FLT_HAVE_MMAP_LOCK_MEMCG)

/*
 * Return the delays of current if the event may concern its faults, or NULL. Faults take the
 * lock for reading. irq_work releases it for whoever took it (mmap_read_unlock_non_owner()).
 */
static struct flt_delays *delays_of(const struct mm_struct *mm, bool write)
{
	struct flt_task *t;

	if (write || mm != current->mm || !in_task())
		return NULL;
	t = flt_task_find(current);
	return t ? &t->delays : NULL;
}

static void on_wait(void *data, FLT_MMAP_LOCK_ARGS)
{
	struct flt_delays *d;

	flt_hook_begin(FLT_HOOK_ID_MMAP_LOCK_WAIT);
	d = delays_of(mm, write);
	if (d)
		d->lock_since = flt_clock_read();
	flt_hook_end();
}

/* A fault tries to take the lock, and only if that fails it waits. */
static void on_taken(void *data, FLT_MMAP_LOCK_ARGS, bool success)
{
	struct flt_delays *d;
	s64 waited;

	flt_hook_begin(FLT_HOOK_ID_MMAP_LOCK_TAKEN);
	d = delays_of(mm, write);
	if (d && d->lock_since) {
		/* Another CPU may have a slightly different clock. */
		waited = flt_clock_read() - d->lock_since;
		d->lock_wait = success && waited > 0 ? flt_clock_ns(waited) : 0;
		d->lock_since = 0;
		d->total = FLT_DELAYS_CHANGED;
	}
	flt_hook_end();
}

static void on_released(void *data, FLT_MMAP_LOCK_ARGS)
{
	struct flt_delays *d;

	flt_hook_begin(FLT_HOOK_ID_MMAP_LOCK_RELEASED);
	d = delays_of(mm, write);
	if (d)
		d->lock_wait = 0;
	flt_hook_end();
}

/* Let the compiler check the prototypes of the tracepoint probes. */
static void __maybe_unused check_types(void)
{
	flt_mmap_lock_check(on_wait, on_taken, on_released);
}

#define MMAP_LOCK_HOOK(word, which, tracepoint, on_event)			\
	.name = "mmap-lock-" word,						\
	.type = FLT_HOOK_TYPE_TRACEPOINT,					\
	.id = FLT_HOOK_ID_MMAP_LOCK_##which,					\
	.unfit = !IS_ENABLED(CONFIG_PER_VMA_LOCK) || !HAVE_EVENTS,		\
	.symbol = { tracepoint },						\
	.probe = on_event

static struct flt_hook released_hook = {
	MMAP_LOCK_HOOK("released", RELEASED, "mmap_lock_released", on_released),
};

static struct flt_hook taken_hook = {
	MMAP_LOCK_HOOK("taken", TAKEN, "mmap_lock_acquire_returned", on_taken),
};

static struct flt_hook wait_hook = {
	MMAP_LOCK_HOOK("wait", WAIT, "mmap_lock_start_locking", on_wait),
};

static struct flt_hook *const hooks[] = { &released_hook, &taken_hook, &wait_hook };

void __init flt_mmap_lock_init(void)
{
	flt_hook_add_all(hooks, ARRAY_SIZE(hooks));
}

bool flt_mmap_lock_is_known(void)
{
	return !released_hook.error && !taken_hook.error && !wait_hook.error;
}

int flt_mmap_lock_get(void)
{
	return flt_mmap_lock_is_known() ? flt_hook_get_all(hooks, ARRAY_SIZE(hooks)) : 0;
}

void flt_mmap_lock_put(void)
{
	if (flt_mmap_lock_is_known())
		flt_hook_put_all(hooks, ARRAY_SIZE(hooks));
}
