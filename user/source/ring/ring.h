/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - fltctl's end of the limited-memory recorder (include/flt_ring.h).
 *
 * Accepts the process images of a recorded command, gives each its
 * configuration and ring, brings forked children and their parents' servers
 * together, drains the rings, and kills what has lost its server. One thread.
 */
#ifndef FLT_SOURCE_RING_H
#define FLT_SOURCE_RING_H

#include "text/errmsg.h"

#include <flt_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct flt_rings;

/* One image, from its hello until its end. Owned by the rings. */
struct flt_ring_image {
	pid_t pid;
	pid_t server;			/* shares the image's memory; 0 before READY */
	pid_t forked_from;		/* 0 = this image began with exec */
	uint64_t region, region_bytes;	/* the shadow follows, of the same size */
	const struct flt_ring_totals *totals;	/* live */
	void *user;			/* the receiver's own */
};

struct flt_ring_receiver {
	/* The image runs under the limit from now on. */
	int (*begin)(void *arg, struct flt_ring_image *image);
	/* n whole slots, in order, valid during the call. */
	int (*slots)(void *arg, struct flt_ring_image *image, const void *slot, size_t n);
	/*
	 * All slots were received. why: NULL, or a sentence: the process was
	 * killed. Its memory can still be read through image->server.
	 */
	void (*end)(void *arg, struct flt_ring_image *image, const char *why);
	/*
	 * A process runs on without a limit, and why; pid 0: one not known by number.
	 * counted: it is one of its parent's forks_unlimited.
	 */
	void (*refused)(void *arg, pid_t pid, const char *why, bool counted);
	void *arg;
};

int flt_rings_open(struct flt_rings **rings, const struct flt_rec_config *config,
		   const struct flt_ring_receiver *receiver, struct flt_errmsg *e);
/* Images that still live are killed. */
void flt_rings_close(struct flt_rings *rings);

/* Value for the environment variable FLT_RECORD_SOCKET of the command. */
const char *flt_rings_name(const struct flt_rings *rings);
/* Readable when flt_rings_dispatch() has something to do; that returns 0 if it had not. */
int flt_rings_fd(const struct flt_rings *rings);
int flt_rings_dispatch(struct flt_rings *rings);
/* Empties all rings; the number of slots it took, or the receiver's -errno. */
ssize_t flt_rings_drain(struct flt_rings *rings);

/* *sum += *t, member by member. */
void flt_ring_totals_add(struct flt_ring_totals *sum, const struct flt_ring_totals *t);

/* Those count, too, that have yet to begin. */
size_t flt_rings_live(const struct flt_rings *rings);
/* Calls fn for each live image. */
void flt_rings_each(struct flt_rings *rings, void (*fn)(void *arg, struct flt_ring_image *image),
		    void *arg);

#endif
