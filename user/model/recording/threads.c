// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/recording/threads.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "index/hash_table.h"

#define THREADS_MAX (4u << 20)

struct thread {
	UT_hash_handle hh;
	uint64_t key;		/* image << 32 | tid */
	const char *comm;
};

struct flt_threads {
	struct thread *table;
};

struct flt_threads *flt_threads_new(void)
{
	return calloc(1, sizeof(struct flt_threads));
}

void flt_threads_free(struct flt_threads *t)
{
	struct thread *thread, *next;

	if (!t)
		return;
	HASH_ITER(hh, t->table, thread, next) {
		HASH_DEL(t->table, thread);
		free(thread);
	}
	free(t);
}

static struct thread *thread_find(const struct flt_threads *t, uint32_t image, uint32_t tid)
{
	uint64_t key = (uint64_t)image << 32 | tid;
	struct thread *thread;

	HASH_FIND(hh, t->table, &key, sizeof(key), thread);
	return thread;
}

int flt_threads_set(struct flt_threads *t, uint32_t image, uint32_t tid, const char *comm)
{
	struct thread *thread = thread_find(t, image, tid);

	if (thread) {
		thread->comm = comm;
		return 0;
	}
	if (HASH_COUNT(t->table) >= THREADS_MAX)
		return -E2BIG;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return -ENOMEM;
	thread->key = (uint64_t)image << 32 | tid;
	thread->comm = comm;
	HASH_ADD(hh, t->table, key, sizeof(thread->key), thread);
	if (!flt_hash_added(&thread->hh)) {
		free(thread);
		return -ENOMEM;
	}
	return 0;
}

const char *flt_threads_comm(const struct flt_threads *t, uint32_t image, uint32_t tid)
{
	const struct thread *thread = thread_find(t, image, tid);

	return thread ? thread->comm : NULL;
}
