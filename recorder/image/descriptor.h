/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptor.h - numbers of the recorder's descriptors. */
#ifndef FLT_REC_DESCRIPTOR_H
#define FLT_REC_DESCRIPTOR_H

#include <stdbool.h>

/*
 * Move a descriptor out of the way of programs that expect low numbers. Return the new one; an
 * error code stays.
 */
int rec_descriptor_raise(int fd);

/*
 * The program and its server have different tables of descriptors, in which the recorder's
 * descriptors have the same numbers.
 */

/*
 * Give the descriptor in *place another number, because the program wants to use its own. Set
 * *place. The old number stays open as well. in_server: the server has the descriptor, too. Caller
 * holds the map lock, so there is one such change at a time. Return 0 or -errno.
 */
int rec_descriptor_renumber(int *place, bool in_server);
/* The server: do the same in the table of the server, if a thread waits for that. */
void rec_descriptor_answer(void);

#endif
