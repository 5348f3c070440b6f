// SPDX-License-Identifier: GPL-2.0-or-later
#include "solo.h"

#include "image/image.h"
#include "image/lock.h"
#include "perf_sample.h"
#include "region/region.h"

static struct {
	bool (*arm)(struct rec_thread *t);
	void (*disarm)(struct rec_thread *t);
} path_a;

void rec_solo_prepare(bool (*arm)(struct rec_thread *t), void (*disarm)(struct rec_thread *t))
{
	path_a.arm = arm;
	path_a.disarm = disarm;
}

static struct rec_thread *solo(void)
{
	uint32_t tid = __atomic_load_n(&rec_threads.solo, __ATOMIC_ACQUIRE);

	return tid ? rec_thread_find(tid) : NULL;
}

void rec_solo_begin(struct rec_thread *t)
{
	if (!rec_threads.inlined)
		rec_thread_watch(t);
	__atomic_store_n(&rec_threads.solo, t->tid, __ATOMIC_RELEASE);
}

bool rec_solo_is_served(void)
{
	const struct rec_thread *t = solo();

	return t && t->watched;
}

bool rec_solo_is_armed(void)
{
	const struct rec_thread *t = solo();

	return t && !t->watched;
}

bool rec_solo_is_alone(void)
{
	return __atomic_load_n(&rec_threads.watched, __ATOMIC_RELAXED) == rec_solo_is_served();
}

bool rec_solo_arm(void)
{
	struct rec_thread *t = solo();

	if (!t || !t->watched || !rec_threads.inlined || !path_a.arm(t))
		return false;
	rec_thread_unwatch(t);
	return true;
}

void rec_solo_disarm(void)
{
	struct rec_thread *t = solo();

	if (!t || t->watched)
		return;
	rec_thread_watch(t);
	path_a.disarm(t);
}

void rec_solo_end(void)
{
	uint32_t tid;

	if (!__atomic_load_n(&rec_threads.solo, __ATOMIC_ACQUIRE))
		return;
	/* A filter may forbid what path A needs. */
	if (!rec_image.filtered) {
		tid = rec_tid();
		rec_lock_take(&rec_pager_lock, tid);
		/* The thread runs, so the samples of its earlier faults are not needed. */
		if (rec_solo_arm() && rec_threads.solo == tid)
			rec_perf_sample_close_older(solo());
		rec_lock_release(&rec_pager_lock);
	}
	__atomic_store_n(&rec_threads.solo, 0, __ATOMIC_RELEASE);
}
