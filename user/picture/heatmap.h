/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heatmap.h - a heat map of the faults in regions of memory, by address and time.
 *
 * Each region with many faults gets its own band. The regions between two such regions share a
 * band.
 */
#ifndef FLT_PICTURE_HEATMAP_H
#define FLT_PICTURE_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/memory/regions.h"
#include "view/svg/atlas.h"

struct flt_heatmap_setup {
	size_t bands;		/* maximum number of regions with their own band */
	uint64_t least;		/* faults of a region that is shown */
	bool others;		/* draw regions with less than 1 % in one band per process */
	size_t cells_max;	/* merge columns if there are more cells than this */
};

struct flt_heatmap {
	struct flt_atlas atlas;	/* the caller sets its title and subtitle */
	/* Private. */
	const struct flt_regions *regions;
	struct flt_atlas_band *bands;
	unsigned int coarser;	/* columns are merged this many times, by two */
};

/* Return -ENOMEM. Call flt_heatmap_free() in any case. The regions must outlive the heat map. */
int flt_heatmap_make(struct flt_heatmap *map, const struct flt_regions *regions,
		     const struct flt_heatmap_setup *setup);
void flt_heatmap_free(struct flt_heatmap *map);

/* Return the cells of a region, or NULL if the region has no fault. */
const struct flt_heat_band *flt_heatmap_band(const struct flt_regions *regions,
					     const struct flt_region *region);

#endif
