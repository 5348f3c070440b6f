// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/causes.h"

#include <errno.h>

int flt_stream_causes_add(struct flt_stream_pending *causes, const struct flt_event_causes *note)
{
	const unsigned int shift = note->flags & FLT_EVENT_LONG ? 10 : 0;
	struct flt_stream_causes *to;
	uint32_t i;

	to = flt_stream_pending_add(causes, note->tid, note->time, sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (i = 0; i < __FLT_CAUSE_MAX; i++)
		to->part[i] = (uint64_t)note->part[i] << shift;
	return 0;
}
