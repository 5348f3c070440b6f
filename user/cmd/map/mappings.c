// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "cmd/map/mappings.h"
#include "source/proc/maps.h"

/* Begin a new image of a process. comm NULL: read the name from /proc. */
static int begin_image(struct map_mappings *l, uint32_t tgid, uint32_t parent, const char *comm,
		       uint32_t *image)
{
	char name[32] = "";

	*image = flt_lives_begin(l->lives, tgid);
	if (!*image)
		return -ENOMEM;
	if (!comm)
		flt_maps_comm(tgid, name, sizeof(name));
	return flt_regions_image(l->regions, *image, parent, tgid, comm ? comm : name);
}

int map_mappings_image(struct map_mappings *l, uint32_t tgid, uint32_t *image)
{
	*image = flt_lives_image(l->lives, tgid);
	return *image ? 0 : begin_image(l, tgid, 0, NULL, image);
}

struct snapshot {
	struct map_mappings *l;
	uint32_t image;
};

static int on_entry(void *arg, const struct flt_maps_entry *e)
{
	const struct snapshot *s = arg;
	struct flt_region_area area = {
		.start = e->start, .end = e->end, .protection = e->protection, .shared = e->shared,
		.page = e->offset >> 12, .name = "",
	};
	char name[4096];
	const char *rest;
	size_t length;

	area.of = (uint8_t)flt_area_of_name(e->name, &rest, &length);
	snprintf(name, sizeof(name), "%.*s",
		 (int)(length < sizeof(name) ? length : sizeof(name) - 1), rest);
	if (e->inode) {
		area.inode = e->inode;
		area.device = e->device;
		if (flt_regions_path(s->l->regions, e->device, e->inode, name))
			return -ENOMEM;
	} else {
		area.name = name;
	}
	return flt_regions_area(s->l->regions, s->image, &area);
}

/*
 * If no note told the mapping, read /proc, which has it if the process still lives. Otherwise
 * confirm that the known mapping has the file of this fault.
 */
int map_mappings_fault(struct map_mappings *l, uint32_t image, const struct flt_event_record *r)
{
	struct snapshot s = { l, image };
	int ret;

	if (flt_regions_token(l->regions, image, r->address) != ~0u)
		return flt_regions_confirm(l->regions, image, r->address, r->dev, r->inode);
	if (!l->snapshots || l->missed_image == image)
		return 0;
	l->snapshots--;
	ret = flt_maps_read(r->tgid, on_entry, &s);
	if (ret == -ENOMEM)
		return ret;
	if (flt_regions_token(l->regions, image, r->address) == ~0u)
		l->missed_image = image;
	return 0;
}

static int on_path(struct map_mappings *l, const struct flt_event_path *p, const void *bytes)
{
	char name[4200];

	snprintf(name, sizeof(name), "%.*s%s", (int)(p->length < 4096 ? p->length : 4096),
		 (const char *)bytes, p->flags & FLT_PATH_DELETED ? " (deleted)" : "");
	return p->length ? flt_regions_path(l->regions, p->dev, p->inode, name) : 0;
}

static int on_area(struct map_mappings *l, const struct flt_event_area *a, const void *bytes)
{
	struct flt_region_area area = {
		.start = a->start, .end = a->end, .of = a->of, .protection = a->protection,
		.shared = a->flags & FLT_AREA_SHARED, .locked = a->flags & FLT_AREA_LOCKED,
		.device = a->dev, .inode = a->inode, .page = a->page,
	};
	char name[256];
	uint32_t image;
	int ret = map_mappings_image(l, a->tgid, &image);

	if (ret)
		return ret;
	snprintf(name, sizeof(name), "%.*s", (int)(a->length < 255 ? a->length : 255),
		 a->length ? (const char *)bytes : "");
	area.name = name;
	/* A newer module may have kinds that this program does not know. */
	if (area.of >= __FLT_AREA_MAX)
		area.of = FLT_REGION_UNKNOWN;
	return flt_regions_area(l->regions, image, &area);
}

/*
 * Begin an image at fork or exec. It starts with the mappings known so far: a forked process has
 * those of its parent. For exec, the notes of the new program's first mappings have already come.
 */
static int on_life(struct map_mappings *l, const struct flt_event_life *life, const void *bytes)
{
	const bool forked = life->what == FLT_LIFE_FORK && life->tid == life->tgid;
	const uint32_t from = forked ? life->parent_tgid : life->tgid;
	uint32_t image;
	char comm[17];

	if (!forked && life->what != FLT_LIFE_EXEC)
		return 0;
	snprintf(comm, sizeof(comm), "%.16s", bytes ? (const char *)bytes : "");
	return begin_image(l, life->tgid, flt_lives_image(l->lives, from), comm, &image);
}

int map_mappings_note(void *arg, const union flt_stream_note *n, const void *bytes)
{
	switch (n->record.type) {
	case FLT_EVENT_PATH:
		return on_path(arg, &n->path, bytes);
	case FLT_EVENT_AREA:
		return on_area(arg, &n->area, bytes);
	case FLT_EVENT_LIFE:
		return on_life(arg, &n->life, bytes);
	default:
		return 0;
	}
}
