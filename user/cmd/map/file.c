// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/load.h"
#include "timeline/regions.h"
#include "cmd/map/map.h"

/*
 * Maximum of bytes that a fault on a file maps. A recording does not contain it, so this is the
 * kernel's default.
 */
#define AROUND_BYTES 65536u

/* Make the regions, if there are none. Call when the page size of the recording is known. */
static int regions_need(struct map *m, const struct flt_recording *rec)
{
	const struct flt_page_size page = flt_recording_page_size(rec);

	return m->regions ? 0 : flt_regions_new(&m->regions, page, AROUND_BYTES >> page.shift);
}

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct map *m = arg;
	size_t i;
	int err = regions_need(m, load->rec);

	for (i = 0; !err && i < n; i++)
		err = flt_timeline_region_fault(m->regions, load->rec, &faults[i]);
	return err;
}

int map_file(struct map *m, const char *path)
{
	struct flt_progress progress;
	struct flt_load load = { .progress = &progress };
	const char *command;
	int status;

	flt_progress_begin(&progress, true);
	status = flt_load_file(&load, m->command, path, on_faults, m);
	/* The recording may have no faults. */
	if (!status && regions_need(m, load.rec))
		status = flt_command_fail(m->command, NULL, -ENOMEM);
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
