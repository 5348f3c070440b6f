/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire.h - create a ring, and send and receive the messages about the ring
 * (include/flt_ring.h).
 */
#ifndef FLT_SOURCE_RING_WIRE_H
#define FLT_SOURCE_RING_WIRE_H

#include <flt_ring.h>
#include <stddef.h>
#include <sys/types.h>

#define FLT_RING_SLOTS (1u << 15)
#define FLT_RING_BYTES (FLT_RING_DATA + (size_t)FLT_RING_SLOTS * FLT_RING_SLOT)

/* A descriptor was sent, but our limit of descriptors is reached. */
#define FLT_RING_NO_ROOM (-2)

/* Create a ring. The caller unmaps FLT_RING_BYTES and closes the memfd. -errno. */
int flt_ring_make(struct flt_ring_head **ring, int *memfd);

/* Send a message with up to two descriptors, which the caller keeps. -errno. */
int flt_ring_send(int conn, const struct flt_rec_message *message, const int *fds, size_t nfds);

/*
 * Receive a message without waiting. Return 1, with *fd the descriptor of the message, which
 * the caller now owns, or -1, or FLT_RING_NO_ROOM. *sender: process that sent the message, from
 * the kernel. -EAGAIN: there is no message. -EPIPE: the peer has closed. -EPROTO: the message
 * is invalid; its descriptors are closed.
 */
int flt_ring_receive(int conn, struct flt_rec_message *message, int *fd, pid_t *sender);

#endif
