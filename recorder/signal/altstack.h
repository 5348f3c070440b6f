/* SPDX-License-Identifier: GPL-2.0-or-later */
/* altstack.h - the alternate stack on which the handler of path A runs. */
#ifndef FLT_REC_ALTSTACK_H
#define FLT_REC_ALTSTACK_H

#include "thread/thread.h"

#include <signal.h>

/* Return true if a stack of the program has no room for the handler of path A. */
bool rec_altstack_is_small(const stack_t *s);
/*
 * Allocate backtrace buffer and alternate stack of the calling thread. The stack is installed
 * unless the program has one. Return false if that is small, or if there is no memory. Sets
 * t->altstack only: the caller stores t->backtrace when the thread is ready for signals.
 */
bool rec_altstack_allocate(struct rec_thread *t, struct rec_backtrace **buffer);
/* Free both. If the caller runs on the stack, it stays until the process ends. */
void rec_altstack_free(struct rec_thread *t);
/*
 * Do a sigaltstack() of the program. Report the recorder's stack as no stack. Return 0 or
 * -errno.
 */
long rec_altstack_exchange(const stack_t *set, stack_t *old);

#endif
