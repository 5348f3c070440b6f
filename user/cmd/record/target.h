/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_target.h - can the recorder be preloaded into this program? */
#ifndef FLT_CMD_RECORD_TARGET_H
#define FLT_CMD_RECORD_TARGET_H

#include "text/errmsg.h"

/* 0 if execvp() would find it, else -ENOENT or -EACCES. */
int flt_record_target_find(const char *program);

/*
 * -EOPNOTSUPP with a sentence for programs that no library can be preloaded into:
 * static, of another architecture, set-user-ID of somebody else. 0 for all else,
 * also for what is not to be found: running it will say so.
 */
int flt_record_target_check(const char *program, struct flt_errmsg *e);

/*
 * May we, and so the program, serve its faults? With less, a child of the program would
 * read zeros, or its system calls would fail: -EPERM, or -ENOSYS, and a sentence.
 */
int flt_record_target_may(struct flt_errmsg *e);

/* Path (of PATH_MAX bytes) of libfltrec.so beside this fltctl. */
int flt_record_target_library(char *path, struct flt_errmsg *e);

#endif
