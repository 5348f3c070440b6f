// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/sample.h"

#include <errno.h>
#include <stdlib.h>

static const char *const area_names[] = {
	[FLT_AREA_ANON] = "anon",
	[FLT_AREA_HEAP] = "heap",
	[FLT_AREA_STACK] = "stack",
	[FLT_AREA_FILE] = "file",
	[FLT_AREA_SHMEM] = "shmem",
	[FLT_AREA_HUGETLB] = "hugetlb",
	[FLT_AREA_VDSO] = "vdso",
	[FLT_AREA_DEVICE] = "device",
};

_Static_assert(sizeof(area_names) / sizeof(area_names[0]) == __FLT_AREA_MAX,
	       "every area has a name");

const char *flt_area_name(uint32_t area)
{
	return area < __FLT_AREA_MAX ? area_names[area] : "other";
}

/* Return an array with room for one more element, or NULL without memory. */
static void *grow(void *list, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 64;
	void *grown;

	if (count < *room)
		return list;
	grown = reallocarray(list, more, size);
	if (grown)
		*room = more;
	return grown;
}

int flt_samples_add(struct flt_samples *samples, const struct flt_sample *sample)
{
	struct flt_sample *list =
		grow(samples->sample, samples->count, &samples->room, sizeof(*list));

	if (!list)
		return -ENOMEM;
	samples->sample = list;
	list[samples->count++] = *sample;
	return 0;
}

void flt_samples_free(struct flt_samples *samples)
{
	free(samples->sample);
	*samples = (struct flt_samples){ 0 };
}

int flt_sample_areas_add(struct flt_sample_areas *areas, const struct flt_sample_area *area)
{
	struct flt_sample_area *list = grow(areas->area, areas->count, &areas->room, sizeof(*list));

	if (!list)
		return -ENOMEM;
	areas->area = list;
	list[areas->count++] = *area;
	return 0;
}

void flt_sample_areas_free(struct flt_sample_areas *areas)
{
	free(areas->area);
	*areas = (struct flt_sample_areas){ 0 };
}
