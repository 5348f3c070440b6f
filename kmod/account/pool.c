// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>
#include <linux/string.h>
#include "account/pool.h"

static void refill_reserve(struct work_struct *work)
{
	flt_pool_fill(container_of(work, struct flt_pool, refill), FLT_POOL_RESERVE);
}

int flt_pool_init(struct flt_pool *pool, const char *name, size_t size, u32 limit)
{
	pool->size = size;
	pool->limit = limit;
	init_llist_head(&pool->reserve);
	raw_spin_lock_init(&pool->lock);
	INIT_WORK(&pool->refill, refill_reserve);
	pool->cache = kmem_cache_create(name, size, 0, 0, NULL);
	return pool->cache ? 0 : -ENOMEM;
}

void flt_pool_exit(struct flt_pool *pool)
{
	if (!pool->cache)
		return;
	flt_pool_drain(pool);
	kmem_cache_destroy(pool->cache);
	pool->cache = NULL;
}

size_t flt_pool_memory(const struct flt_pool *pool)
{
	return (atomic_read(&pool->used) + atomic_read(&pool->reserved)) * pool->size;
}

int flt_pool_fill(struct flt_pool *pool, u32 count)
{
	struct llist_node *node;

	while (atomic_read(&pool->reserved) < count) {
		node = kmem_cache_alloc(pool->cache, GFP_KERNEL | __GFP_NOWARN);
		if (!node)
			return -ENOMEM;
		atomic_inc(&pool->reserved);
		llist_add(node, &pool->reserve);
	}
	return 0;
}

void flt_pool_drain(struct flt_pool *pool)
{
	struct llist_node *node, *next;

	cancel_work_sync(&pool->refill);
	llist_for_each_safe(node, next, llist_del_all(&pool->reserve)) {
		kmem_cache_free(pool->cache, node);
		atomic_dec(&pool->reserved);
	}
}

/* Return true if the reserve is not empty. If it is, order a refill. */
static bool has_reserve(struct flt_pool *pool)
{
	if (!llist_empty(&pool->reserve))
		return true;
	queue_work(system_highpri_wq, &pool->refill);
	return false;
}

static void *take_reserved(struct flt_pool *pool)
{
	struct llist_node *node;

	/* Without memory, faults come here again and again. They must not share a lock. */
	if (!has_reserve(pool))
		return NULL;
	raw_spin_lock(&pool->lock);
	node = llist_del_first(&pool->reserve);
	raw_spin_unlock(&pool->lock);
	if (node && atomic_dec_return(&pool->reserved) < FLT_POOL_RESERVE / 2)
		queue_work(system_highpri_wq, &pool->refill);
	return node;
}

bool flt_pool_has_room(struct flt_pool *pool)
{
	return flt_pool_used(pool) < pool->limit && has_reserve(pool);
}

void *flt_pool_take(struct flt_pool *pool, bool fork)
{
	void *object = NULL;

	if (atomic_inc_return(&pool->used) > pool->limit)
		goto none;
	/* With PREEMPT_RT, even GFP_NOWAIT may sleep, and preemption is off here. */
	if (fork && !IS_ENABLED(CONFIG_PREEMPT_RT))
		object = kmem_cache_alloc(pool->cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!object)
		object = take_reserved(pool);
	if (!object)
		goto none;
	memset(object, 0, pool->size);
	return object;
none:
	atomic_dec(&pool->used);
	return NULL;
}

void flt_pool_return(struct flt_pool *pool, void *object)
{
	atomic_inc(&pool->reserved);
	llist_add(object, &pool->reserve);
	atomic_dec(&pool->used);
}

void flt_pool_free(struct flt_pool *pool, void *object)
{
	kmem_cache_free(pool->cache, object);
	atomic_dec(&pool->used);
}
