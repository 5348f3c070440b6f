/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.h - set up the region and its server. */
#ifndef FLT_REC_SETUP_H
#define FLT_REC_SETUP_H

#include <stdint.h>

/*
 * Get configuration and ring from fltctl, map the region and start the server. A forked child
 * takes its parent's region over instead: child_of is the parent's id, seq the number of the
 * fork; both are 0 otherwise. Closes the socket in any case. On error, tell fltctl that this
 * process runs unrecorded, and return -errno. Call with all signals blocked.
 */
int rec_setup(int socket, uint64_t child_of, uint64_t seq);
/* Unmap region and shadow of an image whose start failed. It may have few addresses. */
void rec_setup_unmap(void);

#endif
