// SPDX-License-Identifier: GPL-2.0-or-later
/* writer.c - write records into the ring; wait while the ring is full. */
#include "writer.h"

#include "image/clock.h"
#include "image/image.h"
#include "lib/core/region.h"
#include "sampling.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

static struct flt_ring_head *ring;
static uint32_t stuck;
static void (*on_full)(void);

static size_t ring_bytes(const struct flt_ring_head *r)
{
	return FLT_RING_DATA + (size_t)r->slot_count * FLT_RING_SLOT;
}

void rec_writer_close(void)
{
	if (ring)
		sys2(SYS_munmap, ring, ring_bytes(ring));
	ring = NULL;
}

int rec_writer_open(int fd)
{
	struct flt_ring_head *r;
	size_t bytes;

	r = sys_mmap(NULL, FLT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (sys_failed((long)r))
		return (int)(long)r;
	if (r->magic != FLT_RING_MAGIC || r->version != FLT_RING_VERSION)
		return -EPROTO;
	bytes = ring_bytes(r);
	sys2(SYS_munmap, r, FLT_PAGE);
	r = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (sys_failed((long)r))
		return (int)(long)r;
	rec_writer_close();
	ring = r;
	stuck = 0;
	rec_image.totals = &ring->totals;
	rec_image.connected = ring->connected;
	return 0;
}

void rec_writer_leave(void)
{
	static struct flt_ring_totals nobodys;

	/* A child that gets no ring of its own still counts while it takes its pages back. */
	rec_image.totals = &nobodys;
}

bool rec_writer_is_stuck(void)
{
	return __atomic_load_n(&stuck, __ATOMIC_ACQUIRE);
}

void rec_writer_on_full(void (*callback)(void))
{
	on_full = callback;
}

/* Return the next free slot for publish(). If fltctl is gone, the callback kills the image. */
static void *reserve(void)
{
	struct timespec nap = { .tv_nsec = 200 * 1000 };
	uint64_t from = 0;

	while (ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= ring->slot_count) {
		if (!from) {
			from = rec_now();
			__atomic_store_n(&stuck, 1, __ATOMIC_RELEASE);
		}
		sys2(SYS_nanosleep, &nap, 0);
		if (on_full)
			on_full();
	}
	if (from) {
		__atomic_store_n(&stuck, 0, __ATOMIC_RELEASE);
		ring->totals.full_ns += rec_now() - from;
	}
	return (char *)ring + FLT_RING_DATA + (ring->head & (ring->slot_count - 1)) * FLT_RING_SLOT;
}

/* Publish the slot from reserve() and, at the same moment, the counts up to this record. */
static void publish(const struct flt_ring_counts *counts)
{
	ring->counts[(ring->head + 1) & 1] = *counts;
	__atomic_store_n(&ring->head, ring->head + 1, __ATOMIC_RELEASE);
}

/* Return the counts of all records so far. They change with each publish(). */
static struct flt_ring_counts *counts_now(void)
{
	return &ring->counts[ring->head & 1];
}

static void count(struct flt_ring_counts *c, const struct flt_ring_fault *f, uint64_t took)
{
	if (f->kind == FLT_RING_RACED) {
		c->raced++;
		return;
	}
	c->alloc += f->kind == FLT_RING_ALLOC;
	c->refault += f->kind == FLT_RING_REFAULT;
	c->writes += !!(f->flags & FLT_RING_F_WRITE);
	c->inline_faults += !!(f->flags & FLT_RING_F_INLINE);
	c->kernel_faults += !!(f->flags & FLT_RING_F_KERNEL);
	c->placeless += !f->ip;
	c->granted += f->granted;
	c->latency_ns += took;
}

/* Write a fault that was counted before. */
static void write_skipped(const struct flt_ring_fault *f)
{
	*(struct flt_ring_fault *)reserve() = *f;
	publish(counts_now());
}

void rec_writer_fault(struct flt_ring_fault *f, uint64_t done)
{
	const uint64_t took = done > f->time && !f->granted ? done - f->time : 0;
	const uint64_t now = f->granted ? f->time : done;
	struct flt_ring_counts counts;
	struct flt_ring_fault rest;

	while (rec_sampling_rest(now, &rest))
		write_skipped(&rest);
	f->latency = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
	f->weight = rec_sampling_weight(f, now);
	if (!f->weight) {
		count(counts_now(), f, took);
		return;
	}
	*(struct flt_ring_fault *)reserve() = *f;
	counts = *counts_now();
	count(&counts, f, took);
	publish(&counts);
}

void rec_writer_finish(void)
{
	struct flt_ring_fault f;

	while (rec_sampling_flush(&f))
		write_skipped(&f);
}

void rec_writer_node(uint32_t id, uint32_t parent, uint64_t address)
{
	*(struct flt_ring_node *)reserve() = (struct flt_ring_node) {
		.type = FLT_RING_NODE, .id = id, .parent = parent, .address = address,
	};
	publish(counts_now());
}

void rec_writer_maps(void)
{
	*(struct flt_ring_maps *)reserve() = (struct flt_ring_maps) { .type = FLT_RING_MAPS };
	publish(counts_now());
}
