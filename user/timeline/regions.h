/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regions.h - mappings and faults, of a recording or of a stream, into regions of memory. */
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

/*
 * Add a mapping of a stream. A mapping of a file gets its name by flt_regions_path(), because the
 * name may arrive after the mapping. Return -ENOMEM, -E2BIG.
 */
int flt_timeline_region_map(struct flt_regions *regions, const struct flt_record_map *map,
			    const char *name);

/*
 * Lookup of the mapping of a fault in regions. A stream may lose notes. Then /proc/PID/maps is
 * read, which has the current mappings. They may differ from those at the time of the fault.
 */
struct flt_timeline_lookup {
	struct flt_regions *regions;
	unsigned int snapshots;	/* reads of /proc/PID/maps left in this round */
	uint32_t missed_image;	/* last image whose mapping /proc did not have; 0: none */
};

/* Reset the limits of a round. */
void flt_timeline_lookup_round(struct flt_timeline_lookup *lookup);
/*
 * Make the mapping of a fault known if it is unknown and the process still runs. If it is known,
 * confirm that it has the file of the fault. fault->pid is the process that ran. Return -ENOMEM,
 * -E2BIG.
 */
int flt_timeline_lookup(struct flt_timeline_lookup *lookup, const struct flt_fault *fault);

#endif
