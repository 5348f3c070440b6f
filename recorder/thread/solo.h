/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * solo.h - who resolves the faults of a program that has one thread.
 *
 * The thread does in the first moments, by path A. Then the server does, as long as that is
 * cheaper: on the thread's own CPU it needs neither an interrupt nor a signal, see
 * server/schedule.h. Before the program makes a second thread, and when the server gets too little
 * CPU time, path A is armed.
 */
#ifndef FLT_REC_SOLO_H
#define FLT_REC_SOLO_H

#include "thread.h"

#include <stdbool.h>
#include <stdint.h>

/* Set the functions that arm and disarm path A for a thread, before the first thread begins. */
void rec_solo_prepare(bool (*arm)(struct rec_thread *t), void (*disarm)(struct rec_thread *t));
/*
 * The calling thread is the only one. The server resolves its faults if path A is off; otherwise
 * the thread does, until the server asks for that.
 */
void rec_solo_begin(struct rec_thread *t);
/* Arm path A for the thread that was the only one, before another begins. Signals are blocked. */
void rec_solo_end(void);

/* Return true if the program has one thread of libc, and the server resolves its faults. */
bool rec_solo_is_served(void);
/* Return true if the program has one thread of libc, and that resolves its faults. */
bool rec_solo_is_armed(void);
/* Return true if the server watches no thread beside that, such as one that libc does not know. */
bool rec_solo_is_alone(void);
/* Arm path A for the only thread. Return false if that is impossible. Pager lock held. */
bool rec_solo_arm(void);
/* Let the server resolve the faults of the only thread again. Pager lock held. */
void rec_solo_disarm(void);

#endif
