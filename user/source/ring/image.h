/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image.h - one connection of the rings, to an image and later to its server. Private. */
#ifndef FLT_SOURCE_RING_IMAGE_H
#define FLT_SOURCE_RING_IMAGE_H

#include "source/ring/receiver.h"

enum state {
	FRESH = 0,	/* connected, no message yet */
	WAITING,	/* a forked child; its parent's server still serves it */
	STARTING,	/* configured */
	RUNNING,
	OVER,		/* to be freed when its server has ended */
	LOST,		/* its server died; kept for its forked children, which lack memory */
};

struct image {
	struct flt_ring_image public;
	struct image *next;
	enum state state;
	int conn;
	int pidfd, server;	/* pidfds of the process and of its server, or -1 */
	uint64_t id, parent;	/* random ids of this image, and of the image that forked */
	uint64_t fork_seq;
	uint64_t since;		/* when it connected */
	struct flt_ring_head *ring;
	uint64_t tail;
};

struct flt_rings {
	struct flt_rec_config config;
	struct flt_ring_receiver to;
	char name[40];
	char token[FLT_REC_TOKEN];
	char address[96];	/* for the environment of the command */
	int listener, epoll;
	int reserve;		/* a descriptor for when there is no other */
	uint64_t expires_from;	/* when flt_rings_expire() was called first, or 0 */
	struct image *first;
	bool inlined;	/* an image has resolved faults on the faulting thread */
};

/* Return the peer's PID in our namespace, from the kernel; 0: unknown. */
pid_t flt_image_peer(const struct image *i);
/* Receive and answer one message. Return 0 or the receiver's -errno. */
int flt_image_hear(struct flt_rings *r, struct image *i);
/* Pass the slots of an image to the receiver. Return their number, or the receiver's -errno. */
ssize_t flt_image_drain(struct flt_rings *r, struct image *i);
/* Send SIGKILL to the process. Return false if it has ended, or if it has no pidfd. */
bool flt_image_send_kill(const struct image *i);
/* Kill an image that runs, drain its ring, and report its end with `why`. */
void flt_image_kill(struct flt_rings *r, struct image *i, const char *why);
/* Release all of an image but the struct and the pidfd of its server. */
void flt_image_hang_up(struct flt_rings *r, struct image *i);
/*
 * Return true if the server has ended. Until then, the server holds the program's files open,
 * also after the message of the end, and nobody can unmount their file systems.
 */
bool flt_image_has_no_server(const struct image *i);
/* Free an image that is over. */
void flt_image_free(struct image *i);

#endif
