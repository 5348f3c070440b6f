/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind.h - stacks from slices. The unwind tables of recently used images are cached. */
#ifndef FLT_TIMELINE_UNWIND_H
#define FLT_TIMELINE_UNWIND_H

#include "model/recording/recording.h"
#include "source/unwind/unwind.h"
#include "timeline/unwind_by.h"

struct flt_unwind_cache;

/* Unwind by tables. rec must outlive the cache. Return -ENOMEM. */
int flt_unwind_cache_new(struct flt_unwind_cache **cache, const struct flt_recording *rec,
			 enum flt_unwind_by by);
void flt_unwind_cache_free(struct flt_unwind_cache *cache);

/*
 * Unwind the stack of a sample. Store the instruction and then the callers, at most `room`
 * addresses. Set *cut to an enum flt_cut or FLT_TIMELINE_CUT_UNWIND. Return the number of
 * addresses.
 */
size_t flt_unwind_cache_run(struct flt_unwind_cache *cache, uint32_t image,
			    const struct flt_unwind_sample *sample, uint64_t *addresses,
			    size_t room, uint8_t *cut);

#endif
