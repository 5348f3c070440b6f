/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handler.h - path A: the signal handler that resolves a fault on the thread that raised it. */
#ifndef FLT_REC_HANDLER_H
#define FLT_REC_HANDLER_H

#include "thread/thread.h"

#include <stdbool.h>

/* Return true unless the processor or --no-inline forbids path A. */
bool rec_handler_is_possible(void);
/*
 * Turn path A on, if it is possible and the kernel supports it. rec_threads.filter is loaded. Sets
 * rec_threads.inlined. Call once per image with all signals blocked. again: in a forked child.
 */
void rec_handler_install(bool again);
/* Give the calling thread the signal stack of path A. Return false if it cannot have one. */
bool rec_handler_prepare(struct rec_thread *t);
/*
 * Arm path A for a thread that is prepared, whichever thread that is: open its perf events. Return
 * false if the server has to serve the thread.
 */
bool rec_handler_arm(struct rec_thread *t);
/* Close the perf events of a thread. It stays prepared. */
void rec_handler_close(struct rec_thread *t);
/* Undo both for the calling thread. */
void rec_handler_disarm(struct rec_thread *t);
/*
 * Use the filter of grants for a thread that may be armed, whichever thread that is. Return false
 * on error. Caller holds the pager lock.
 */
bool rec_handler_renew(struct rec_thread *t);
/* Return true if path A is on and uses the signal. */
bool rec_handler_uses(int sig);
/* Turn path A off for all threads, for good. No thread is in the handler afterwards. */
void rec_handler_turn_off(void);
/*
 * Install the recorder's handler again and let it call libc's handler. Call after
 * pthread_cancel(), because libc installs its handler of the same signal at the first call.
 */
void rec_handler_chain_cancel(void);

#endif
