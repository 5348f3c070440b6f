/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clone.h - forks made with libc's syscall(). */
#ifndef FLT_REC_CLONE_H
#define FLT_REC_CLONE_H

#include <stdbool.h>

/*
 * Return true if system call n (fork, clone or clone3) with its first arguments makes a process
 * that has its own memory and goes on on a copy of the same stack.
 */
bool rec_clone_is_fork(long n, long a, long b) __attribute__((visibility("hidden")));
/* Do such a system call. Return as libc's syscall() does. */
long rec_clone_fork(long n, long a, long b, long c, long d, long e)
	__attribute__((visibility("hidden")));

#endif
