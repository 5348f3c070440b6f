/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind.h - stacks from slices, with the unwind tables of lately used images cached. */
#ifndef FLT_TIMELINE_UNWIND_H
#define FLT_TIMELINE_UNWIND_H

#include "model/recording/recording.h"
#include "source/stream/slices.h"

struct flt_unwind_cache;

/* rec must outlive it. */
int flt_unwind_cache_new(struct flt_unwind_cache **cache, const struct flt_recording *rec);
void flt_unwind_cache_free(struct flt_unwind_cache *cache);

/*
 * Unwind the stack in a slice: the instruction and then the callers, at most room of them.
 * *cut is an enum flt_cut, or FLT_TIMELINE_CUT_UNWIND: no way past the last frame.
 */
size_t flt_unwind_cache_run(struct flt_unwind_cache *cache, uint32_t image, const struct flt_stream_slice *slice,
			 uint64_t *addresses, size_t room, uint8_t *cut);
#define FLT_TIMELINE_CUT_UNWIND 255

#endif
