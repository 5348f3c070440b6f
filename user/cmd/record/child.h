/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - what a limited command inherits. */
#ifndef FLT_CMD_RECORD_CHILD_H
#define FLT_CMD_RECORD_CHILD_H

#include <stdint.h>

#include <flt_ring.h>

/* Set up the child as args, a struct flt_record_args, say. For .prepare of flt_child_setup. */
int flt_record_in_child(void *args);

/*
 * Choose the room of the region so that the limits on addresses and data, if there are any, can
 * be raised by what the recorder takes. Sets room and addresses. page: bytes of a page.
 */
void flt_record_choose_room(struct flt_rec_config *config, uint64_t page);
/* Raise the limits by config->addresses. Call in the child. */
void flt_record_allow_addresses(const struct flt_rec_config *config);

/* Set the limit of open files. *before receives the old limit unless it is NULL. */
int flt_record_allow_files(uint64_t files, uint64_t *before);

#endif
