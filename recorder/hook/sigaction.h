/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sigaction.h - rt_sigaction(2) by syscall(), which reaches signals that libc keeps to itself. */
#ifndef FLT_REC_HOOK_SIGACTION_H
#define FLT_REC_HOOK_SIGACTION_H

#include <stddef.h>

/* Do the system call. Return as libc's syscall() does. */
long rec_sigaction_call(int sig, const void *set, void *old, size_t mask_bytes)
	__attribute__((visibility("hidden")));

#endif
