/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regions.h - faults of a recording into regions of memory. */
#ifndef FLT_TIMELINE_REGIONS_H
#define FLT_TIMELINE_REGIONS_H

#include "model/memory/regions.h"
#include "model/recording/recording.h"

/*
 * Count a fault of a recording. The process and the mapping are taken from the recording as it is
 * now, so call this in the order of the file. Return -ENOMEM, -E2BIG.
 */
int flt_timeline_region_fault(struct flt_regions *regions, const struct flt_recording *rec,
			      const struct flt_fault *fault);

#endif
