/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - one record of perf's ring buffers, decoded. */
#ifndef FLT_PERF_EVENT_H
#define FLT_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* User registers taken with a stack, as bits of enum perf_event_x86_regs: all but segments and flags. */
#define FLT_PERF_REGS 0xff01ffull
#define FLT_PERF_REG_COUNT 17
#define FLT_PERF_STACK_BYTES 8192u

enum flt_perf_type {
	FLT_PERF_FAULT = 1,
	FLT_PERF_MAP,
	FLT_PERF_COMM,
	FLT_PERF_EXEC,		/* the process has a new image; comm is set */
	FLT_PERF_FORK,		/* a new process, or thread if pid == ppid */
	FLT_PERF_EXIT,		/* of one thread */
	FLT_PERF_LOST,		/* `lost` records, most of them faults */
};

/* One event; pointers are good during the call. */
struct flt_perf_event {
	enum flt_perf_type type;
	uint32_t pid, tid;
	uint32_t ppid, ptid;
	uint32_t cpu;
	uint64_t time;		/* CLOCK_MONOTONIC */
	uint64_t lost;
	/* FAULT */
	uint64_t address, ip;
	bool major, kernel, cut;
	const uint64_t *callers;	/* return addresses, innermost first */
	size_t caller_count;
	const uint64_t *regs;		/* by FLT_PERF_REGS, lowest bit first; NULL: none */
	const void *stack;		/* from the stack pointer up */
	size_t stack_size;
	/* MAP */
	uint64_t start, length, offset, inode;
	uint32_t device;	/* major << 20 | minor */
	uint32_t prot, flags;	/* PROT_*, MAP_* */
	const uint8_t *build_id;
	size_t build_id_size;
	/* MAP, COMM, EXEC */
	const char *name;
};

typedef int (*flt_perf_fn)(void *arg, const struct flt_perf_event *event);

struct perf_event_header;

struct flt_perf_layout {
	bool stacks, dwarf;
	uint32_t max_stack;
	const uint64_t *major_ids;	/* of the events that count major faults */
	size_t major_id_count;
};

/* 1: *event is filled; 0: a record of no interest; -EBADMSG: malformed. */
int flt_perf_decode(const struct flt_perf_layout *layout, const struct perf_event_header *record,
		    struct flt_perf_event *event);
/* The time of a record, 0 if it has none. */
uint64_t flt_perf_record_time(const struct perf_event_header *record);

#endif
