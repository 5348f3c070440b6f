// SPDX-License-Identifier: GPL-2.0-or-later
#include "fault_record.h"

#include "image/clock.h"
#include "image/image.h"
#include "trace/trie.h"
#include "trace/writer.h"
#include "unwind/object.h"

void rec_fault_record(const struct rec_fault *f, enum flt_ring_kind kind)
{
	const struct rec_backtrace *b = f->backtrace;
	struct flt_ring_fault r = {
		.type = FLT_RING_FAULT, .kind = (uint8_t)kind, .flags = f->flags,
		.frames = f->frames, .tid = f->tid, .time = f->time, .address = f->address,
		.ip = f->ip, .cpu = f->cpu, .granted = f->granted,
	};
	bool full = false;

	if (rec_object_take_changed())
		rec_writer_maps();
	if (b && b->count > 1)
		r.stack = rec_trie_id(b->frame + 1, b->count - 1, &full);
	if (full) {
		r.flags |= FLT_RING_F_DEPTH;
		rec_image.totals->stacks_full++;
	}
	rec_writer_fault(&r, rec_now());
}
