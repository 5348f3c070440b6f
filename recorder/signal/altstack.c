// SPDX-License-Identifier: GPL-2.0-or-later
/* altstack.c - per thread: the buffer of its backtraces, a guard page, its signal stack. */
#include "altstack.h"

#include "image/image.h"
#include "lib/core/region.h"

#include <sys/auxv.h>
#include <sys/mman.h>

/*
 * The odd size distinguishes this stack from stacks of the program. Handlers of the program that
 * ask for an alternate stack where there is none run here, so there is room for deep ones.
 */
#define STACK_BYTES (257 * FLT_PAGE)
#define BUFFER_BYTES ((sizeof(struct rec_backtrace) + FLT_PAGE - 1) & ~(FLT_PAGE - 1))
#define ALL_BYTES (BUFFER_BYTES + FLT_PAGE + STACK_BYTES)

static bool is_recorders(const stack_t *s)
{
	return !(s->ss_flags & SS_DISABLE) && s->ss_size == STACK_BYTES;
}

/*
 * The handler and the unwinder take 2 KiB, and the handler may be interrupted: room for two frames
 * of signals, whose size depends on the processor.
 */
bool rec_altstack_is_small(const stack_t *s)
{
	return !(s->ss_flags & SS_DISABLE) && s->ss_size < 4096 + 2 * getauxval(AT_MINSIGSTKSZ);
}

bool rec_altstack_allocate(struct rec_thread *t, struct rec_backtrace **buffer)
{
	stack_t s = { 0 };
	char *m;

	sys2(SYS_sigaltstack, 0, &s);
	if (rec_altstack_is_small(&s))
		return false;
	m = sys_mmap(NULL, ALL_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed((long)m))
		return false;
	*buffer = (struct rec_backtrace *)m;
	sys3(SYS_mprotect, m + BUFFER_BYTES, FLT_PAGE, PROT_NONE);
	t->altstack = m + BUFFER_BYTES + FLT_PAGE;
	if (s.ss_flags & SS_DISABLE || is_recorders(&s)) {
		s = (stack_t){ .ss_sp = t->altstack, .ss_size = STACK_BYTES };
		sys2(SYS_sigaltstack, &s, 0);
	}
	return true;
}

void rec_altstack_free(struct rec_thread *t)
{
	stack_t s = { 0 }, off = { .ss_flags = SS_DISABLE };

	if (!t->backtrace)
		return;
	sys2(SYS_sigaltstack, 0, &s);
	if (s.ss_sp == t->altstack && s.ss_flags & SS_ONSTACK)
		return;
	if (s.ss_sp == t->altstack)
		sys2(SYS_sigaltstack, &off, 0);
	sys2(SYS_munmap, t->backtrace, ALL_BYTES);
	t->backtrace = NULL;
	t->altstack = NULL;
}

long rec_altstack_exchange(const stack_t *set, stack_t *old)
{
	struct rec_thread *t = NULL;
	stack_t before = { 0 }, own;
	long ret;

	if (rec_threads.inlined && rec_image_is_ready())
		t = rec_thread_find(rec_tid());
	if (!t || !t->altstack)
		return sys2(SYS_sigaltstack, set, old);
	/* Let the kernel report a bad pointer. */
	ret = old ? sys2(SYS_sigaltstack, 0, old) : 0;
	if (ret)
		return ret;
	own = (stack_t){ .ss_sp = t->altstack, .ss_size = STACK_BYTES };
	if (set && set->ss_flags & SS_DISABLE)
		set = &own;
	ret = sys2(SYS_sigaltstack, set, &before);
	if (!ret && old)
		*old = is_recorders(&before) ? (stack_t){ .ss_flags = SS_DISABLE } : before;
	return ret;
}
