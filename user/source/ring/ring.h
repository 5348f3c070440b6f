/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - fltctl's side of the recorder with limited memory (include/flt_ring.h).
 *
 * Accept the process images of a recorded command, send each its configuration and its
 * ring, connect forked children with their parents' servers, drain the rings, and kill
 * images that have lost their server. Single-threaded.
 */
#ifndef FLT_SOURCE_RING_H
#define FLT_SOURCE_RING_H

#include "text/errmsg.h"

#include <flt_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct flt_rings;

/* An image, from its HELLO to its end. The rings own the struct. */
struct flt_ring_image {
	pid_t pid;
	pid_t server;			/* shares the image's memory; 0 before READY */
	pid_t forked_from;		/* 0: the image began with exec */
	uint64_t region, region_bytes;	/* the shadow follows and has the same size */
	const struct flt_ring_totals *totals;	/* live */
	void *user;			/* for the receiver */
};

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

int flt_rings_open(struct flt_rings **rings, const struct flt_rec_config *config,
		   const struct flt_ring_receiver *receiver, struct flt_errmsg *e);
/* Kill images that still run, and free everything. */
void flt_rings_close(struct flt_rings *rings);

/* Return the value of the command's environment variable FLT_RECORD_SOCKET. */
const char *flt_rings_name(const struct flt_rings *rings);
/* The descriptor is readable when flt_rings_dispatch() has work. */
int flt_rings_fd(const struct flt_rings *rings);
int flt_rings_dispatch(struct flt_rings *rings);
/* Drain all rings. Return the number of slots, or the receiver's -errno. */
ssize_t flt_rings_drain(struct flt_rings *rings);

/* Add t to sum, member by member. */
void flt_ring_totals_add(struct flt_ring_totals *sum, const struct flt_ring_totals *t);

/* Return the number of images, including images that have not started. */
size_t flt_rings_live(const struct flt_rings *rings);
/* Call fn for each running image. */
void flt_rings_each(struct flt_rings *rings, void (*fn)(void *arg, struct flt_ring_image *image),
		    void *arg);

#endif
