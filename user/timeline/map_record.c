// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/map_record.h"

#include <string.h>

#include "event/device.h"

bool map_record_fill(struct map_record *m, const struct flt_maps_entry *e, uint64_t time,
		     uint32_t image)
{
	size_t length = strlen(e->name);

	if (length >= sizeof(m->name) - 8)
		return false;
	*m = (struct map_record){
		.map = {
			.head = {
				.type = FLT_RECORD_MAP,
				.size = (uint32_t)((sizeof(m->map) + length + 8) & ~7ul),
				.time = time, .image = image,
			},
			.start = e->start, .end = e->end, .offset = e->offset, .inode = e->inode,
			.device = flt_device_of_kernel(e->device),
			.flags = e->protection | (e->shared ? FLT_MAP_SHARED : 0),
		},
	};
	memcpy(m->name, e->name, length);
	return true;
}
