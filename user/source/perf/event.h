/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - decode records of perf's ring buffers. */
#ifndef FLT_PERF_EVENT_H
#define FLT_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/fault.h"
#include "flt_file.h"
#include "source/unwind/sample.h"

/*
 * User registers sampled with a copy of the stack. As bits of enum perf_event_x86_regs: all
 * registers except segments and flags. As bits of enum perf_event_arm_regs: x0 to x30, sp, pc.
 */
#ifdef __aarch64__
#define FLT_PERF_REGS 0x1ffffffffull
#else
#define FLT_PERF_REGS 0xff01ffull
#endif
#define FLT_PERF_STACK_BYTES 8192u

enum flt_perf_type {
	FLT_PERF_FAULT = 1,
	FLT_PERF_MAP,
	FLT_PERF_COMM,		/* a thread has a new name, without an exec */
	FLT_PERF_LIFE,		/* fork, exec or exit of a thread */
	FLT_PERF_LOST,		/* records were lost, most of them faults */
};

/*
 * One record. Pointers are valid during the call that hands over the event. perf reports an exec
 * before the mappings of the new program.
 */
struct flt_perf_event {
	enum flt_perf_type type;
	uint32_t pid, tid;
	uint64_t time;		/* CLOCK_MONOTONIC ns */
	/* MAP: the file, or as in /proc/PID/maps. COMM and exec: the new name. NULL: unknown. */
	const char *name;
	union {
		struct {
			struct flt_fault fault;	/* image, stack and kind are unknown */
			/* By frame pointers: the instruction, then return addresses. */
			const uint64_t *frames;
			size_t frame_count;
			bool cut;		/* there may be more frames */
			bool sampled;		/* sample is set; frames are not */
			struct flt_unwind_sample sample;
		};
		struct flt_record_map map;	/* the image is unknown */
		struct flt_event_life life;
		uint64_t lost;			/* number of lost records */
	};
};

typedef int (*flt_perf_fn)(void *arg, const struct flt_perf_event *event);

struct perf_event_header;

/* How the events were opened. */
struct flt_perf_layout {
	bool stacks;		/* samples have stacks */
	bool dwarf;		/* as registers and a copy of the stack, not as frames */
	uint32_t max_stack;
	const uint64_t *major_ids;	/* events that count major faults */
	size_t major_id_count;
};

/* Return 1: *event is filled; 0: a record of another type; -EBADMSG: malformed. */
int flt_perf_decode(const struct flt_perf_layout *layout, const struct perf_event_header *record,
		    struct flt_perf_event *event);
/* Return the time of a record, or 0 if the record has none. */
uint64_t flt_perf_record_time(const struct perf_event_header *record);

#endif
