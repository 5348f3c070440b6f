/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - a futex lock shared by the threads of the image and its fault server.
 *
 * The word is 0 if the lock is free, else the owner's tid, plus REC_LOCK_WAITERS if a thread
 * may sleep. The server has to know the owner: the owner may fault on limited memory itself,
 * because its stack may be there. The server then serves that fault without the lock. This is
 * safe, because the owner sleeps in the fault and changes nothing.
 *
 * Sleeps are bounded: a waiter tries again every 10 ms.
 */
#ifndef FLT_REC_LOCK_H
#define FLT_REC_LOCK_H

#include "arch/cycles.h"
#include "image.h"
#include "lib/core/sys.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <time.h>

#define REC_LOCK_WAITERS 0x80000000u

struct rec_lock {
	uint32_t word;
	/*
	 * Release count. If two reads return the same value, the lock was not released in
	 * between, so the owner seen between them held it all the time.
	 */
	uint32_t releases;
};

static inline bool rec_lock_try(struct rec_lock *l, uint32_t tid)
{
	uint32_t zero = 0;

	return __atomic_compare_exchange_n(&l->word, &zero, tid, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Try for about a microsecond. For the server, which must never wait for a lock. */
static inline bool rec_lock_try_briefly(struct rec_lock *l, uint32_t tid)
{
	for (int spin = 0; spin < 200; spin++) {
		if (rec_lock_try(l, tid))
			return true;
		rec_cycles_relax();
	}
	return false;
}

/* Return the owner's tid, or 0 if the lock is free. */
static inline uint32_t rec_lock_owner(const struct rec_lock *l)
{
	return __atomic_load_n(&l->word, __ATOMIC_ACQUIRE) & ~REC_LOCK_WAITERS;
}

/* Read this before the owner, and again after the owner was examined. */
static inline uint32_t rec_lock_releases(const struct rec_lock *l)
{
	return __atomic_load_n(&l->releases, __ATOMIC_ACQUIRE);
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
		 * A fault holds the lock for microseconds, and a virtual CPU that sleeps takes
		 * tens of them to wake. So spin for about that long.
		 */
		if (!until)
			until = rec_cycles_read() + rec_cycles_spin();
		/* A filtered image may not call futex(). */
		if (rec_image.filtered || rec_cycles_read() < until) {
			while (__atomic_load_n(&l->word, __ATOMIC_RELAXED) &&
			       rec_cycles_read() < until)
				rec_cycles_relax();
			continue;
		}
		/* After a sleep, take the lock with the mark, because others may sleep too. */
		want = tid | REC_LOCK_WAITERS;
		if (!(seen & REC_LOCK_WAITERS) &&
		    !__atomic_compare_exchange_n(&l->word, &seen, seen | REC_LOCK_WAITERS, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		sys4(SYS_futex, &l->word, FUTEX_WAIT_PRIVATE, seen | REC_LOCK_WAITERS, &t);
	}
}

static inline void rec_lock_release(struct rec_lock *l)
{
	__atomic_store_n(&l->releases, l->releases + 1, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) & REC_LOCK_WAITERS &&
	    !rec_image.filtered)
		sys3(SYS_futex, &l->word, FUTEX_WAKE_PRIVATE, 1);
}

#endif
