/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex.h - futex(2), which libc has no function for. */
#ifndef FLT_REC_FUTEX_H
#define FLT_REC_FUTEX_H

/* Do the system call. Return as libc's syscall() does. */
long rec_futex(void *word, int operation, long n, long more, void *other, long last)
	__attribute__((visibility("hidden")));

#endif
