/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_record.h - what both perf rings of a thread sample, and how it is decoded. */
#ifndef FLT_REC_PERF_RECORD_H
#define FLT_REC_PERF_RECORD_H

#include "arch/perf.h"
#include "perf_sample.h"
#include "recent.h"

#include <linux/perf_event.h>
#include <time.h>

/* A sample up to its registers, in the order of perf_event_open(2). */
struct rec_perf_record {
	struct perf_event_header header;
	uint64_t ip, time, address;
	uint32_t cpu, reserved;
	uint64_t abi;		/* of the registers; 0 = none follow */
	uint64_t regs[REC_PERF_REGS];
};

/* Return the attributes of an event that samples each page fault until an exec. */
static inline struct perf_event_attr rec_perf_record_attr(void)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(a),
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = REC_PERF_MASK, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		/* Nobody waits for the ring. The kernel interrupts itself once per full ring. */
		.watermark = 1, .wakeup_watermark = INT32_MAX,
	};

	perf_attr_set(&a, PERF_ATTR_REMOVE_ON_EXEC);
	return a;
}

static inline uint16_t rec_perf_record_mode(const struct rec_perf_record *r)
{
	return r->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

static inline struct rec_perf_sample rec_perf_record_decode(const struct rec_perf_record *r)
{
	return (struct rec_perf_sample){
		.regs = rec_perf_registers(r->regs),
		.time = r->time, .address = r->address, .cpu = (uint16_t)r->cpu,
		.in_kernel = rec_perf_record_mode(r) == PERF_RECORD_MISC_KERNEL,
	};
}

#endif
