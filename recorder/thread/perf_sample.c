// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_sample.c - a small perf ring per thread with a sample of each of its page faults.
 *
 * The kernel writes the sample before it puts the thread to sleep in the userfaultfd. So the
 * server finds the registers of each fault there, without stopping or signalling the thread.
 * The ring is mapped read-only, which makes the kernel overwrite old samples. All samples
 * have the same size, so the last one ends at data_head. The descriptor is closed at once:
 * the mapping keeps the event alive, goes away with the thread's memory and is not copied by
 * fork.
 */
#include "perf_sample.h"

#include "arch/perf.h"
#include "lib/core/sys.h"
#include "recent.h"
#include "region/region.h"
#include "unwind/probe.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct record {
	struct perf_event_header header;
	uint64_t ip, time, address;
	uint32_t cpu, reserved;
	uint64_t abi;		/* of the registers; 0 = none follow */
	uint64_t regs[REC_PERF_REGS];
};

#define RING_BYTES (2 * FLT_PAGE)

/* Samples to look back, because signal frames fault, too. */
#define LOOK_BACK 8

void *rec_perf_sample_open(uint32_t tid)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(a),
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = REC_PERF_MASK, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
	};
	void *m;
	long fd;

	perf_attr_set(&a, PERF_ATTR_REMOVE_ON_EXEC);
	fd = sys5(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		/* Without privileges only samples of user-mode faults are allowed. */
		a.exclude_kernel = 1;
		fd = sys5(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return NULL;
	m = sys_mmap(NULL, RING_BYTES, PROT_READ, MAP_SHARED, (int)fd, 0);
	sys1(SYS_close, fd);
	return sys_failed((long)m) ? NULL : m;
}

void rec_perf_sample_close(void *ring)
{
	if (ring)
		sys2(SYS_munmap, ring, RING_BYTES);
}

/* Read data_head. Return false if the thread has ended and its ring is unmapped. */
static bool read_head(const struct perf_event_mmap_page *p, uint64_t *head)
{
	uint64_t h;

	if (!p || !rec_probe_load((const char *)p +
				  offsetof(struct perf_event_mmap_page, data_head), &h))
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*head = h;
	return true;
}

/* Read the record that ends at `end`. Return false if it is not a complete sample. */
static bool read_record(const void *ring, uint64_t end, struct record *r)
{
	const char *data = (const char *)ring + FLT_PAGE;
	uint64_t from = end - sizeof(*r), word;

	if (end < sizeof(*r))
		return false;
	for (size_t i = 0; i < sizeof(*r); i += sizeof(word)) {
		if (!rec_probe_load(data + (from + i) % FLT_PAGE, &word))
			return false;
		memcpy((char *)r + i, &word, sizeof(word));
	}
	return r->header.type == PERF_RECORD_SAMPLE && r->header.size == sizeof(*r) && r->abi;
}

static uint16_t mode_of(const struct record *r)
{
	return r->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

static void decode(const struct record *r, struct rec_perf_sample *s)
{
	*s = (struct rec_perf_sample){
		.regs = rec_perf_registers(r->regs),
		.time = r->time, .address = r->address, .cpu = (uint16_t)r->cpu,
		.in_kernel = mode_of(r) == PERF_RECORD_MISC_KERNEL,
	};
}

bool rec_perf_sample_last(const struct rec_thread *t, uint64_t ip, struct rec_perf_sample *s)
{
	struct record r;
	uint64_t head;

	if (!read_head(t->perf, &head))
		return false;
	for (unsigned int k = 0; k < LOOK_BACK; k++) {
		if (head < k * sizeof(r) || !read_record(t->perf, head - k * sizeof(r), &r))
			return false;
		if (!rec_region_contains(r.address) || mode_of(&r) != PERF_RECORD_MISC_USER)
			continue;
		decode(&r, s);
		return s->regs.ip == ip && r.time >= t->fault_time;
	}
	return false;
}

static bool find_in(const void *ring, const struct rec_thread *t, uintptr_t page,
		    struct rec_perf_sample *s)
{
	struct record r;
	uint64_t head;

	if (!read_head(ring, &head))
		return false;
	for (unsigned int k = 0; k < LOOK_BACK; k++) {
		if (head < k * sizeof(r) || !read_record(ring, head - k * sizeof(r), &r))
			return false;
		/*
		 * The latest sample may be older: its page was evicted again before the thread
		 * ran, so the same exception continues.
		 */
		if (r.time < t->fault_time && !(k == 0 && r.time == t->sample_time))
			return false;
		if ((r.address & ~(FLT_PAGE - 1)) == page) {
			decode(&r, s);
			return true;
		}
	}
	return false;
}

bool rec_perf_sample_find(const struct rec_thread *t, uintptr_t page, struct rec_perf_sample *s)
{
	return t && (find_in(t->perf, t, page, s) || find_in(t->perf_before, t, page, s));
}
