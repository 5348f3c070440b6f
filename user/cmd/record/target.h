/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target.h - check whether the recorder can be preloaded into a program. */
#ifndef FLT_CMD_RECORD_TARGET_H
#define FLT_CMD_RECORD_TARGET_H

#include <stdbool.h>

#include "text/errmsg.h"

/* Return 0 if execvp() would find the program, else -ENOENT or -EACCES. */
int flt_record_target_find(const char *program);

/*
 * Open the file that the kernel executes for a program: for a script, its interpreter. name
 * receives its path, PATH_MAX bytes. Return a descriptor or -1.
 */
int flt_record_target_open(const char *program, char *name);

/*
 * Return -EOPNOTSUPP for a program that cannot load the recorder: statically linked, of another
 * architecture or C library, with file capabilities, or set-user-ID of another user. A script is
 * as its interpreter. Return 0 for other programs, and for missing programs, because exec reports
 * them.
 */
int flt_record_target_check(const char *program, struct flt_errmsg *e);

/*
 * Return 0 if userfaultfd can handle faults in system calls and report forks, and if pages can be
 * evicted. Otherwise children of the program would read zeros and its system calls would fail:
 * return -EPERM or -ENOSYS. copy: evict pages by copying (--no-move).
 */
int flt_record_target_may(bool copy, struct flt_errmsg *e);

/* Write the path of libfltrec.so into path, PATH_MAX bytes. Return 0 or -errno. */
int flt_record_target_library(char *path, struct flt_errmsg *e);

#endif
