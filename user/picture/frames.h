/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frames.h - groups of stacks as the frames of a flame graph. */
#ifndef FLT_PICTURE_FRAMES_H
#define FLT_PICTURE_FRAMES_H

#include "model/code/symbols.h"
#include "model/recording/group.h"
#include "model/recording/recording.h"
#include "model/recording/strings.h"
#include "view/svg/flame.h"

/*
 * List the frames of a group whose keys are (image, stack, place). Frames with a smaller share
 * than `least` are left out and counted in *hidden. Release *frames with free(). Return 0 or
 * -errno.
 */
int flt_picture_frames(const struct flt_recording *rec, struct flt_symbols *symbols,
		       struct flt_strings *strings, const struct flt_group *group, double least,
		       struct flt_flame_frame **frames, size_t *count, uint64_t *hidden);

#endif
