/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lifetime.h - register the calling thread. It is removed when it ends. */
#ifndef FLT_REC_LIFETIME_H
#define FLT_REC_LIFETIME_H

#include "thread/thread.h"

#include <stdbool.h>

/* Begin the main thread, or the thread that is the main thread after fork. */
void rec_lifetime_begin_main(void);
/* Prepare for another thread. Call before each pthread_create(). */
void rec_lifetime_expect(void);
/* Begin a thread made by pthread_create(). It ends by itself. */
void rec_lifetime_begin(void);

/* Arm and disarm path A for the only thread: see thread/solo.h. */
bool rec_lifetime_arm_solo(struct rec_thread *t);
void rec_lifetime_disarm_solo(struct rec_thread *t);

/*
 * Resolve no more faults on the calling thread: its signal stack, which the program is about to
 * set, is too small for the handler.
 */
void rec_lifetime_disarm(void);

#endif
