/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampler.h - a sampler: open events and their ring buffers. */
#ifndef FLT_PERF_SAMPLER_H
#define FLT_PERF_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/perf/event.h"

struct flt_grace;
struct perf_event_mmap_page;

struct flt_perf_ring {
	int fd;			/* the event that owns the buffer */
	struct perf_event_mmap_page *page;
	unsigned char *data;
	size_t size;
};

struct flt_sampler {
	struct flt_perf_layout layout;
	bool kernel_mode, build_id;
	struct flt_perf_ring *rings;	/* one per CPU */
	int *ring_fds;
	size_t ring_count;
	int *fds;		/* all events, including the owners of buffers */
	size_t fd_count;
	uint64_t *major_ids;
	struct flt_grace *grace;
	uint64_t until;		/* events up to this time were handed over */
	unsigned char *pending;	/* whole records, aligned to 8 bytes */
	size_t pending_size, pending_room;
};

#endif
