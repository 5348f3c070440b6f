// SPDX-License-Identifier: GPL-2.0-or-later
#include "touch_record.h"

#include "arch/instruction.h"
#include "fault_record.h"
#include "image/clock.h"
#include "image/image.h"
#include "unwind/object.h"

static struct rec_backtrace backtrace;

/* Return the flag of what an instruction does. Neighbouring samples often have the same one. */
static uint8_t operation_of(uint64_t ip)
{
	static uint64_t last;
	static uint8_t flag;
	uint8_t code[16];

	if (ip == last)
		return flag;
	last = ip;
	flag = !rec_object_read(ip, code, sizeof(code)) ? FLT_RING_F_NOOP :
	       rec_instruction_stores(code) ? FLT_RING_F_WRITE : 0;
	return flag;
}

void rec_touch_record(const struct rec_touch_sample *touch, struct rec_thread *t, uint32_t self)
{
	const struct rec_perf_sample *s = &touch->fault;
	struct rec_fault f = {
		.time = s->time, .address = s->address, .ip = s->regs.ip, .tid = t->tid,
		.cpu = s->cpu, .granted = true,
	};

	f.flags = s->in_kernel ? FLT_RING_F_KERNEL | FLT_RING_F_NOOP : operation_of(f.ip);
	if (!(rec_image.config.flags & FLT_REC_NO_STACK)) {
		rec_fault_add_stack(&f, &backtrace,
				    rec_backtrace_take_copy(&backtrace, &s->regs, t->stack,
							    &touch->stack, self));
		if (f.flags & FLT_RING_F_UNWIND && touch->stack.bytes == REC_TOUCH_STACK)
			t->too_deep = true;
	}
	rec_fault_record(&f, FLT_RING_ALLOC);
}

void rec_touch_record_unseen(uintptr_t address, uint32_t tid)
{
	const struct rec_fault f = {
		.time = rec_now(), .address = address, .tid = tid, .cpu = 0xffff, .granted = true,
		.flags = FLT_RING_F_NOREGS | FLT_RING_F_PAGE | FLT_RING_F_NOOP,
	};

	rec_fault_record(&f, FLT_RING_ALLOC);
}
