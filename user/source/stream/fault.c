// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/stream/fault.h"

#include "event/device.h"
#include "source/stream/item.h"

static uint32_t flags_of(const struct flt_event_record *r)
{
	uint32_t flags = FLT_FAULT_OP;

	if (r->flags & FLT_EVENT_WRITE)
		flags |= FLT_FAULT_WRITE;
	if (r->flags & FLT_EVENT_EXEC)
		flags |= FLT_FAULT_EXEC;
	if (!(r->flags & FLT_EVENT_USER))
		flags |= FLT_FAULT_KERNEL;
	if (r->flags & FLT_EVENT_REMOTE)
		flags |= FLT_FAULT_REMOTE;
	if (r->result == FLT_RESULT_MAJOR)
		flags |= FLT_FAULT_MAJOR;
	else if (r->result >= FLT_RESULT_FAILED)
		flags |= FLT_FAULT_FAILED;
	else if (r->kind == FLT_KIND_ANON)
		flags |= FLT_FAULT_ALLOC;
	if (r->kind == FLT_KIND_SWAP)
		flags |= FLT_FAULT_REFAULT;
	return flags;
}

void flt_event_fault(struct flt_fault *f, const struct flt_event_record *r)
{
	*f = (struct flt_fault){
		.time = r->time,
		.address = r->address,
		.ip = r->ip,
		.latency = flt_event_latency(r),
		.inode = r->inode,
		.device = flt_device_of_kernel(r->dev),
		.page = r->page,
		.pid = r->tgid,
		.tid = r->tid,
		.weight = r->weight,
		.pages = 1,
		.flags = flags_of(r),
		.kind = r->kind,
		.attempts = r->attempts,
	};
	if (f->flags & FLT_FAULT_FAILED)
		f->failure = (uint8_t)(r->result - FLT_RESULT_FAILED);
}
