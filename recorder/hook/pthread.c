// SPDX-License-Identifier: GPL-2.0-or-later
/* pthread.c - pthread_create(), pthread_cancel() and sigaltstack(). */
#include "image/image.h"
#include "range.h"
#include "signal/altstack.h"
#include "signal/handler.h"
#include "signal/lifetime.h"

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

	/* First, because the heap may fault when it first serves this thread. */
	rec_lifetime_begin();
	free(p);
	return b.run(b.arg);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int cancel_fn(pthread_t);

REC_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			      void *arg)
{
	static create_fn *next;
	struct begin *b;
	int ret;

	if (!next)
		next = (create_fn *)dlsym(RTLD_NEXT, "pthread_create");
	if (!next)
		return ENOSYS;
	if (!rec_image_is_ready())
		return next(thread, attr, run, arg);
	b = malloc(sizeof(*b));
	if (!b)
		return EAGAIN;
	*b = (struct begin){ run, arg };
	ret = next(thread, attr, begin, b);
	if (ret)
		free(b);
	return ret;
}

REC_EXPORT int pthread_cancel(pthread_t thread)
{
	static cancel_fn *next;
	int ret;

	if (!next)
		next = (cancel_fn *)dlsym(RTLD_NEXT, "pthread_cancel");
	if (!next)
		return ENOSYS;
	ret = next(thread);
	if (rec_threads.inlined)
		rec_handler_chain_cancel();
	return ret;
}

REC_EXPORT int sigaltstack(const stack_t *set, stack_t *old)
{
	return (int)rec_range_result(rec_altstack_exchange(set, old));
}
