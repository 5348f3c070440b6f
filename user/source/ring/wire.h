/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_wire.h - one ring and the messages about it (include/flt_ring.h), as fltctl
 * makes, sends and receives them.
 */
#ifndef FLT_SOURCE_RING_WIRE_H
#define FLT_SOURCE_RING_WIRE_H

#include <flt_ring.h>
#include <stddef.h>

#define FLT_RING_SLOTS (1u << 15)
#define FLT_RING_BYTES (FLT_RING_DATA + (size_t)FLT_RING_SLOTS * FLT_RING_SLOT)

/* Instead of a descriptor that was sent: we cannot have more of them. */
#define FLT_RING_NO_ROOM (-2)

/* The caller unmaps the ring, FLT_RING_BYTES, and closes the memfd. -errno. */
int flt_ring_make(struct flt_ring_head **ring, int *memfd);

/* With up to two descriptors, which stay the caller's. -errno. */
int flt_ring_send(int conn, const struct flt_rec_message *message, const int *fds, size_t nfds);

/*
 * Does not wait. 1, and *fd a descriptor that came along (the caller's now), -1, or
 * FLT_RING_NO_ROOM; -EAGAIN: nothing is there; -EPIPE: they hung up; -EPROTO: that is
 * no message of ours, and what came with it is closed.
 */
int flt_ring_receive(int conn, struct flt_rec_message *message, int *fd);

#endif
