/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pool - objects of one size that probes take: rows of processes, slots of threads.
 *
 * A fork allocates its objects, without sleeping. A fault must not allocate memory, so it takes
 * objects from a reserve. The reserve is filled when accounting starts, for all processes and
 * threads of that time. Later a work item refills it. Only objects of processes and threads
 * without one come from the reserve: those that are older than accounting, and those that
 * found no memory at their fork.
 *
 * With PREEMPT_RT a fork cannot allocate in the probe, so the objects of all forks come from the
 * reserve. A thread of real-time priority can fork so fast that the work item does not run in
 * between. Then children get no object, and their faults are counted as lost (FLT_TALLY_LOSSES).
 */
#ifndef FLT_POOL_H
#define FLT_POOL_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/* Objects in reserve while accounting is on. */
#define FLT_POOL_RESERVE (IS_ENABLED(CONFIG_PREEMPT_RT) ? 2048u : 256u)

struct flt_pool {
	struct kmem_cache *cache;
	size_t size;
	u32 limit;			/* of @used */
	atomic_t used;			/* objects taken, until they are freed */
	atomic_t reserved;
	/* An object in reserve begins with its llist_node. Objects are added without a lock. */
	struct llist_head reserve;
	raw_spinlock_t lock;		/* serializes those that take objects from the reserve */
	struct work_struct refill;
};

/* @limit: maximum number of objects in use. Return 0 or -ENOMEM. */
int flt_pool_init(struct flt_pool *pool, const char *name, size_t size, u32 limit);
/* Free the reserve and the pool. All objects were freed. Does nothing without a pool. */
void flt_pool_exit(struct flt_pool *pool);
/* Return bytes, the reserve included. */
size_t flt_pool_memory(const struct flt_pool *pool);
static inline u32 flt_pool_used(const struct flt_pool *pool)
{
	return atomic_read(&pool->used);
}

/* Fill the reserve up to @count objects. Return 0 or -ENOMEM. May sleep. */
int flt_pool_fill(struct flt_pool *pool, u32 count);
/* Free the reserve. Nobody takes objects any more. May sleep. */
void flt_pool_drain(struct flt_pool *pool);

/*
 * Return an object of zeros, or NULL. @fork: the caller may allocate memory, but not sleep.
 * Else the object comes from the reserve.
 */
void *flt_pool_take(struct flt_pool *pool, bool fork);
/* Return true if the reserve has an object for a fault. If not, order a refill. */
bool flt_pool_has_room(struct flt_pool *pool);
/* Put an object, which nobody else has seen, into the reserve. */
void flt_pool_return(struct flt_pool *pool, void *object);
/* Free an object. Not in a probe, because PREEMPT_RT may sleep. */
void flt_pool_free(struct flt_pool *pool, void *object);

#endif
