/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwinders.h - unwinders of the images of a recording: as many as are in use lately. */
#ifndef FLT_CMD_UNWINDERS_H
#define FLT_CMD_UNWINDERS_H

#include "model/recording/recording.h"
#include "source/stream/slices.h"

/* Deepest stack that is unwound. */
#define FLT_UNWINDERS_DEPTH 512

struct flt_unwinders;

/* rec must outlive it. */
int flt_unwinders_new(struct flt_unwinders **unwinders, const struct flt_recording *rec);
void flt_unwinders_free(struct flt_unwinders *unwinders);

/*
 * Addresses of the stack in a slice, the instruction and then the callers, room of
 * them at most; cut is an enum flt_cut, or FLT_UNWINDERS_CUT: no way past the last.
 */
size_t flt_unwinders_run(struct flt_unwinders *unwinders, uint32_t image, const struct flt_stream_slice *slice,
			 uint64_t *addresses, size_t room, uint8_t *cut);
#define FLT_UNWINDERS_CUT 255

#endif
