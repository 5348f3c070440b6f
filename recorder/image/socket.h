/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socket.h - messages between the image, its server and fltctl. */
#ifndef FLT_REC_SOCKET_H
#define FLT_REC_SOCKET_H

#include <flt_ring.h>
#include <stdbool.h>

/* Connect to fltctl. Return a descriptor, -ENOENT if nobody records, or another -errno. */
int rec_socket_connect(void);
/* Return true if this process is in another network namespace now, which lacks the name. */
bool rec_socket_is_elsewhere(void);
/* Return the number of seccomp filters of fltctl. */
unsigned int rec_socket_filters(void);
/* Send a message and, if pass >= 0, a descriptor. Return 0 or -errno. */
int rec_socket_send(int fd, const struct flt_rec_message *m, int pass);
/*
 * Receive a message and up to two descriptors (-1 = none). Return 1, 0 if there is no message
 * and wait is false, or -errno.
 */
int rec_socket_receive(int fd, struct flt_rec_message *m, int pass[2], bool wait);
/* Tell fltctl that process pid, or with 0 a process that is about to start, runs unrecorded. */
void rec_socket_refuse(int fd, int pid, const char *why);

#endif
