// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/regions.h"

#include <errno.h>
#include <stdio.h>

#include "source/proc/maps.h"
#include "timeline/map_record.h"

/* Maximum number of reads of /proc/PID/maps per round, because they are slow. */
#define SNAPSHOTS 64

/* Copy pid and name of the fault's image, if the regions do not have them. */
static int add_image(struct flt_regions *regions, const struct flt_recording *rec, uint32_t number)
{
	const struct flt_image *image = flt_recording_image(rec, number);

	if (flt_regions_pid(regions, number) || !image || !image->pid)
		return 0;
	return flt_regions_image(regions, number, 0, image->pid, image->comm);
}

/* Add a mapping. With an inode, the mapping is the file's, and its name is ignored. */
static int add_area(struct flt_regions *regions, uint32_t image, const struct flt_map *map,
		    uint32_t token)
{
	struct flt_region_area area = {
		.start = map->start, .end = map->end,
		.page = map->offset >> regions->page.shift,
		.protection = map->flags & (FLT_MAP_READ | FLT_MAP_WRITE | FLT_MAP_EXEC),
		.shared = map->flags & FLT_MAP_SHARED, .name = "", .token = token,
	};
	enum flt_area by_name;
	char name[4096];
	const char *rest;
	size_t length;

	by_name = flt_area_of_name(map->name, &rest, &length);
	area.of = map->area ? map->area - 1 : (uint8_t)by_name;
	/* A newer module may have kinds that this program does not know. */
	if (area.of >= __FLT_AREA_MAX)
		area.of = FLT_REGION_UNKNOWN;
	if (map->inode) {
		area.inode = map->inode;
		area.device = map->device;
	} else {
		/* Private memory of /dev/zero is anonymous, but is listed as the file. */
		if (area.of == FLT_AREA_ANON)
			area.of = (uint8_t)by_name;
		snprintf(name, sizeof(name), "%.*s",
			 (int)(length < sizeof(name) ? length : sizeof(name) - 1), rest);
		area.name = name;
	}
	return flt_regions_area(regions, image, &area);
}

int flt_timeline_region_fault(struct flt_regions *regions, const struct flt_recording *rec,
			      const struct flt_fault *fault)
{
	const struct flt_map *map;
	struct flt_map named;
	uint32_t token;
	int err = add_image(regions, rec, fault->image);

	map = err || fault->flags & FLT_FAULT_REMOTE ? NULL :
	      flt_recording_map(rec, fault->image, fault->address);
	token = map ? (uint32_t)(map - rec->maps) : 0;
	if (map && flt_regions_token(regions, fault->image, fault->address) != token) {
		/* A recording names every file, so tell regions apart by name. */
		named = *map;
		named.inode = 0;
		err = add_area(regions, fault->image, &named, token);
	}
	return err ? err : flt_regions_fault(regions, fault);
}

int flt_timeline_region_map(struct flt_regions *regions, const struct flt_record_map *map,
			    const char *name)
{
	const struct flt_map mapping = flt_map_of_record(map, name);

	return add_area(regions, map->head.image, &mapping, 0);
}

struct snapshot {
	struct flt_regions *regions;
	uint32_t image;
};

static int on_entry(void *arg, const struct flt_maps_entry *e)
{
	const struct snapshot *s = arg;
	struct map_record m;
	const char *rest;
	size_t length;
	int err = 0;

	if (!map_record_fill(&m, e, 0, s->image))
		return 0;
	flt_area_of_name(m.name, &rest, &length);
	if (m.map.inode && length) {
		m.name[(size_t)(rest - m.name) + length] = '\0';
		err = flt_regions_path(s->regions, m.map.device, m.map.inode, rest);
	}
	return err ? err : flt_timeline_region_map(s->regions, &m.map, e->name);
}

void flt_timeline_lookup_round(struct flt_timeline_lookup *l)
{
	l->snapshots = SNAPSHOTS;
	l->missed_image = 0;
}

int flt_timeline_lookup(struct flt_timeline_lookup *l, const struct flt_fault *f)
{
	struct snapshot s = { l->regions, f->image };
	int ret;

	if (f->flags & FLT_FAULT_REMOTE)
		return 0;
	if (flt_regions_token(l->regions, f->image, f->address) != ~0u)
		return flt_regions_confirm(l->regions, f->image, f->address, f->device, f->inode);
	if (!l->snapshots || l->missed_image == f->image)
		return 0;
	l->snapshots--;
	ret = flt_maps_read(f->pid, on_entry, &s);
	if (ret == -ENOMEM || ret == -E2BIG)
		return ret;
	if (flt_regions_token(l->regions, f->image, f->address) == ~0u)
		l->missed_image = f->image;
	return 0;
}
