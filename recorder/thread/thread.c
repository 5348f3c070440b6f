// SPDX-License-Identifier: GPL-2.0-or-later
/* thread.c - slots of threads. Lookups take no lock, because the server and handlers do them. */
#include "thread.h"

#include <stddef.h>
#include <string.h>

struct rec_threads rec_threads;

static struct rec_thread *look_up(uint32_t tid, bool add)
{
	uint32_t h = tid * 2654435761u;

	for (uint32_t i = 0; i < REC_THREADS; i++) {
		struct rec_thread *t = &rec_threads.slot[(h + i) & (REC_THREADS - 1)];
		uint32_t seen = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE), none = 0;

		if (seen == tid)
			return t;
		if (!seen && !add && !t->in_chain)
			return NULL;
		if (!seen && add &&
		    __atomic_compare_exchange_n(&t->tid, &none, tid, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			t->in_chain = true;
			return t;
		}
	}
	return NULL;
}

struct rec_thread *rec_thread_find(uint32_t tid)
{
	return look_up(tid, false);
}

struct rec_thread *rec_thread_add(uint32_t tid)
{
	return look_up(tid, true);
}

void rec_thread_remove(struct rec_thread *t)
{
	__atomic_store_n(&t->tid, 0, __ATOMIC_RELEASE);
}

void rec_thread_resolved(uint32_t tid, uint64_t fault_time, uint64_t sample_time)
{
	struct rec_thread *t = rec_thread_find(tid);

	if (!t)
		return;
	__atomic_store_n(&t->fault_time, fault_time, __ATOMIC_RELAXED);
	t->sample_time = sample_time;
}

void rec_thread_watch(struct rec_thread *t)
{
	if (!t->watched)
		__atomic_fetch_add(&rec_threads.watched, 1, __ATOMIC_RELAXED);
	t->watched = true;
}

void rec_thread_unwatch(struct rec_thread *t)
{
	if (t->watched)
		__atomic_fetch_sub(&rec_threads.watched, 1, __ATOMIC_RELAXED);
	t->watched = false;
}

void rec_thread_reset(void)
{
	memset(rec_threads.slot, 0, sizeof(rec_threads.slot));
	rec_threads.watched = 0;
	rec_threads.solo = 0;
	rec_threads.begun = false;
	rec_threads.handling = 0;
}
