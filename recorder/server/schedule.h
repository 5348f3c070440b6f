/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedule.h - where the server runs, and beside whom.
 *
 * To wake a task on another CPU is expensive, above all in a virtual machine. So the server runs
 * on the CPU of the faulting thread. But when it wakes that thread, the kernel prefers another CPU
 * if that is idle. A CPU that runs only tasks of SCHED_IDLE counts as idle (select_idle_sibling()),
 * and then the thread stays. So the server of a program with one thread is such a task.
 *
 * Beside other programs, a task of SCHED_IDLE may wait long for its CPU. (It does not if the kernel
 * groups tasks by session, because the server has a session of its own: sched(7), autogroup.) So
 * the server measures how long faults wait for it. If that is too long, the server becomes a normal
 * task, and the thread resolves its own faults if it can. After a while the server tries again.
 */
#ifndef FLT_REC_SCHEDULE_H
#define FLT_REC_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* Forget an earlier image. */
void rec_schedule_reset(void);
/* Run on the CPU of a faulting thread. */
void rec_schedule_follow(uint16_t cpu);
/*
 * Choose who resolves the faults of a program with one thread, and the server's policy. busy: not
 * only that thread waits for the server.
 */
void rec_schedule_choose(bool busy);
/* Return true if the server runs only while the program's thread sleeps. */
bool rec_schedule_is_idle(void);
/* Note the time until the server ran in a fault of the only thread, in ns. */
void rec_schedule_note(uint64_t ns);

#endif
