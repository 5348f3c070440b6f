// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/regions.h"

#include <stdio.h>

/* Copy pid and name of the fault's image, if the regions do not have them. */
static int add_image(struct flt_regions *regions, const struct flt_recording *rec, uint32_t number)
{
	const struct flt_image *image = flt_recording_image(rec, number);

	if (flt_regions_pid(regions, number) || !image || !image->pid)
		return 0;
	return flt_regions_image(regions, number, 0, image->pid, image->comm);
}

/* Copy the mapping at the fault's address, if the regions do not have it. */
static int add_area(struct flt_regions *regions, const struct flt_recording *rec,
		    const struct flt_fault *f)
{
	const struct flt_map *map = flt_recording_map(rec, f->image, f->address);
	struct flt_region_area area = { 0 };
	char name[4096];
	const char *rest;
	uint32_t token;
	size_t length;

	if (!map)
		return 0;
	token = (uint32_t)(map - rec->maps);
	if (flt_regions_token(regions, f->image, f->address) == token)
		return 0;
	area.of = (uint8_t)flt_area_of_name(map->name, &rest, &length);
	snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name) - 1),
		 rest);
	area.start = map->start;
	area.end = map->end;
	area.page = map->offset >> 12;
	area.protection = map->flags & (FLT_MAP_READ | FLT_MAP_WRITE | FLT_MAP_EXEC);
	area.shared = map->flags & FLT_MAP_SHARED;
	area.name = name;
	area.token = token;
	return flt_regions_area(regions, f->image, &area);
}

int flt_timeline_region_fault(struct flt_regions *regions, const struct flt_recording *rec,
			      const struct flt_fault *fault)
{
	int err = add_image(regions, rec, fault->image);

	if (!err && !(fault->flags & FLT_FAULT_REMOTE))
		err = add_area(regions, rec, fault);
	return err ? err : flt_regions_fault(regions, fault);
}
