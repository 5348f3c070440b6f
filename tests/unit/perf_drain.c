// SPDX-License-Identifier: GPL-2.0-or-later
/* Test that events of several rings come in order of time, and all of them, beyond the bound. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PENDING_MAX 4096u
#define RING_LEAST 256u
#include "source/perf/drain.c"

#define RINGS 3
#define RING_BYTES (1u << 16)

/* PERF_RECORD_FORK, as the kernel writes it with sample_id_all. */
struct fork_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
	uint32_t tail_pid, tail_tid;
	uint64_t tail_time;
	uint32_t cpu, reserved;
	uint64_t id;
};

static struct perf_event_mmap_page pages[RINGS];
static unsigned char data[RINGS][RING_BYTES] __attribute__((aligned(8)));
static struct flt_perf_ring rings[RINGS];
static uint64_t written[RINGS], seen, last;

static void write_record(size_t ring, uint64_t time)
{
	const struct fork_record r = {
		.header = { PERF_RECORD_FORK, 0, sizeof(r) }, .pid = 2, .ppid = 1, .tid = 2,
		.ptid = 1, .time = time, .tail_pid = 1, .tail_tid = 1, .tail_time = time,
	};
	const unsigned char *bytes = (const unsigned char *)&r;
	size_t i;

	for (i = 0; i < sizeof(r); i++)
		data[ring][(pages[ring].data_head + i) % RING_BYTES] = bytes[i];
	pages[ring].data_head += sizeof(r);
	written[ring]++;
}

static int on_event(void *arg, const struct flt_perf_event *event)
{
	(void)arg;
	assert_true(event->time >= last);
	last = event->time;
	seen++;
	return 0;
}

static void begin(struct flt_sampler *p)
{
	size_t i;

	*p = (struct flt_sampler){ .rings = rings, .ring_count = RINGS };
	for (i = 0; i < RINGS; i++) {
		/* So that records wrap. */
		pages[i].data_head = pages[i].data_tail = RING_BYTES - 8 * (i + 3);
		rings[i] = (struct flt_perf_ring){ .page = &pages[i], .data = data[i],
						   .size = RING_BYTES };
		written[i] = 0;
	}
	seen = last = 0;
}

/* The first ring has the oldest and the newest events, the second one a burst in the middle. */
static void test_all(void **state)
{
	struct flt_sampler p;
	uint64_t i;

	(void)state;
	begin(&p);
	for (i = 0; i < 300; i++)
		write_record(0, 1000 + i * 100);
	for (i = 0; i < 700; i++)
		write_record(1, 15000 + i);
	write_record(2, 15001);
	assert_int_equal(flt_sampler_drain(&p, true, on_event, NULL), 0);
	assert_int_equal(seen, 1001);
	assert_int_equal(p.pending_size, 0);
	free(p.pending);
}

/* Further events arrive between the calls: none is handed over before an older one is read. */
static void test_rounds(void **state)
{
	struct flt_sampler p;
	uint64_t until, round, i, burst, time = 1, total = 0;

	(void)state;
	begin(&p);
	for (round = 0; round < 200; round++) {
		burst = round % 20 ? 6 : 150;
		for (i = 0; i < burst; i++, time++)
			write_record(round % 5 ? 1 : time % RINGS, time);
		/* As flt_sampler_drain() does, with all but the last five events complete. */
		until = time - 6;
		assert_int_equal(rings_take(&p, &until), 0);
		assert_int_equal(hand_over(&p, until, on_event, NULL), 0);
	}
	assert_int_equal(flt_sampler_drain(&p, true, on_event, NULL), 0);
	for (i = 0; i < RINGS; i++)
		total += written[i];
	assert_int_equal(seen, total);
	free(p.pending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
