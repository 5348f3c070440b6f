/* SPDX-License-Identifier: GPL-2.0-or-later */
/* receiver.h - the callbacks that receive faults and stacks from the rings. */
#ifndef FLT_SOURCE_RING_RECEIVER_H
#define FLT_SOURCE_RING_RECEIVER_H

#include <flt_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* An image, from its HELLO to its end. The rings own the struct. */
struct flt_ring_image {
	pid_t pid;
	pid_t server;			/* shares the image's memory; 0 before READY */
	pid_t forked_from;		/* 0: the image began with exec */
	uint64_t region, region_bytes;	/* the shadow follows and has the same size */
	const struct flt_ring_totals *totals;	/* live */
	bool corrupt;			/* its ring was overwritten; slots are lost */
	void *user;			/* for the receiver */
};

/* The counts and totals of images, summed up. */
struct flt_ring_sum {
	struct flt_ring_counts faults;
	struct flt_ring_totals totals;
};
/* Add those of a running or ending image. */
void flt_ring_sum_add(struct flt_ring_sum *sum, const struct flt_ring_image *image);

struct flt_ring_receiver {
	/* The image now runs under the limit. */
	int (*begin)(void *arg, struct flt_ring_image *image);
	/* Receive n complete slots, in order, valid during the call. */
	int (*slots)(void *arg, struct flt_ring_image *image, const void *slot, size_t n);
	/*
	 * The image has ended and all slots were received. why: NULL, or the reason why
	 * the process was killed. Its memory can still be read through image->server.
	 */
	void (*end)(void *arg, struct flt_ring_image *image, const char *why);
	/*
	 * A process runs without a limit, with the reason. pid 0: unknown. counted: the
	 * process is already in its parent's forks_unlimited.
	 */
	void (*refused)(void *arg, pid_t pid, const char *why, bool counted);
	void *arg;
};

#endif
