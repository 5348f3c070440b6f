// SPDX-License-Identifier: GPL-2.0-or-later
/* touch_sample.c - one perf ring per thread, with samples of different sizes. */
#include "touch_sample.h"

#include "lib/core/region.h"
#include "lib/core/sys.h"
#include "perf_record.h"

#include <stddef.h>
#include <sys/mman.h>

#define RING_BYTES (2UL << 20)

_Static_assert(RING_BYTES / REC_TOUCH_SAMPLES >
	       REC_TOUCH_STACK + sizeof(struct rec_perf_record) + 32,
	       "the samples fit into the ring");

void *rec_touch_sample_open(uint32_t tid, int filter, bool stacks)
{
	struct perf_event_attr a = rec_perf_record_attr();
	void *m = NULL;
	long fd;

	if (stacks) {
		a.sample_type |= PERF_SAMPLE_STACK_USER;
		a.sample_stack_user = REC_TOUCH_STACK;
	}
	fd = sys5(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (sys3(SYS_ioctl, fd, PERF_EVENT_IOC_SET_BPF, filter) >= 0) {
		m = sys_mmap(NULL, FLT_PAGE + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			     (int)fd, 0);
		if (sys_failed((long)m))
			m = NULL;
	}
	sys1(SYS_close, fd);
	return m;
}

void rec_touch_sample_close(void *ring)
{
	if (ring)
		sys2(SYS_munmap, ring, FLT_PAGE + RING_BYTES);
}

/* Copy n bytes at position `at`. */
static void copy_out(const void *ring, uint64_t at, void *to, size_t n)
{
	const char *data = (const char *)ring + FLT_PAGE;
	size_t from = at % RING_BYTES, most = RING_BYTES - from;

	memcpy(to, data + from, n < most ? n : most);
	if (n > most)
		memcpy((char *)to + most, data, n - most);
}

/* Find the copy of the stack behind the registers: its room, the bytes, the bytes in use. */
static struct rec_stack_copy find_stack(const void *ring, uint64_t at, uint64_t end, uint64_t sp)
{
	struct rec_stack_copy c = { (const char *)ring + FLT_PAGE, RING_BYTES, 0, sp, 0 };
	uint64_t room = 0;

	if (end - at >= sizeof(room))
		copy_out(ring, at, &room, sizeof(room));
	if (!room || room + 2 * sizeof(room) > end - at)
		return c;
	c.at = at + sizeof(room);
	copy_out(ring, c.at + room, &c.bytes, sizeof(c.bytes));
	if (c.bytes > room)
		c.bytes = 0;
	return c;
}

/* Decode the record at `at`. Return false if it is not a sample with registers. */
static bool decode(const void *ring, uint64_t at, const struct perf_event_header *h,
		   struct rec_touch_sample *s)
{
	struct rec_perf_record r;

	if (h->type != PERF_RECORD_SAMPLE || h->size < sizeof(r))
		return false;
	copy_out(ring, at, &r, sizeof(r));
	if (!r.abi)
		return false;
	s->fault = rec_perf_record_decode(&r);
	s->stack = find_stack(ring, at + sizeof(r), at + h->size, s->fault.regs.sp);
	return true;
}

bool rec_touch_sample_take(void *ring, uint64_t *at, struct rec_touch_sample *s)
{
	struct perf_event_mmap_page *p = ring;
	uint64_t head = __atomic_load_n(&p->data_head, __ATOMIC_ACQUIRE), here;
	struct perf_event_header h;

	if (!*at)
		*at = p->data_tail;
	while (*at < head) {
		here = *at;
		copy_out(ring, here, &h, sizeof(h));
		/* The program could write to the ring. */
		if (h.size < sizeof(h) || h.size > head - here) {
			*at = head;
			break;
		}
		*at += h.size;
		if (decode(ring, here, &h, s))
			return true;
	}
	return false;
}

void rec_touch_sample_free(void *ring, uint64_t at)
{
	struct perf_event_mmap_page *p = ring;

	__atomic_store_n(&p->data_tail, at, __ATOMIC_RELEASE);
}
