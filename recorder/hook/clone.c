// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clone.c - forks that do not call the handlers of fork(): clone(), _Fork(), syscall().
 *
 * Their children run unlimited and unrecorded. The shadow is frozen meanwhile, so that no other
 * thread takes a page away that the child lacks.
 */
#include "clone.h"

#include "argument.h"
#include "image/image.h"
#include "range.h"
#include "recent.h"
#include "start/fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

typedef pid_t fork_fn(void);
static fork_fn *next_fork;

int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...);

/* _Fork() may be called in a signal handler, so look libc's function up before. */
__attribute__((constructor(102))) static void find_next(void)
{
	next_fork = (fork_fn *)dlsym(RTLD_NEXT, "_Fork");
}

struct begin {
	int (*run)(void *);
	void *arg;
};

static int begin(void *p)
{
	struct begin b = *(struct begin *)p;

	rec_fork_raw_end(true);
	return b.run(b.arg);
}

REC_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
	struct begin b = { run, arg };
	void *parent_tid, *tls, *child_tid;
	va_list ap;
	int ret;

	/* Those that flags do not ask for are not used. */
	va_start(ap, arg);
	parent_tid = va_arg(ap, void *);
	tls = va_arg(ap, void *);
	child_tid = va_arg(ap, void *);
	va_end(ap);
	/* The kernel clears the word when the thread ends, and takes no faults then. */
	if (flags & CLONE_CHILD_CLEARTID && flags & CLONE_VM && !rec_image.filtered)
		rec_range_eject(child_tid, sizeof(pid_t));
	if (flags & CLONE_VM || !run || !stack || !rec_fork_raw_begin())
		return __clone(run, stack, flags, arg, parent_tid, tls, child_tid);
	ret = __clone(begin, stack, flags, &b, parent_tid, tls, child_tid);
	rec_fork_raw_end(false);
	return ret;
}

REC_EXPORT pid_t _Fork(void)
{
	bool begun;
	pid_t ret;

	if (!next_fork)
		return (pid_t)rec_range_result(-ENOSYS);
	begun = rec_fork_raw_begin();
	ret = next_fork();
	if (begun)
		rec_fork_raw_end(!ret);
	return ret;
}

bool rec_clone_is_fork(long n, long a, long b)
{
	struct clone_args args = { 0 };

	if (!rec_image_is_ready() || rec_image.filtered)
		return false;
	switch (n) {
#ifdef SYS_fork	/* arm64 has clone only */
	case SYS_fork:
		return true;
#endif
	case SYS_clone:
		return !(a & CLONE_VM) && !b;
	}
	/* The kernel reports bad arguments. */
	return b >= CLONE_ARGS_SIZE_VER0 &&
	       rec_argument_read(&args, (void *)a, CLONE_ARGS_SIZE_VER0) &&
	       !(args.flags & CLONE_VM) && !args.stack;
}

long rec_clone_fork(long n, long a, long b, long c, long d, long e)
{
	bool begun = rec_fork_raw_begin();
	long ret = sys5(n, a, b, c, d, e);

	if (begun)
		rec_fork_raw_end(!ret);
	return rec_range_result(ret);
}
