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

#include "lib/core/sys.h"
#include "perf_record.h"
#include "region/region.h"
#include "unwind/probe.h"

#include <string.h>
#include <sys/mman.h>

/* The kernel interrupts itself each time when the ring is full. */
#define DATA_PAGES 4u
#define RING_BYTES ((1 + DATA_PAGES) * FLT_PAGE)

/* Samples to look back, because signal frames fault, too. */
#define LOOK_BACK 8

void *rec_perf_sample_open(uint32_t tid)
{
	struct perf_event_attr a = rec_perf_record_attr();
	void *m;
	long fd;

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

bool rec_perf_sample_renew(struct rec_thread *t)
{
	void *perf = rec_perf_sample_open(t->tid);

	if (!perf)
		return false;
	rec_perf_sample_close_older(t);
	t->perf_before = t->perf;
	/* The server may read the samples without a lock. */
	__atomic_store_n(&t->perf, perf, __ATOMIC_RELEASE);
	return true;
}

void rec_perf_sample_close_older(struct rec_thread *t)
{
	rec_perf_sample_close(__atomic_exchange_n(&t->perf_before, NULL, __ATOMIC_ACQ_REL));
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
static bool read_record(const void *ring, uint64_t end, struct rec_perf_record *r)
{
	const char *data = (const char *)ring + FLT_PAGE;
	uint64_t from = end - sizeof(*r), word;

	if (end < sizeof(*r))
		return false;
	for (size_t i = 0; i < sizeof(*r); i += sizeof(word)) {
		if (!rec_probe_load(data + (from + i) % (DATA_PAGES * FLT_PAGE), &word))
			return false;
		memcpy((char *)r + i, &word, sizeof(word));
	}
	return r->header.type == PERF_RECORD_SAMPLE && r->header.size == sizeof(*r) && r->abi;
}

bool rec_perf_sample_last(const struct rec_thread *t, uint64_t ip, struct rec_perf_sample *s)
{
	struct rec_perf_record r;
	uint64_t head;

	if (!read_head(t->perf, &head))
		return false;
	for (unsigned int k = 0; k < LOOK_BACK; k++) {
		if (head < k * sizeof(r) || !read_record(t->perf, head - k * sizeof(r), &r))
			return false;
		if (!rec_region_contains(r.address) ||
		    rec_perf_record_mode(&r) != PERF_RECORD_MISC_USER)
			continue;
		*s = rec_perf_record_decode(&r);
		return s->regs.ip == ip && r.time >= t->fault_time;
	}
	return false;
}

uintptr_t rec_perf_sample_address(const struct rec_thread *t)
{
	struct rec_perf_record r;
	uint64_t head;

	return read_head(t->perf, &head) && read_record(t->perf, head, &r) ? r.address : 0;
}

static bool find_in(const void *ring, const struct rec_thread *t, uintptr_t page,
		    struct rec_perf_sample *s)
{
	struct rec_perf_record r;
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
			*s = rec_perf_record_decode(&r);
			return true;
		}
	}
	return false;
}

bool rec_perf_sample_find(const struct rec_thread *t, uintptr_t page, struct rec_perf_sample *s)
{
	return t && (find_in(t->perf, t, page, s) || find_in(t->perf_before, t, page, s));
}
