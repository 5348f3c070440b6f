/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sleep.h - ask the kernel in which function a thread sleeps. */
#ifndef FLT_REC_SLEEP_H
#define FLT_REC_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Return true if a thread of the program sleeps in a kernel function whose name contains
 * `function`. If the kernel does not say, return true after a second since `since`.
 */
bool rec_sleep_in(uint32_t tid, const char *function, uint64_t since);
/* Return true if tid is a thread of the program, not a process that shares its memory. */
bool rec_sleep_is_own_thread(uint32_t tid);

#endif
