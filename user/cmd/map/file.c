// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/load.h"
#include "cmd/map/map.h"

/* What a window of faults around is when nobody asked the machine. */
#define AROUND_PAGES 16

struct reading {
	struct map *m;
	uint32_t images;	/* of the recording, known to the regions */
};

static int image_tell(struct reading *r, const struct flt_load *load, uint32_t number)
{
	const struct flt_image *image = flt_recording_image(load->rec, number);

	if (flt_regions_pid(r->m->regions, number) || !image || !image->pid)
		return 0;
	return flt_regions_image(r->m->regions, number, 0, image->pid, image->comm);
}

/* The mapping at address, if the regions have not heard of it. */
static int area_tell(struct reading *r, const struct flt_load *load, const struct flt_fault *f)
{
	const struct flt_map *map = flt_recording_map(load->rec, f->image, f->address);
	struct flt_area_known area = { 0 };
	char name[4096];
	const char *rest;
	uint32_t token;
	size_t length;

	if (!map)
		return 0;
	token = (uint32_t)(map - load->rec->maps);
	if (flt_regions_token(r->m->regions, f->image, f->address) == token)
		return 0;
	area.of = (uint8_t)flt_area_of_name(map->name, &rest, &length);
	snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name) - 1), rest);
	area.start = map->start;
	area.end = map->end;
	area.page = map->offset >> 12;
	area.protection = map->flags & (FLT_MAP_READ | FLT_MAP_WRITE | FLT_MAP_EXEC);
	area.shared = map->flags & FLT_MAP_SHARED;
	area.name = name;
	area.token = token;
	return flt_regions_area(r->m->regions, f->image, &area);
}

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct reading *r = arg;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		err = image_tell(r, load, faults[i].image);
		if (!err && !(faults[i].flags & FLT_FAULT_REMOTE))
			err = area_tell(r, load, &faults[i]);
		if (!err)
			err = flt_regions_fault(r->m->regions, &faults[i]);
	}
	return err;
}

int map_file(struct map *m, const char *path)
{
	struct reading r = { .m = m };
	struct flt_load load;
	const char *command;
	int status;

	/* Memory under a limit is mapped page by page: no window around. */
	status = flt_regions_new(&m->regions, AROUND_PAGES);
	if (status)
		return flt_command_fail(m->command, NULL, status);
	status = flt_load_file(&load, m->command, path, on_faults, &r);
	if (status) {
		flt_regions_free(m->regions);
		m->regions = NULL;
	} else {
		command = flt_recording_info(load.rec, "command");
		m->subject = strdup(command ? command : path);
		m->limited = flt_recording_info(load.rec, "limit");
		status = flt_load_verdict(&load);
	}
	flt_load_free(&load);
	return status;
}
