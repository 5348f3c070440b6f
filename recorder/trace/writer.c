// SPDX-License-Identifier: GPL-2.0-or-later
/* ring.c - the image's end of the ring that fltctl drains. */
#include "rec.h"

/*
 * The next free slot; publish() makes it visible. Waits while the ring is full:
 * fltctl is alive, or the server sees its socket closed and kills us.
 */
static void *reserve(void)
{
	struct flt_ring_head *r = rec.ring;
	struct timespec nap = { .tv_nsec = 200 * 1000 };
	uint64_t from = 0;

	while (r->head - __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE) >= r->slot_count) {
		if (!from) {
			from = sys_now();
			r->totals.full_waits++;
			__atomic_store_n(&rec.ring_full, 1, __ATOMIC_RELEASE);
		}
		sys2(SYS_nanosleep, &nap, 0);
		rec_server_stuck();
	}
	if (from) {
		__atomic_store_n(&rec.ring_full, 0, __ATOMIC_RELEASE);
		r->totals.full_ns += sys_now() - from;
	}
	return (char *)r + FLT_RING_DATA + (r->head & (r->slot_count - 1)) * FLT_RING_SLOT;
}

static void publish(void)
{
	__atomic_store_n(&rec.ring->head, rec.ring->head + 1, __ATOMIC_RELEASE);
}

void rec_ring_fault(const struct rec_fault *f, uint8_t kind, uint64_t done)
{
	uint64_t took = done > f->time ? done - f->time : 0;
	struct flt_ring_totals *t = rec.totals;
	struct flt_ring_fault record;
	uint32_t weight;

	if (kind == FLT_RING_RACED) {
		t->raced++;
	} else {
		t->alloc += kind == FLT_RING_ALLOC;
		t->refault += kind == FLT_RING_REFAULT;
		t->writes += !!(f->flags & FLT_RING_F_WRITE);
		t->inline_faults += !!(f->flags & FLT_RING_F_INLINE);
		t->kernel_faults += !!(f->flags & FLT_RING_F_KERNEL);
		t->placeless += !f->ip;
		t->latency_ns += took;
	}
	weight = rec_sample_weight(kind, done);
	record = (struct flt_ring_fault) {
		.type = FLT_RING_FAULT, .kind = kind, .flags = f->flags, .frames = f->frames,
		.tid = f->tid, .time = f->time, .address = f->address, .ip = f->ip,
		.stack = f->stack, .latency = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took,
		.weight = weight, .cpu = f->cpu,
	};
	if (!weight) {
		rec.sample.kind[kind].latest = record;
		return;
	}
	*(struct flt_ring_fault *)reserve() = record;
	publish();
}

void rec_ring_finish(void)
{
	for (size_t i = 0; i < sizeof(rec.sample.kind) / sizeof(rec.sample.kind[0]); i++) {
		struct rec_skipped *k = &rec.sample.kind[i];

		if (!k->count)
			continue;
		k->latest.weight = (uint32_t)k->count;
		*(struct flt_ring_fault *)reserve() = k->latest;
		publish();
		k->count = 0;
	}
}

void rec_ring_node(uint32_t id, uint32_t parent, uint64_t address)
{
	*(struct flt_ring_node *)reserve() = (struct flt_ring_node) {
		.type = FLT_RING_NODE, .id = id, .parent = parent, .address = address,
	};
	publish();
}

void rec_ring_note(uint8_t type, uint32_t tid)
{
	*(struct flt_ring_thread *)reserve() = (struct flt_ring_thread) {
		.type = type, .tid = tid, .time = sys_now(),
	};
	publish();
}
