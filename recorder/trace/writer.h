/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writer.h - the image's end of the ring that fltctl drains. Callers hold the pager lock. */
#ifndef FLT_REC_WRITER_H
#define FLT_REC_WRITER_H

#include <flt_ring.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Map the ring in a memfd of fltctl, in place of the one that a forked child has from its parent.
 * Set rec_image.totals and .connected. Return 0 or -errno.
 */
int rec_writer_open(int fd);
/*
 * Add to no totals of the parent any more, in a forked child. Its ring stays mapped, because the
 * child writes to rec_image.connected.
 */
void rec_writer_leave(void);
/* Unmap the ring, if there is one. */
void rec_writer_close(void);
/*
 * Set latency and weight of a fault that was resolved at time `done`, and write the fault. The
 * latency of a fault that the kernel resolved by itself is not known.
 * With --sample the fault may only be counted. Updates the totals.
 */
void rec_writer_fault(struct flt_ring_fault *f, uint64_t done);
/* Write a node of the stack trie. */
void rec_writer_node(uint32_t id, uint32_t parent, uint64_t address);
/* Write that objects were loaded or unloaded. */
void rec_writer_maps(void);
/* Write the faults that --sample only counted so far. Call when the image has ended. */
void rec_writer_finish(void);
/* Return true if the owner of the pager lock waits for room in the ring. Needs no lock. */
bool rec_writer_is_stuck(void);
/* Set a function to call each time that the writer has waited 200 us for room. */
void rec_writer_on_full(void (*callback)(void));

#endif
