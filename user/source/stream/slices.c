// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/slices.h"

#include <errno.h>
#include <string.h>

int flt_stream_slices_add(struct flt_stream_pending *slices, const struct flt_event_slice *note,
			  const void *bytes)
{
	struct flt_stream_slice *slice;

	slice = flt_stream_pending_add(slices, note->tid, note->time,
				       sizeof(*slice) + note->length);
	if (!slice)
		return -ENOMEM;
	slice->sp = note->sp;
	slice->length = note->length;
	memcpy(&slice->registers, bytes, sizeof(slice->registers));
	memcpy(slice->bytes, (const char *)bytes + sizeof(slice->registers), note->length);
	return 0;
}
