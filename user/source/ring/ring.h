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

#include "source/ring/receiver.h"
#include "text/errmsg.h"

#include <flt_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct flt_rings;

int flt_rings_open(struct flt_rings **rings, const struct flt_rec_config *config,
		   const struct flt_ring_receiver *receiver, struct flt_errmsg *e);
/* Kill images that still run, pass on what they recorded, and report their ends with `why`. */
void flt_rings_kill(struct flt_rings *rings, const char *why);
/* Kill images that still run without a report, and free everything. */
void flt_rings_close(struct flt_rings *rings);

/* Return the value of the command's environment variable FLT_RECORD_SOCKET. */
const char *flt_rings_name(const struct flt_rings *rings);
/* The descriptor is readable when flt_rings_dispatch() has work. */
int flt_rings_fd(const struct flt_rings *rings);
int flt_rings_dispatch(struct flt_rings *rings);
/*
 * Hang up on images that have not started 10 s after both their connection and the first call.
 * If such an image lives, it runs unlimited. Give up servers that have not ended 10 s after the
 * first call. To be called from the end of the command on. Before that an image may take any
 * time, because the machine may be slow.
 */
void flt_rings_expire(struct flt_rings *rings);
/* Drain all rings. Return the number of slots, or the receiver's -errno. */
ssize_t flt_rings_drain(struct flt_rings *rings);

/* Return the number of images, with those that have not started, or whose server still ends. */
size_t flt_rings_live(const struct flt_rings *rings);
/* Call fn for each running image. */
void flt_rings_each(struct flt_rings *rings, void (*fn)(void *arg, struct flt_ring_image *image),
		    void *arg);

#endif
