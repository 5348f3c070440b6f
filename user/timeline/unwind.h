/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind.h - stacks from slices. The unwind tables of recently used images are cached. */
#ifndef FLT_TIMELINE_UNWIND_H
#define FLT_TIMELINE_UNWIND_H

#include "model/recording/recording.h"
#include "source/unwind/unwind.h"

struct flt_unwind_cache;

/* rec must outlive the cache. Return -ENOMEM. */
int flt_unwind_cache_new(struct flt_unwind_cache **cache, const struct flt_recording *rec);
void flt_unwind_cache_free(struct flt_unwind_cache *cache);

/* A value of *cut: the unwind tables do not lead past the last frame. */
#define FLT_TIMELINE_CUT_UNWIND 255

/*
 * Unwind the stack of a sample. Store the instruction and then the callers, at most `room`
 * addresses. Set *cut to an enum flt_cut or FLT_TIMELINE_CUT_UNWIND. Return the number of
 * addresses.
 */
size_t flt_unwind_cache_run(struct flt_unwind_cache *cache, uint32_t image,
			    const struct flt_unwind_sample *sample, uint64_t *addresses,
			    size_t room, uint8_t *cut);

#endif
