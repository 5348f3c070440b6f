/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rlimit.h - the program's own limits on its addresses and data. */
#ifndef FLT_REC_RLIMIT_H
#define FLT_REC_RLIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/*
 * Return true if a mapping of `bytes` in the region would exceed a limit of the program. data: it
 * is accessible. heap: it is of the heap, which maps more than the program asked for.
 */
bool rec_rlimit_forbids(size_t bytes, bool data, bool heap);
/* As prlimit(2). n: the system call to make, SYS_prlimit64, SYS_getrlimit or SYS_setrlimit. */
long rec_rlimit_call(long n, pid_t pid, unsigned int resource, const struct rlimit *new,
		     struct rlimit *old) __attribute__((noinline));

#endif
