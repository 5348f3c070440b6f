// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/ring/fault.h"

#include <stdbool.h>

static uint32_t flags_of(const struct flt_ring_fault *f)
{
	uint32_t flags = 0;

	if (f->flags & FLT_RING_F_WRITE)
		flags |= FLT_FAULT_WRITE;
	if (!(f->flags & FLT_RING_F_NOOP))
		flags |= FLT_FAULT_OP;
	if (f->flags & FLT_RING_F_KERNEL)
		flags |= FLT_FAULT_KERNEL;
	if (f->flags & FLT_RING_F_DEPTH)
		flags |= FLT_FAULT_CUT_DEPTH;
	if (f->flags & FLT_RING_F_UNWIND)
		flags |= FLT_FAULT_CUT_UNWIND;
	if (f->flags & FLT_RING_F_INLINE)
		flags |= FLT_FAULT_INLINE;
	if (f->flags & FLT_RING_F_PAGE)
		flags |= FLT_FAULT_PAGE;
	if (f->kind == FLT_RING_ALLOC)
		flags |= FLT_FAULT_ALLOC;
	else if (f->kind == FLT_RING_REFAULT)
		flags |= FLT_FAULT_REFAULT;
	return flags;
}

void flt_ring_fault_decode(struct flt_fault *to, const struct flt_ring_fault *f)
{
	const bool raced = f->kind == FLT_RING_RACED;

	*to = (struct flt_fault){
		.time = f->time,
		.address = f->address,
		.ip = f->ip,
		.tid = f->tid,
		.stack = f->stack,
		.latency = f->latency,
		.weight = f->weight,
		.pages = raced ? 0 : 1,
		.flags = flags_of(f),
		.cpu = f->cpu,
		.kind = raced ? FLT_KIND_SPURIOUS : FLT_KIND_UFFD,
	};
}
