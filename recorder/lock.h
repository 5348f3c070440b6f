/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - a futex lock that threads of the image and its fault server share.
 *
 * The word is 0 when free, else the owner's tid, with WAITERS set when somebody
 * sleeps. The owner's identity matters: when the owner itself faults on limited
 * memory (its stack may lie there), the server finds its tid here and serves
 * that fault without the lock - the owner is asleep in it, so nothing moves.
 * Sleeps are bounded: a waiter looks again every 10 ms.
 */
#ifndef FLT_REC_LOCK_H
#define FLT_REC_LOCK_H

#include "sys.h"

#include <linux/futex.h>
#include <stdbool.h>

#define REC_LOCK_WAITERS 0x80000000u
#define REC_LOCK_SPIN    60000	/* cycles */

struct rec_lock {
	uint32_t word;
	uint32_t tenure;	/* how often it was given up: the same twice, and so is its owner's hold */
};

static inline bool rec_lock_try(struct rec_lock *l, uint32_t tid)
{
	uint32_t zero = 0;

	return __atomic_compare_exchange_n(&l->word, &zero, tid, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static inline uint32_t rec_lock_owner(const struct rec_lock *l)
{
	return __atomic_load_n(&l->word, __ATOMIC_ACQUIRE) & ~REC_LOCK_WAITERS;
}

/* To be asked before the owner, and again after what the owner does has been looked at. */
static inline uint32_t rec_lock_tenure(const struct rec_lock *l)
{
	return __atomic_load_n(&l->tenure, __ATOMIC_ACQUIRE);
}

static inline void rec_lock_take(struct rec_lock *l, uint32_t tid)
{
	struct timespec t = { .tv_nsec = 10 * 1000 * 1000 };
	uint32_t want = tid, seen;
	uint64_t until = 0;

	for (;;) {
		seen = 0;
		if (__atomic_compare_exchange_n(&l->word, &seen, want, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
		/*
		 * Held for a fault: microseconds. A virtual CPU that sleeps takes tens of them to
		 * wake, so look for about that long; the clock's rate need not be known better.
		 */
		if (!until)
			until = __builtin_ia32_rdtsc() + REC_LOCK_SPIN;
		if (__builtin_ia32_rdtsc() < until) {
			while (__atomic_load_n(&l->word, __ATOMIC_RELAXED) &&
			       __builtin_ia32_rdtsc() < until)
				__builtin_ia32_pause();
			continue;
		}
		/* having slept once, take it with the mark: others may sleep too */
		want = tid | REC_LOCK_WAITERS;
		if (!(seen & REC_LOCK_WAITERS) &&
		    !__atomic_compare_exchange_n(&l->word, &seen, seen | REC_LOCK_WAITERS, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		sys4(SYS_futex, &l->word, FUTEX_WAIT_PRIVATE, seen | REC_LOCK_WAITERS, &t);
	}
}

static inline void rec_lock_drop(struct rec_lock *l)
{
	__atomic_store_n(&l->tenure, l->tenure + 1, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) & REC_LOCK_WAITERS)
		sys3(SYS_futex, &l->word, FUTEX_WAKE_PRIVATE, 1);
}

#endif
