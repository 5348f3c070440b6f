/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seccomp.h - seccomp(2), which libc has no function for. */
#ifndef FLT_REC_SECCOMP_H
#define FLT_REC_SECCOMP_H

/* Do the system call. Return as libc's syscall() does. */
long rec_seccomp(unsigned int operation, unsigned int flags, void *args);

#endif
