/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - what a limited command inherits. */
#ifndef FLT_CMD_RECORD_CHILD_H
#define FLT_CMD_RECORD_CHILD_H

#include <stdint.h>

/* Set up the child as args, a struct flt_record_args, say. For .prepare of flt_child_setup. */
int flt_record_in_child(void *args);

/*
 * Raise the limits on addresses and data, if there are any, by what the recorder takes in the
 * child. If the user may not raise them so far, raise them as far as possible.
 */
void flt_record_allow_addresses(uint64_t bytes);

/* Set the limit of open files. *before receives the old limit unless it is NULL. */
int flt_record_allow_files(uint64_t files, uint64_t *before);

#endif
