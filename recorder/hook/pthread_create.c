// SPDX-License-Identifier: GPL-2.0-or-later
/* create.c - threads begin where their faults can be told apart. */
#include "rec.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct begin {
	void *(*run)(void *);
	void *arg;
};

static void *begin(void *p)
{
	struct begin b = *(struct begin *)p;

	/* before the heap does anything for this thread */
	rec_thread_enter();
	free(p);
	return b.run(b.arg);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

__attribute__((visibility("default")))
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	static create_fn *next;
	struct begin *b;
	int ret;

	if (!next)
		next = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
	if (!next)
		return ENOSYS;
	if (!rec.ready)
		return next(thread, attr, run, arg);
	b = malloc(sizeof *b);
	if (!b)
		return EAGAIN;
	*b = (struct begin){ run, arg };
	ret = next(thread, attr, begin, b);
	if (ret)
		free(b);
	return ret;
}
