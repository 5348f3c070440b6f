// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pthread.c - pthread_create(), thrd_create(), pthread_cancel(), pthread_mutex_init() and
 * sigaltstack().
 *
 * When a thread ends, the kernel writes to libc's description of the thread and to the robust
 * mutexes that it owns. A fault of an ending thread is not given to a userfaultfd: the write
 * fails. The same goes for a mutex with priority inheritance (fixup_user_fault() of futexes). So
 * these words must stay resident.
 */
#include "arch/libc.h"
#include "argument.h"
#include "image/image.h"
#include "range.h"
#include "region/region.h"
#include "signal/altstack.h"
#include "signal/handler.h"
#include "signal/lifetime.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

/* What a thread of pthread_create() or thrd_create() runs. */
struct begin {
	void *(*run)(void *);
	thrd_start_t run_c11;
	void *arg;
};

/* Prepare for a thread. Return the argument of its first function, or NULL without memory. */
static struct begin *expect(struct begin b)
{
	struct begin *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	*p = b;
	rec_lifetime_expect();
	return p;
}

static struct begin take(void *p)
{
	struct begin b = *(struct begin *)p;

	/* First, because the heap may fault when it first serves this thread. */
	rec_lifetime_begin();
	free(p);
	return b;
}

static void *begin(void *p)
{
	struct begin b = take(p);

	return b.run(b.arg);
}

static int begin_c11(void *p)
{
	struct begin b = take(p);

	return b.run_c11(b.arg);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int create_c11_fn(thrd_t *, thrd_start_t, void *);
typedef int cancel_fn(pthread_t);

/* libc's description of a thread is at the end of its stack, within these bytes. */
#define DESCRIPTION_BYTES (16UL << 10)

/* Keep the description of a thread resident if its stack is limited memory. */
static void keep_description(const pthread_attr_t *attr)
{
	uintptr_t end;
	void *lo;
	size_t n;

	if (!attr || pthread_attr_getstack(attr, &lo, &n) || !lo || n < DESCRIPTION_BYTES)
		return;
	end = (uintptr_t)lo + n;
	if (rec_region_contains(end - 1))
		rec_range_eject((void *)(end - DESCRIPTION_BYTES), DESCRIPTION_BYTES);
}

/* libc's own name of pthread_mutex_init(), because dlsym() may initialize a mutex. */
int libc_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
__asm__(".symver libc_mutex_init, __pthread_mutex_init@" REC_LIBC_VERSION);

REC_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	int robust = PTHREAD_MUTEX_STALLED, protocol = PTHREAD_PRIO_NONE;

	if (attr && ((!pthread_mutexattr_getrobust(attr, &robust) &&
		      robust == PTHREAD_MUTEX_ROBUST) ||
		     (!pthread_mutexattr_getprotocol(attr, &protocol) &&
		      protocol == PTHREAD_PRIO_INHERIT)))
		rec_range_eject(mutex, sizeof(*mutex));
	return libc_mutex_init(mutex, attr);
}

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
	keep_description(attr);
	b = expect((struct begin){ .run = run, .arg = arg });
	if (!b)
		return EAGAIN;
	ret = next(thread, attr, begin, b);
	if (ret)
		free(b);
	return ret;
}

/* libc does not call pthread_create() for these threads. */
REC_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
	static create_c11_fn *next;
	struct begin *b;
	int ret;

	if (!next)
		next = (create_c11_fn *)dlsym(RTLD_NEXT, "thrd_create");
	if (!next)
		return thrd_error;
	if (!rec_image_is_ready())
		return next(thread, run, arg);
	b = expect((struct begin){ .run_c11 = run, .arg = arg });
	if (!b)
		return thrd_nomem;
	ret = next(thread, begin_c11, b);
	if (ret != thrd_success)
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
	stack_t copy;

	/* The kernel reports a bad pointer. */
	if (!rec_image_is_ready() || (set && !rec_argument_read(&copy, set, sizeof(copy))))
		return (int)rec_range_result(sys2(SYS_sigaltstack, set, old));
	if (set && rec_altstack_is_small(&copy))
		rec_lifetime_disarm();
	return (int)rec_range_result(rec_altstack_exchange(set ? &copy : NULL, old));
}
